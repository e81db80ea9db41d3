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

TEST(ServerSentEvent, HasAHeartbeatThatIsAComment) {
  EXPECT_EQ(heartbeat_comment, ":\n\n");
}

}  // namespace
}  // namespace mcph
