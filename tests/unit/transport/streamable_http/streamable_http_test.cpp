// Clients that go at the worst moment, over real sockets. There is one event loop, so that a test that holds it decides
// what comes to a connection in what order.
#include "transport/streamable_http/streamable_http.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include <boost/asio/post.hpp>

#include "http/server.hpp"
#include "support/eventually.hpp"
#include "support/held_loop.hpp"
#include "support/raw_client.hpp"
#include "support/server_fixture.hpp"
#include "transport/streamable_http/event_stream_response.hpp"
#include "transport/streamable_http/mcp_service.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using Client = test::RawClient;

class StreamableHttpTest : public test::ServerFixture {
 protected:
  explicit StreamableHttpTest(const HttpLimits& limits = {.heartbeat = 100ms})
      : http_(threads_, {.listen = {.port = 0}, .limits = limits}, mcp_, log_) {
    mcp_.add(endpoint_);
    EXPECT_FALSE(http_.listen().has_error());
    http_.serve();
    plugin_->on_invoke = [this](Call& call) { invoked_.set_value(&call); };
  }
  ~StreamableHttpTest() override {
    threads_.stop();
    EXPECT_TRUE(threads_.join(test::patience));
  }

  std::string head(const std::string& method, const std::string& session) const {
    return method + " /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n" +
           "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + session + "\r\n";
  }
  // Asks for the tool "add"; returns when the stream of the answer has begun.
  Call& call(Client& client, const std::string& session, const std::string& params = R"({"name":"add"})") {
    invoked_ = {};
    const auto body = test::request("1", "tools/call", params);
    client.say(head("POST", session) +
               "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    EXPECT_NE(client.hear("\n\n").find("text/event-stream"), std::string::npos);
    return *invoked_.get_future().get();
  }
  // Does it on the event loop once as many other turns have passed.
  void after_turns(int turns, const std::function<void()>& act) {
    boost::asio::post(threads_.next_context(),
                      [this, turns, act] { turns == 0 ? act() : after_turns(turns - 1, act); });
  }

  static constexpr std::string_view result = R"({"content":[{"type":"text","text":"the reply"}]})";

  EventLoops threads_{1, 4};
  StreamableHttp endpoint_{server_, {}};
  McpService mcp_{{}};
  HttpServer http_;
  std::promise<Call*> invoked_;
};

// The end of the client's input, its taking notice, and the reply come in every order.
TEST_F(StreamableHttpTest, LosesNoReplyThatComesAsItsClientGoes) {
  for (int turns = 0; turns < 8; ++turns) {
    const auto session = open_session("2025-11-25");
    Client client(http_.port());
    auto& call = this->call(client, session);
    std::promise<void> held;
    std::promise<void> gone;
    std::promise<void> told;
    boost::asio::post(threads_.next_context(), [&] {
      held.set_value();
      gone.get_future().wait();
      after_turns(turns, [&] {
        call.complete(Outcome::result, std::string(result));
        told.set_value();
      });
    });
    held.get_future().wait();
    client.leave();
    gone.set_value();
    told.get_future().wait();
    Client again(http_.port());
    again.say(head("GET", session) + "Last-Event-ID: " + client.last_id() + "\r\n\r\n");
    EXPECT_NE(again.hear("the reply").find("the reply"), std::string::npos) << turns << " turns";
  }
}

TEST_F(StreamableHttpTest, HandsAStreamToTheConnectionThatResumesItThoughTheOtherIsStillThere) {
  const auto session = open_session("2025-11-25");
  Client client(http_.port());
  auto& call = this->call(client, session);
  Client again(http_.port());
  again.say(head("GET", session) + "Last-Event-ID: " + client.last_id() + "\r\n\r\n");
  EXPECT_NE(again.hear("\n\n").find("text/event-stream"), std::string::npos);
  EXPECT_EQ(client.hear_until_closed().find("0\r\n\r\n"), std::string::npos) << "it is cut off";
  call.complete(Outcome::result, std::string(result));
  EXPECT_NE(again.hear("the reply").find("the reply"), std::string::npos);
}

// The second connection, the first one's leaving, and the reply come in every order.
TEST_F(StreamableHttpTest, LosesNoReplyThatComesAsAnotherConnectionResumes) {
  for (int turns = 0; turns < 12; ++turns) {
    const auto session = open_session("2025-11-25");
    Client client(http_.port());
    auto& call = this->call(client, session);
    Client again(http_.port());
    std::promise<void> told;
    {
      const test::HeldLoop held(threads_.next_context());
      again.say(head("GET", session) + "Last-Event-ID: " + client.last_id() + "\r\n\r\n");
      after_turns(turns, [&] {
        call.complete(Outcome::result, std::string(result));
        told.set_value();
      });
    }
    told.get_future().wait();
    const auto& heard = again.hear("the reply");
    const auto reply = heard.find("the reply");
    ASSERT_NE(reply, std::string::npos) << turns << " turns: " << heard;
    EXPECT_EQ(again.hear("0\r\n\r\n").find("the reply", reply + 1), std::string::npos) << turns << " turns";
  }
}

TEST_F(StreamableHttpTest, LeavesAStreamToBeResumedThoughItsAnswerEndsByAnException) {
  const auto log = std::make_shared<EventLog>(EventLog::Limits());
  const auto stream = log->open_response("s", nullptr);
  const Session session("s", {.protocol_version = "2025-11-25"});
  const auto connection =
      std::make_shared<HttpConnection>(PlainStream::make(HttpSocket(threads_.next_context()), HttpPeer()), http_);
  try {
    EventStreamResponse response(*connection, 0ms);
    response.keep(session, stream, stream->before_first());
    throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
    EXPECT_EQ(log->resume("s", stream->before_first(), {}).outcome, EventLog::Resumption::Outcome::resumed);
  }
}

// While the answer is made the connection reads ahead. What it reads and the client's readiness for the rest of the
// answer come in one event: then the read is over when it is to be cancelled, and it must not begin again.
TEST_F(StreamableHttpTest, AnswersTheNextRequestThatComesBeforeTheLastAnswerIsRead) {
  const std::string text(std::size_t{8} << 20, 'x');
  for (int i = 0; i < 8; ++i) {
    Client client(http_.port());
    auto& call = this->call(client, open_session("2025-11-25"));
    call.complete(Outcome::result, R"({"content":[{"type":"text","text":")" + text + R"("}]})");
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    bool whole = false;
    while (!whole && std::chrono::steady_clock::now() < deadline) {
      const test::HeldLoop held(threads_.next_context());
      client.say("\r\n");  // the beginning of the next request
      whole = client.hear_all().ends_with("\r\n0\r\n\r\n");
    }
    ASSERT_TRUE(whole);
    client.say("GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ASSERT_NE(client.hear("Not found").find("Not found"), std::string::npos) << "after " << i << " others";
  }
}

// With so much text in its arguments that it has a share of the budget.
std::string large_params(std::size_t bytes) {
  return R"({"name":"add","arguments":{"text":")" + std::string(bytes, 'x') + "\"}}";
}

TEST_F(StreamableHttpTest, HoldsTheMemoryOfAMessageUntilItsCallEnds) {
  Client client(http_.port());
  auto& call = this->call(client, open_session("2025-11-25"), large_params(100'000));
  EXPECT_GT(http_.budget()->taken(), 100'000U) << "though the stream of the answer has begun";
  call.complete(Outcome::result, std::string(result));
  EXPECT_NE(client.hear("the reply").find("the reply"), std::string::npos);
  EXPECT_TRUE(test::eventually([&] { return http_.budget()->taken() == 0; }));
}

TEST_F(StreamableHttpTest, HoldsNoMemoryOfAMessageWhileItsCallWaitsForItsClient) {
  const auto opened = post(test::request("0", "initialize",
                                         R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{}},)"
                                         R"("clientInfo":{"name":"client","version":"1"}})"));
  const auto session = opened->session().id;
  Client client(http_.port());
  auto& call = this->call(client, session, large_params(100'000));
  EXPECT_GT(http_.budget()->taken(), 100'000U);
  call.complete(Outcome::input_required, test::asks_for_roots);
  EXPECT_NE(client.hear("roots/list").find("roots/list"), std::string::npos);
  EXPECT_TRUE(test::eventually([&] { return http_.budget()->taken() == 0; })) << "what is kept has a bound of its own";
  invoked_ = {};
  post(R"({"jsonrpc":"2.0","id":1,"result":{"roots":[]}})", in_session(session));
  invoked_.get_future().get()->complete(Outcome::result, result);
  EXPECT_NE(client.hear("the reply").find("the reply"), std::string::npos);
}

class SmallMemoryTest : public StreamableHttpTest {
 protected:
  SmallMemoryTest() : StreamableHttpTest({.buffered_bytes = 30'000'000, .heartbeat = 100ms}) {}

  static std::string large_result() {
    return R"({"content":[{"type":"text","text":")" + std::string(20'000'000, 'x') + "\"}]}";
  }
};

TEST_F(SmallMemoryTest, ResumesNoStreamWithMoreThanThereIsMemoryFor) {
  const auto session = open_session("2025-11-25");
  Client client(http_.port());
  auto& call = this->call(client, session);
  client.leave();
  EXPECT_TRUE(test::eventually([&] { return http_.connections() == 0; }));
  call.complete(Outcome::result, large_result());
  Client slow(http_.port());
  this->call(slow, open_session("2025-11-25")).complete(Outcome::result, large_result());
  const auto resumes_with = [&](std::string_view status) {
    return test::eventually([&] {
      Client again(http_.port());
      again.say(head("GET", session) + "Last-Event-ID: " + client.last_id() + "\r\n\r\n");
      return again.hear("\r\n").starts_with(status);
    });
  };
  EXPECT_TRUE(resumes_with("HTTP/1.1 503"));
  slow.leave();
  EXPECT_TRUE(resumes_with("HTTP/1.1 200"));
}

// Every call is answered at once, by more than sockets hold.
class LargeAnswersTest : public test::ServerFixture {
 protected:
  LargeAnswersTest() {
    mcp_.add(endpoint_);
    EXPECT_FALSE(http_.listen().has_error());
    http_.serve();
    plugin_->on_invoke = [](Call& call) {
      call.complete(Outcome::result,
                    R"({"content":[{"type":"text","text":")" + std::string(answer_bytes, 'x') + "\"}]}");
    };
  }
  ~LargeAnswersTest() override {
    threads_.stop();
    EXPECT_TRUE(threads_.join(test::patience));
  }

  void ask(const Client& client, const std::string& session) const {
    const auto body = test::request("1", "tools/call", R"({"name":"add"})");
    client.say(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n"
        "Content-Type: application/json\r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " +
        session + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  static constexpr std::size_t answer_bytes = 6'000'000;
  static constexpr HttpLimits limits{.buffered_bytes = 9'000'000, .write_time = 2s};

  EventLoops threads_{1, 4};
  StreamableHttp endpoint_{server_, {}};
  McpService mcp_{{}};
  HttpServer http_{threads_, {.listen = {.port = 0}, .limits = limits}, mcp_, log_};
};

TEST_F(LargeAnswersTest, WaitForASlowReaderUntilOthersNeedTheMemory) {
  const auto session = open_session("2025-11-25");
  std::unique_ptr<Client> slow;
  std::size_t read_slowly = 0;
  const auto first_line = [&] {
    Client other(http_.port());
    ask(other, session);
    return other.hear("\r\n").substr(0, sizeof "HTTP/1.1 200" - 1);
  };
  // One that has not been run for long is taken for one that does not read, and has to begin anew.
  EXPECT_TRUE(test::eventually([&] {
    slow.reset();
    EXPECT_TRUE(test::eventually([&] { return http_.connections() == 0; }));
    slow = std::make_unique<Client>(http_.port());
    ask(*slow, session);
    read_slowly = slow->read(1);
    return first_line() == "HTTP/1.1 503";
  }));
  EXPECT_TRUE(test::eventually([&] {
    // So much that it is never without progress for long, and so little that it is not done for a long time.
    read_slowly += slow->read(answer_bytes / 1000);
    std::this_thread::sleep_for(20ms);
    return first_line() == "HTTP/1.1 200";
  }));
  while (const auto count = slow->read(answer_bytes))
    read_slowly += count;
  EXPECT_LT(read_slowly, answer_bytes);
}

}  // namespace
}  // namespace mcph
