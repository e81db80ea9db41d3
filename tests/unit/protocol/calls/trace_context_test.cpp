#include "protocol/calls/trace_context.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace mcph {
namespace {

const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

std::string parent_of_version(const std::string& version) {
  return version + parent.substr(2);
}

bool takes_parent(const std::string& traceparent) {
  return !trace_context_in({{"traceparent", traceparent}}).is_null();
}

bool takes(const char* key, const std::string& value) {
  return trace_context_in({{"traceparent", parent}, {key, value}}).contains(key);
}

TEST(TraceContext, IsWhatTheClientSent) {
  const Json meta{
      {"traceparent", parent}, {"tracestate", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"}, {"baggage", "a=b"}};
  EXPECT_EQ(trace_context_in(meta), meta);
  EXPECT_EQ(trace_context_in({{"traceparent", parent}, {"progressToken", 1}}), (Json{{"traceparent", parent}}));
}

TEST(TraceContext, IsNoneWithoutATraceparent) {
  EXPECT_TRUE(trace_context_in(Json::object()).is_null());
  EXPECT_TRUE(trace_context_in({{"tracestate", "rojo=1"}, {"baggage", "a=b"}}).is_null());
  EXPECT_TRUE(trace_context_in({{"traceparent", 7}}).is_null());
}

TEST(TraceContext, IsNoneWithATraceparentOfAnotherShape) {
  for (const auto& wrong :
       std::vector<std::string>{"", "00-1", parent + "-00", parent.substr(0, 54), parent_of_version("ff"),
                                parent_of_version("0G"), "00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01",
                                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                                "00-0af7651916cd43dd8448eb211c80319c_00f067aa0ba902b7-01"}) {
    EXPECT_FALSE(takes_parent(wrong)) << wrong;
  }
}

TEST(TraceContext, TakesALaterVersionThatGoesOn) {
  EXPECT_TRUE(takes_parent(parent_of_version("01")));
  EXPECT_TRUE(takes_parent(parent_of_version("cc") + "-what-comes-then"));
  EXPECT_FALSE(takes_parent(parent_of_version("cc") + ".what-comes-then"));
  EXPECT_FALSE(takes_parent(parent_of_version("cc") + "-what\r\nX-Comes: then"));
}

TEST(TraceContext, LeavesOutAStateOfAnotherShape) {
  EXPECT_TRUE(takes("tracestate", "fw529a3039@dt=FfAAAA , rojo=a b"));
  std::string many = "a0=1";
  for (int i = 1; i < 32; ++i)
    many += ",a" + std::to_string(i) + "=1";
  EXPECT_TRUE(takes("tracestate", many));
  for (const auto& wrong : std::vector<std::string>{"rojo", "Rojo=1", "rojo=", "rojo=1=2", "rojo=1\r\nX-More: 2",
                                                    "rojo=" + std::string(257, 'x'), many + ",b=1"}) {
    EXPECT_FALSE(takes("tracestate", wrong)) << wrong;
  }
}

TEST(TraceContext, LeavesOutBaggageOfAnotherShape) {
  EXPECT_TRUE(takes("baggage", "userId=Am%C3%A9lie , serverNode=DF%2028;weight=1;hidden, empty="));
  for (const auto& wrong : std::vector<std::string>{"userId", "user id=1", "userId=Am\xC3\xA9lie", "a=b,,c=d", "a=b;",
                                                    "a=\"b\"", "a=b\r\nX-More: 2", "a=" + std::string(8192, 'x')}) {
    EXPECT_FALSE(takes("baggage", wrong)) << wrong;
  }
}

}  // namespace
}  // namespace mcph
