// Rules: what a host refuses of a plugin, by mcp/host_rules.h. Immutable; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <mcp/host_rules.h>
#include <mcp/plugin/testing.hpp>

namespace mcp::testing::detail {

/// What a host does with a request.
struct Admission {
  std::optional<Outcome> answer;  ///< its own, without calling the plugin
  std::string params;             ///< of the call, where it has none
};

class Rules {
 public:
  /// Throws std::runtime_error with the reason if a host would refuse the description.
  Rules(std::string_view plugin, std::string_view description);

  Admission admit(std::string_view method, const Json& params) const;
  /// What a client gets of an answer to a call of `component`, a name or a URI.
  Outcome outcome(std::string_view method, std::string_view component, std::int32_t kind, std::string_view json) const;

 private:
  std::unique_ptr<mcp_host_rules, void (*)(mcp_host_rules*)> rules_;
};

/// Throws std::runtime_error if no client may answer so. Both by the names of the input requests; what nobody asked is
/// not looked at.
void check_answers(const Json& requests, const Json& answers);

}  // namespace mcp::testing::detail
