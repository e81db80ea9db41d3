#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string_view>

#include <mcp/plugin/detail/prompt_binding.hpp>
#include <mcp/plugin/prompt.hpp>
#include <nlohmann/json.hpp>

#include "registry.hpp"

namespace mcp {

Prompt::Prompt(std::shared_ptr<detail::Registry> registry, std::shared_ptr<detail::PromptRecord> record)
    : Completable(std::move(registry), std::move(record)) {}

namespace detail {

namespace {

void refuse_keywords(const Arg& arg, std::initializer_list<std::string_view> refused, const char* what) {
  for (const auto& keyword : arg.keywords()) {
    if (std::find(refused.begin(), refused.end(), keyword.name) == refused.end()) continue;
    throw std::invalid_argument("argument \"" + arg.name() + "\": " + what + " has no \"" + keyword.name + '"');
  }
}

}  // namespace

void require_prompt_modifiers(const Arg* args, std::size_t count) {
  for (const Arg* arg = args; arg != args + count; ++arg)
    refuse_keywords(*arg, {"pattern", "x-mcp-header"}, "an argument of a prompt");
}

void require_text_modifiers(std::string_view prompt, const std::vector<Arg>& arguments) try {
  require_prompt_modifiers(arguments.data(), arguments.size());
  for (const Arg& arg : arguments)
    refuse_keywords(arg, {"minimum", "maximum", "minItems", "maxItems"}, "a text");
} catch (const std::invalid_argument& error) {
  refuse_component("prompt", prompt, error);
}

void require_allowed(const Json& value, const Arg& arg) {
  for (const auto& [keyword, limit] : arg.keywords())
    require_allowed(value, Place{nullptr, arg.name()}, keyword, limit);
}

}  // namespace detail
void detail::refuse_prompt_values(const std::invalid_argument& why) {
  throw ProtocolError(invalid_params, why.what());
}

}  // namespace mcp
