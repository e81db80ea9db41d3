#include "transport/streamable_http/request_head.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/principals.hpp"

namespace mcph {
namespace {

class RequestHeadTest : public ::testing::Test {
 protected:
  void insert(std::string_view name, std::string_view value) { message_.fields.add(name, value); }
  HttpChecked read() {
    HttpRequest request(message_);
    request.principal = test::principal("somebody");
    return read_head(request, head_);
  }

  HttpMessage message_;
  HttpHead head_;
};

TEST_F(RequestHeadTest, IsFoundWhateverTheCaseOfTheNames) {
  insert("mcp-protocol-version", "2026-07-28");
  insert("MCP-Method", "tools/call");
  insert("mcp-name", "");
  insert("MCP-SESSION-ID", "1");
  insert("last-event-id", "r1-1");
  insert("X-Other", "ignored");
  EXPECT_TRUE(read().has_value());
  EXPECT_EQ(head_.protocol_version, "2026-07-28");
  EXPECT_EQ(head_.method, "tools/call");
  EXPECT_EQ(head_.name, "");
  EXPECT_EQ(head_.session_id, "1");
  EXPECT_EQ(head_.last_event_id, "r1-1");
  EXPECT_EQ(head_.principal, test::principal("somebody"));
}

TEST_F(RequestHeadTest, IsRefusedWhenItNamesMoreThanAnybodyNeeds) {
  std::string names;
  for (int i = 0; i < 128; ++i)
    names += "t" + std::to_string(i) + ",";
  insert("X-MCP-Tools", names);
  EXPECT_TRUE(read().has_value());
  insert("X-MCP-Exclude-Tools", names + "t128");
  EXPECT_EQ(read().error().message,
            "The headers X-MCP-Toolsets, X-MCP-Tools and X-MCP-Exclude-Tools may have 128 names each");
}

class RequestHeadOnce : public RequestHeadTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(RequestHeadOnce, IsRefusedWhenAFieldIsRepeated) {
  message_.body.append(R"({"jsonrpc":"2.0","id":7,"method":"ping"})");
  insert(GetParam(), "1");
  EXPECT_TRUE(read().has_value());
  insert(GetParam(), "1");
  const auto checked = read();
  ASSERT_TRUE(checked.has_error());
  const auto refusal = checked.error();
  EXPECT_EQ(refusal.status, 400U);
  EXPECT_EQ(refusal.message, "The header " + std::string(GetParam()) + " is given more than once");
  const std::set<std::string> mirroring{"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"};
  EXPECT_EQ(refusal.body.starts_with(R"({"jsonrpc":"2.0","id":7,"error":{"code":-32020,)"),
            mirroring.contains(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Fields, RequestHeadOnce,
                         ::testing::Values("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id",
                                           "Last-Event-ID"));

}  // namespace
}  // namespace mcph
