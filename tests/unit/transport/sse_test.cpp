#include "transport/sse.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(ServerSentEvent, CarriesOneMessage) {
  std::string text;
  append_event(text, R"({"a":1})");
  append_event(text, "{}");
  EXPECT_EQ(text, "event: message\ndata: {\"a\":1}\n\nevent: message\ndata: {}\n\n");
}

TEST(ServerSentEvent, MayHaveAnId) {
  std::string text;
  append_event(text, "r1-2", "{}");
  EXPECT_EQ(text, "id: r1-2\nevent: message\ndata: {}\n\n");
}

TEST(ServerSentEvent, PrimesAClientToComeBack) {
  std::string text;
  append_priming_event(text, "r1-0", std::chrono::milliseconds(1500));
  EXPECT_EQ(text, "id: r1-0\nretry: 1500\ndata: \n\n");
}

TEST(ServerSentEvent, SaysWhereMessagesGo) {
  std::string text;
  append_endpoint_event(text, "/messages?sessionId=1");
  EXPECT_EQ(text, "event: endpoint\ndata: /messages?sessionId=1\n\n");
}

TEST(ServerSentEvent, HasAHeartbeatThatIsAComment) {
  EXPECT_EQ(heartbeat_comment, ":\n\n");
}

}  // namespace
}  // namespace mcph
