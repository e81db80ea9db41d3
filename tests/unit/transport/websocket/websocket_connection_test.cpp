// What a client over WebSocket has of the memory that all share, and which roles count for it, over real sockets.
#include "transport/websocket/websocket_connection.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/server.hpp"
#include "support/eventually.hpp"
#include "support/raw_client.hpp"
#include "support/server_fixture.hpp"
#include "transport/streamable_http/mcp_service.hpp"
#include "transport/streamable_http/streamable_http.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using WebSocketClient = test::RawClient;

constexpr std::size_t memory_of_all = std::size_t{256} << 10;

// The head of a frame with a text of so many bytes, whose mask changes nothing (RFC 6455 section 5.2).
std::string frame_head(std::uint64_t bytes) {
  constexpr std::uint64_t in_two_bytes = 126;
  constexpr std::uint64_t in_eight_bytes = 127;
  constexpr std::uint64_t masked = 0x80;
  const auto form = bytes < in_two_bytes ? bytes : bytes <= 0xffff ? in_two_bytes : in_eight_bytes;
  std::string head = "\x81";
  head += static_cast<char>(masked | form);
  const unsigned bits = form == in_two_bytes ? 16 : form == in_eight_bytes ? 64 : 0;
  for (unsigned shift = bits; shift > 0; shift -= 8)
    head += static_cast<char>((bytes >> (shift - 8)) & 0xffU);
  return head + std::string(4, '\0');
}

class WebSocketMemoryTest : public test::ServerFixture {
 protected:
  explicit WebSocketMemoryTest(StreamableHttpOptions options = {}) : mcp_endpoint_(server_, std::move(options)) {
    mcp_.add(mcp_endpoint_);
    EXPECT_FALSE(http_.listen().has_error());
    http_.serve();
    plugin_->on_invoke = [this](Call& call) { invoked_.set_value(&call); };
  }
  ~WebSocketMemoryTest() override {
    threads_.stop();
    EXPECT_TRUE(threads_.join(test::patience));
  }

  static void upgrade(WebSocketClient& client) {
    client.say(
        "GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        "Sec-WebSocket-Protocol: mcp\r\n\r\n");
    EXPECT_THAT(client.hear("\r\n\r\n"), HasSubstr(" 101 "));
  }
  static void say(WebSocketClient& client, const std::string& text) { client.say(frame_head(text.size()) + text); }

  EventLoops threads_{1, 4};
  StreamableHttp mcp_endpoint_;
  McpService mcp_{{}};
  HttpServer http_{threads_,
                   {.listen = {.port = 0}, .limits = {.buffered_bytes = memory_of_all, .heartbeat = 100'000ms}},
                   mcp_,
                   log_};
  std::promise<Call*> invoked_;
};

TEST_F(WebSocketMemoryTest, IsTakenFromAClientThatSendsALargeMessageByteByByte) {
  WebSocketClient client(http_.port());
  upgrade(client);
  client.say(frame_head(std::uint64_t{1} << 20) + std::string(30'000, ' '));
  ASSERT_TRUE(test::eventually([&] { return http_.budget()->taken() > 0; }));
  EXPECT_TRUE(test::eventually([&] {
    client.try_to_say(" ");
    MemoryBudget::Share another;
    return another.grow(http_.budget(), memory_of_all);
  })) << "others need it";
}

TEST_F(WebSocketMemoryTest, EndsTheCallWhoseAnswerFindsNone) {
  WebSocketClient client(http_.port());
  upgrade(client);
  say(client, test::request("0", "initialize",
                            R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{}},)"
                            R"("clientInfo":{"name":"client","version":"1"}})"));
  client.hear("serverInfo");
  say(client, std::string(test::initialized));
  say(client, test::request("7", "tools/call", R"({"name":"add"})"));
  auto invoked = invoked_.get_future();
  ASSERT_EQ(invoked.wait_for(test::patience), std::future_status::ready);
  invoked.get()->complete(Outcome::input_required, test::asks_for_roots);
  EXPECT_THAT(client.hear("roots/list"), HasSubstr("roots/list"));
  say(client, R"({"jsonrpc":"2.0","id":1,"result":{"roots":[)" + std::string(memory_of_all, ' ') + "]}}");
  EXPECT_THAT(client.hear("raise --max-buffered-bytes"),
              HasSubstr("The client's answer to roots/list is refused: The server has no memory left for it"));
}

TEST_F(WebSocketMemoryTest, IsHeldUntilTheRequestIsAnsweredOrListens) {
  WebSocketClient client(http_.port());
  upgrade(client);
  const std::string pad(40'000, 'x');
  say(client, test::modern_request("1", "tools/call", R"("name":"add","arguments":{"pad":")" + pad + R"("},)"));
  auto invoked = invoked_.get_future();
  ASSERT_EQ(invoked.wait_for(test::patience), std::future_status::ready);
  EXPECT_GE(http_.budget()->taken(), pad.size());
  invoked.get()->complete(Outcome::result, R"({"content":[{"type":"text","text":"done"}]})");
  client.hear("done");
  EXPECT_TRUE(test::eventually([&] { return http_.budget()->taken() == 0; }));
  say(client, test::modern_request("2", "subscriptions/listen",
                                   R"("notifications":{"toolsListChanged":true},"pad":")" + pad + R"(",)"));
  client.hear("acknowledged");
  EXPECT_TRUE(test::eventually([&] { return http_.budget()->taken() == 0; }));
}

class WebSocketRolesTest : public WebSocketMemoryTest {
 protected:
  WebSocketRolesTest()
      : WebSocketMemoryTest({.middleware = {[this](HttpRequest& request) {
                               request.principal = ada();
                               return HttpVerdict();
                             }},
                             .renew = [this](const Principal&) { return ada(); }}) {}

  // With the roles of now.
  Principal ada() const {
    return Principal(
        {.issuer = "test", .subject = "ada", .roles = {is_admin_.load() ? std::string("admin") : std::string("user")}});
  }
  // What the plugin is told of who calls.
  std::string caller_of_call(WebSocketClient& client, const std::string& id) {
    invoked_ = {};
    auto invoked = invoked_.get_future();
    say(client, test::modern_request(id, "tools/call", R"("name":"add",)"));
    if (invoked.wait_for(test::patience) != std::future_status::ready) return "nobody calls";
    Call* const call = invoked.get();
    auto caller = call->caller();
    call->complete(Outcome::result, R"({"content":[{"type":"text","text":"reply )" + id + R"("}]})");
    client.hear("reply " + id);
    return caller;
  }

  std::atomic<bool> is_admin_{true};
};

TEST_F(WebSocketRolesTest, AreThoseOfNowForEachMessage) {
  WebSocketClient client(http_.port());
  upgrade(client);
  EXPECT_THAT(caller_of_call(client, "1"), HasSubstr(R"("roles":["admin"])"));
  is_admin_.store(false);
  EXPECT_THAT(caller_of_call(client, "2"), HasSubstr(R"("roles":["user"])"));
}

}  // namespace
}  // namespace mcph
