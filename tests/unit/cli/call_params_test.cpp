#include "cli/call_params.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

const Json mixed_arguments{{"people", 3}, {"quick", true}, {"ratio", 0.5}, {"dish", "soup"}, {"more", {1, 2}}};

Json arguments_for(PluginMethod method) {
  return params_of({.config = {}, .method = method, .component = "recommend"}, mixed_arguments);
}

TEST(CallParamsTest, GivesAPromptAndACompletionNumbersAndBoolsAsTexts) {
  // What is no single value stays as it is, for the host to refuse.
  const Json texts{{"people", "3"}, {"quick", "true"}, {"ratio", "0.5"}, {"dish", "soup"}, {"more", {1, 2}}};
  EXPECT_EQ(arguments_for(PluginMethod::prompts_get)["arguments"], texts);
  EXPECT_EQ(arguments_for(PluginMethod::completion_complete)["context"]["arguments"], texts);
}

TEST(CallParamsTest, GivesAToolItsArgumentsAsTheyAre) {
  EXPECT_EQ(arguments_for(PluginMethod::tools_call)["arguments"], mixed_arguments);
}

TEST(CallParamsTest, CompletesATemplateByItsColonUnlessAPromptHasThatName) {
  const CallCommand command{.config = {}, .method = PluginMethod::completion_complete, .component = "team:review"};
  EXPECT_EQ(params_of(command, Json::object())["ref"], Json({{"type", "ref/resource"}, {"uri", "team:review"}}));
  EXPECT_EQ(params_of(command, Json::object(), true)["ref"], Json({{"type", "ref/prompt"}, {"name", "team:review"}}));
  EXPECT_EQ(arguments_for(PluginMethod::completion_complete)["ref"]["type"], "ref/prompt");
}

TEST(CallParamsTest, LeavesArgumentsThatAreNoObjectAsTheyAre) {
  EXPECT_EQ(params_of({.config = {}, .method = PluginMethod::prompts_get}, Json(3))["arguments"], Json(3));
}

}  // namespace
}  // namespace mcph
