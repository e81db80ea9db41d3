// The methods of MCP that the host knows: of either side's requests and notifications, in every revision it serves
// (schema of 2024-11-05 to 2026-07-28; for tasks, SEP-2663). What an era has of them, its table of handlers says.
// Values and free functions; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "plugin/plugin_method.hpp"

namespace mcph {

enum class Method {
  // Requests of a client.
  initialize,
  ping,
  server_discover,
  tools_list,
  tools_call,
  resources_list,
  resources_templates_list,
  resources_read,
  resources_subscribe,
  resources_unsubscribe,
  prompts_list,
  prompts_get,
  completion_complete,
  logging_set_level,
  subscriptions_listen,
  tasks_get,
  tasks_update,
  tasks_cancel,
  // Requests of a server.
  elicitation_create,
  sampling_create_message,
  roots_list,
  // Notifications.
  notifications_initialized,
  notifications_cancelled,
  notifications_progress,
  notifications_message,
  notifications_tools_list_changed,
  notifications_resources_list_changed,
  notifications_resources_updated,
  notifications_prompts_list_changed,
  notifications_subscriptions_acknowledged,
  notifications_tasks,
};

// In the same order.
inline constexpr std::array<std::string_view, 31> method_names{
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    name_of(PluginMethod::tools_call),
    "resources/list",
    "resources/templates/list",
    name_of(PluginMethod::resources_read),
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/list",
    name_of(PluginMethod::prompts_get),
    name_of(PluginMethod::completion_complete),
    "logging/setLevel",
    "subscriptions/listen",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
    "elicitation/create",
    "sampling/createMessage",
    "roots/list",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/message",
    "notifications/tools/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
    "notifications/prompts/list_changed",
    "notifications/subscriptions/acknowledged",
    "notifications/tasks",
};

constexpr std::string_view name_of(Method method) {
  return method_names.at(static_cast<std::size_t>(method));
}

constexpr Method method_of(PluginMethod method) {
  constexpr std::array<Method, plugin_method_names.size()> methods{Method::tools_call, Method::resources_read,
                                                                   Method::prompts_get, Method::completion_complete};
  return methods.at(static_cast<std::size_t>(method));
}

// Nothing if no method that the host knows has the name.
constexpr std::optional<Method> find_method(std::string_view name) {
  const auto* const found = std::ranges::find(method_names, name);
  if (found == method_names.end()) return std::nullopt;
  return static_cast<Method>(found - method_names.begin());
}

}  // namespace mcph
