#include "cli/call_text.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace mcph {
namespace {

TEST(CallTextTest, TakesOnlyToolsForFailedThatSaySo) {
  const Json read{{"contents", Json::array()}, {"isError", "no"}};
  EXPECT_EQ(print_result(PluginMethod::resources_read, read, false), 0);
  const Json called{{"content", Json::array()}, {"isError", true}};
  EXPECT_EQ(print_result(PluginMethod::tools_call, called, false), 1);
}

}  // namespace
}  // namespace mcph
