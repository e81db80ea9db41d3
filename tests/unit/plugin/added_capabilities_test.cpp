#include "plugin/added_capabilities.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::string& json) {
  const auto read = read_capabilities(std::string_view(json));
  return read.has_value() ? "taken" : read.error().message;
}

std::string refusal_of_extension(const std::string& name) {
  return refusal_of(R"({"extensions":{")" + name + R"(":{}}})");
}

TEST(AddedCapabilitiesTest, AreReadInTheirOrder) {
  const auto read = read_capabilities(std::string_view(
      R"({"extensions":{"com.example/b":{"z":1,"a":[]},"com.example/a":{}},"experimental":{"anything goes":{}}})"));
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->extensions.size(), 2U);
  EXPECT_EQ(read->extensions[0].name, "com.example/b");
  EXPECT_EQ(read->extensions[0].json, R"({"z":1,"a":[]})");
  ASSERT_EQ(read->experimental.size(), 1U);
  EXPECT_EQ(read->experimental[0].name, "anything goes");
  EXPECT_EQ(refusal_of("{}"), "taken");
}

TEST(AddedCapabilitiesTest, AreNamedAsTheSpecificationSays) {
  for (const auto* const name :
       {"com.example/search", "a/b", "com.exa-mple.x1/A.b_c-d", "com.example.mcp/x", "example/x"})
    EXPECT_EQ(refusal_of_extension(name), "taken") << name;
  EXPECT_THAT(refusal_of_extension("search"), HasSubstr("is not PREFIX/NAME"));
  for (const auto* const name : {"/x", ".com/x", "com./x", "com..example/x", "1com/x", "com-/x", "com.-a/x", "c om/x"})
    EXPECT_THAT(refusal_of_extension(name), HasSubstr("has a prefix that is not made of labels")) << name;
  for (const auto* const name :
       {"io.modelcontextprotocol/tasks", "dev.mcp/x", "org.modelcontextprotocol.api/x", "com.mcp.tools/x"})
    EXPECT_THAT(refusal_of_extension(name), HasSubstr("reserved for MCP")) << name;
  for (const auto* const name :
       {"com.example/", "com.example/-a", "com.example/a-", "com.example/a/b", "com.example/a b"})
    EXPECT_THAT(refusal_of_extension(name), HasSubstr("does not end with letters")) << name;
}

TEST(AddedCapabilitiesTest, AreObjectsWithinBounds) {
  EXPECT_EQ(refusal_of("[]"), "capabilities is not an object");
  EXPECT_THAT(refusal_of("no"), HasSubstr("capabilities is not JSON"));
  EXPECT_EQ(refusal_of(R"({"tools":{}})"),
            R"(capabilities has "tools", but its members are extensions and experimental)");
  EXPECT_EQ(refusal_of(R"({"extensions":[]})"), "capabilities.extensions is not an object");
  EXPECT_EQ(refusal_of(R"({"experimental":{"a":true}})"), R"(capabilities.experimental "a" is not an object)");
  EXPECT_THAT(refusal_of(R"({"experimental":{"":{}}})"), HasSubstr("a name that is not 1 to 128 bytes"));
  EXPECT_THAT(refusal_of(R"({"experimental":{"a":{"b":")" + std::string(5000, 'x') + R"("}}})"),
              HasSubstr("more than 4096 bytes"));
  std::string many;
  for (int i = 0; i < 17; ++i)
    many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":{}";
  EXPECT_EQ(refusal_of(R"({"experimental":{)" + many + "}}"), "capabilities.experimental has more than 16 members");
}

}  // namespace
}  // namespace mcph
