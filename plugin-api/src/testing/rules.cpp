#include "rules.hpp"

#include <stdexcept>

#include "../host_text.hpp"

namespace mcp::testing::detail {

using mcp::detail::answer_of_host;
using mcp::detail::borrowed;

namespace {

// The host takes it away before a client sees the result (ABI.md).
void erase_unexpected_mark(Json& result) {
  const auto meta = result.find("_meta");
  if (meta == result.end()) return;
  if (meta->erase("mcp-plugin-host/unexpected") > 0 && meta->empty()) result.erase(meta);
}

/// Empty: there is none.
std::string mistake_in(const Json& request, const Json& answer) {
  const std::string asked = dump_json(request);
  const std::string given = dump_json(answer);
  return answer_of_host([&](const mcp_sink* error) { mcp_host_rules_answer(borrowed(asked), borrowed(given), error); });
}

}  // namespace

Rules::Rules(std::string_view plugin, std::string_view description) : rules_(nullptr, mcp_host_rules_destroy) {
  const std::string reason = answer_of_host([&](const mcp_sink* error) {
    rules_.reset(mcp_host_rules_create(borrowed(plugin), borrowed(description), error));
  });
  if (!rules_) throw std::runtime_error("a host would refuse it: " + reason);
}

Admission Rules::admit(std::string_view method, const Json& params) const {
  const std::string given = dump_json(params);
  std::int32_t kind = MCP_HOST_RULES_ADMITTED;
  std::string text = answer_of_host([&](const mcp_sink* sink) {
    kind = mcp_host_rules_admit(rules_.get(), borrowed(method), borrowed(given), sink);
  });
  if (kind == MCP_HOST_RULES_ADMITTED) return {{}, std::move(text)};
  return {Outcome{kind, Json::parse(text)}, {}};
}

Outcome Rules::outcome(std::string_view method, std::string_view component, std::int32_t kind,
                       std::string_view json) const {
  bool accepted = false;
  const std::string reason = answer_of_host([&](const mcp_sink* error) {
    accepted =
        mcp_host_rules_accept(rules_.get(), borrowed(method), borrowed(component), kind, borrowed(json), error) != 0;
  });
  if (!accepted) return {MCP_OUTCOME_ERROR, {{"code", internal_error}, {"message", reason}}};
  Outcome outcome{kind, Json::parse(json)};
  if (kind == MCP_OUTCOME_RESULT) erase_unexpected_mark(outcome.json);
  return outcome;
}

void check_answers(const Json& requests, const Json& answers) {
  const auto refuse = [](const std::string& why) {
    throw std::runtime_error("the client of this test answers what no client may: " + why);
  };
  if (!answers.is_object()) refuse("the input responses are not an object");
  for (const auto& [name, request] : requests.items()) {
    const auto answer = answers.find(name);
    if (answer == answers.end()) continue;
    const auto mistake = mistake_in(request, *answer);
    if (!mistake.empty()) refuse(request.value("method", std::string()) + ": " + mistake);
  }
}

}  // namespace mcp::testing::detail
