#include <stdexcept>

#include <mcp/plugin/detail/prompt_binding.hpp>
#include <mcp/plugin/prompt.hpp>
#include <nlohmann/json.hpp>

#include "registry.hpp"

namespace mcp {

Prompt::Prompt(std::shared_ptr<detail::Registry> registry, std::shared_ptr<detail::PromptRecord> record)
    : Completable(std::move(registry), std::move(record)) {}

namespace detail {

void require_prompt_modifiers(const Arg* args, std::size_t count) {
  for (const Arg* arg = args; arg != args + count; ++arg) {
    for (const auto& keyword : arg->keywords()) {
      if (keyword.name != "pattern" && keyword.name != "x-mcp-header") continue;
      throw std::invalid_argument("argument \"" + arg->name() + "\": an argument of a prompt has no \"" + keyword.name +
                                  '"');
    }
  }
}

void require_allowed(const Json& value, const Arg& arg) {
  for (const auto& [keyword, json] : arg.keywords()) {
    if (allows(keyword, parse_json(json), value)) continue;
    refuse(Place{nullptr, arg.name()}, "is not what its " + keyword + ' ' + json + " allows");
  }
}

}  // namespace detail
void detail::refuse_prompt_values(const std::invalid_argument& why) {
  throw ProtocolError(invalid_params, why.what());
}

}  // namespace mcp
