// From a request's params to a call on a component of a catalog: finds the component, checks what the client gave, and
// says which plugin to invoke with what. The same for both eras; what differs is how a rejection is reported, so a
// rejection says what it is. Free functions; any thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "catalog/catalog.hpp"
#include "limits/limits.hpp"
#include "protocol/message.hpp"
#include "protocol/mirrored_fields.hpp"

namespace mcph {

struct CallPlan {
  std::shared_ptr<Plugin> plugin;
  PluginMethod method;
  std::string params;     // as mcp_plugin.invoke promises it, on one line
  std::string component;  // the tool's or prompt's name, or the URI; for messages
  Json meta = nullptr;    // what the request's own _meta says besides who its client is; null: nothing
  TaskSupport task_support = TaskSupport::forbidden;
  std::optional<Schema> output_schema = {};                  // of a tool that has one
  std::optional<std::chrono::milliseconds> time_limit = {};  // likewise
  std::shared_ptr<const Price> price = {};                   // of a tool that costs
};

struct Rejection {
  enum class Reason {
    malformed,            // before the component is known
    malformed_arguments,  // of a component that there is, like the last three
    unknown_tool,
    unknown_prompt,
    unknown_resource,
    header_mismatch,
    invalid_arguments,
    not_permitted,
    limited
  };
  Reason reason;
  std::string message;
  Json data = nullptr;
  std::vector<std::string> scopes = {};     // with which it would be permitted
  std::optional<LimitStanding> limit = {};  // that it has met
  std::string rule = {};                    // by which it is not permitted

  // There is such a component for the client.
  bool is_of_served() const { return reason == Reason::malformed_arguments || reason >= Reason::header_mismatch; }
};

using Planned = Result<CallPlan, Rejection>;

// For any of the methods below.
Planned plan_call(PluginMethod method, const Catalog& catalog, JsonValue params);
Planned plan_call(PluginMethod method, const Catalog& catalog, const Json& params);
Planned plan_tool_call(const Catalog& catalog, JsonValue params);
// The same for a call whose transport repeats the arguments that the tool names; null: it does not.
Planned plan_tool_call(const Catalog& catalog, JsonValue params, const MirroredFields* mirrored);
Planned plan_resource_read(const Catalog& catalog, JsonValue params);
Planned plan_prompt_get(const Catalog& catalog, JsonValue params);

// The plan, or that a limit of its component refuses it. Completions have none. Null: there are none.
Planned within_limits(Planned planned, const SenderLimits* limits);

}  // namespace mcph
