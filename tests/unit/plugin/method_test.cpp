#include "plugin/method.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace mcph {
namespace {

constexpr std::array methods{
    std::pair{Method::initialize, "initialize"},
    std::pair{Method::ping, "ping"},
    std::pair{Method::server_discover, "server/discover"},
    std::pair{Method::tools_list, "tools/list"},
    std::pair{Method::tools_call, "tools/call"},
    std::pair{Method::resources_list, "resources/list"},
    std::pair{Method::resources_templates_list, "resources/templates/list"},
    std::pair{Method::resources_read, "resources/read"},
    std::pair{Method::resources_subscribe, "resources/subscribe"},
    std::pair{Method::resources_unsubscribe, "resources/unsubscribe"},
    std::pair{Method::prompts_list, "prompts/list"},
    std::pair{Method::prompts_get, "prompts/get"},
    std::pair{Method::completion_complete, "completion/complete"},
    std::pair{Method::logging_set_level, "logging/setLevel"},
    std::pair{Method::subscriptions_listen, "subscriptions/listen"},
    std::pair{Method::tasks_get, "tasks/get"},
    std::pair{Method::tasks_update, "tasks/update"},
    std::pair{Method::tasks_cancel, "tasks/cancel"},
    std::pair{Method::elicitation_create, "elicitation/create"},
    std::pair{Method::sampling_create_message, "sampling/createMessage"},
    std::pair{Method::roots_list, "roots/list"},
    std::pair{Method::notifications_initialized, "notifications/initialized"},
    std::pair{Method::notifications_cancelled, "notifications/cancelled"},
    std::pair{Method::notifications_progress, "notifications/progress"},
    std::pair{Method::notifications_message, "notifications/message"},
    std::pair{Method::notifications_tools_list_changed, "notifications/tools/list_changed"},
    std::pair{Method::notifications_resources_list_changed, "notifications/resources/list_changed"},
    std::pair{Method::notifications_resources_updated, "notifications/resources/updated"},
    std::pair{Method::notifications_prompts_list_changed, "notifications/prompts/list_changed"},
    std::pair{Method::notifications_subscriptions_acknowledged, "notifications/subscriptions/acknowledged"},
    std::pair{Method::notifications_tasks, "notifications/tasks"},
};

TEST(MethodTest, HasANameByWhichItIsFound) {
  EXPECT_EQ(methods.size(), method_names.size());
  for (const auto& [method, name] : methods) {
    EXPECT_EQ(name_of(method), name);
    EXPECT_EQ(find_method(name), method) << name;
  }
}

TEST(MethodTest, IsNotFoundByAnotherName) {
  for (const auto* name : {"", "tools/dance", "Tools/List", "tools/list ", "tools", "notifications"})
    EXPECT_EQ(find_method(name), std::nullopt) << name;
}

TEST(PluginMethodTest, HasItsName) {
  EXPECT_EQ(name_of(PluginMethod::tools_call), "tools/call");
  EXPECT_EQ(name_of(PluginMethod::resources_read), "resources/read");
  EXPECT_EQ(name_of(PluginMethod::prompts_get), "prompts/get");
  EXPECT_EQ(name_of(PluginMethod::completion_complete), "completion/complete");
}

}  // namespace
}  // namespace mcph
