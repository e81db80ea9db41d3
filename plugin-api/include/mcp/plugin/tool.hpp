// Tool: the modifiers of a tool that Plugin::tool, raw_tool or async_tool has registered. The hints tell a client how
// careful to be; the defaults are MCP's: not read-only, destructive, not idempotent, open world.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include <mcp/plugin/component.hpp>
#include <mcp/plugin/detail/result_conversion.hpp>

namespace mcp {

namespace detail {
struct ToolRecord;
}

enum class TaskSupport {
  Optional,   ///< it takes long: its calls become tasks at once
  Required,   ///< the same, and a client of 2026-07-28 or later that knows no tasks cannot call it
  Forbidden,  ///< its calls never become tasks, however long they take
};

class Tool : public Component<Tool> {
 public:
  Tool(std::shared_ptr<detail::Registry> registry, std::shared_ptr<detail::ToolRecord> record);

  /// Changes nothing in its environment.
  Tool& read_only(bool value = true);
  /// May overwrite or delete, where false means that it only adds.
  Tool& destructive(bool value = true);
  /// Doing it again with the same arguments changes nothing more.
  Tool& idempotent(bool value = true);
  /// Reaches beyond a closed set of things, such as into the web.
  Tool& open_world(bool value = true);
  /// How a call of it may become a task, which the client fetches later, if it knows tasks. Undeclared, a call that
  /// takes long does. The handler has no part in it.
  Tool& task_support(TaskSupport support);
  /// How long a call of it may take, where that is less than the operator allows the plugin's calls: then it is
  /// cancelled with CancelReason::Deadline. Throws std::invalid_argument if it is not positive.
  Tool& timeout(std::chrono::milliseconds time);
  /// JSON Schema of the structured content, as text: for a result whose type does not say it. Throws
  /// std::invalid_argument if it is not a JSON object.
  Tool& output_schema(std::string_view json);
  /// The same from a type: of what ToolResult::structured is given.
  template <class T>
  Tool& output() {
    static_assert(detail::is_object<T>, "mcp: structured content is a struct or a std::map");
    return output_schema(detail::output_schema<T>());
  }

  /// Its results are shown by the app with this URI, "ui://...", where the client has apps. The result says the same in
  /// its contents for the model, and for other clients: see Context::shows_apps.
  Tool& app(std::string_view uri);
  /// For apps to call, and hidden from the model.
  Tool& app_only(bool value = true);
};

}  // namespace mcp
