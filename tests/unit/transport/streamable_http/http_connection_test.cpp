// Connections of clients that go at the worst moment, over real sockets. There is one lane, so that a test that holds
// it decides what comes to a connection in what order.
#include <algorithm>
#include <arpa/inet.h>
#include <future>
#include <memory>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <boost/asio/post.hpp>

#include "support/eventually.hpp"
#include "support/server_fixture.hpp"
#include "transport/streamable_http/http_server.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

// What a client says and hears, byte by byte.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const timeval patience{.tv_sec = 5, .tv_usec = 0};
    EXPECT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
  }
  ~Client() { leave(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void say(const std::string& text) const {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // Everything so far, once it contains `end`, or at the end of the connection or of the patience.
  const std::string& hear(std::string_view end) {
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    char piece[4096];
    while (heard_.find(end) == std::string::npos && std::chrono::steady_clock::now() < deadline) {
      const auto count = ::recv(socket_, piece, sizeof piece, 0);
      if (count <= 0) break;
      heard_.append(piece, static_cast<std::size_t>(count));
    }
    return heard_;
  }
  // Whether the server has closed the connection without a word.
  bool is_turned_away() const {
    char byte = 0;
    return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }
  // Of the last event that was heard.
  std::string last_id() const {
    const auto at = heard_.rfind("id: ");
    return at == std::string::npos ? "" : heard_.substr(at + 4, heard_.find('\n', at) - at - 4);
  }
  // At most so many bytes, 0 at the end, without keeping them.
  std::size_t read(std::size_t most) const {
    std::vector<char> bytes(most);
    return static_cast<std::size_t>(std::max(::recv(socket_, bytes.data(), most, 0), ssize_t{0}));
  }
  // Everything that is on the way, until nothing has come for a while.
  const std::string& hear_all() {
    constexpr int quiet_ms = 20;
    std::string piece(std::size_t{1} << 20, '\0');
    pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
    while (::poll(&ready, 1, quiet_ms) > 0) {
      const auto count = ::recv(socket_, piece.data(), piece.size(), 0);
      if (count <= 0) break;
      heard_.append(piece, 0, static_cast<std::size_t>(count));
    }
    return heard_;
  }
  void leave() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

 private:
  int socket_;
  std::string heard_;
};

class HttpConnectionTest : public test::ServerFixture {
 protected:
  explicit HttpConnectionTest(const HttpLimits& limits = {.heartbeat = 100ms})
      : http_(threads_, {.port = 0, .limits = limits}, server_, log_) {
    EXPECT_FALSE(http_.listen().has_error());
    http_.serve();
    plugin_->on_invoke = [this](Call& call) { invoked_.set_value(&call); };
  }
  ~HttpConnectionTest() override {
    threads_.stop();
    EXPECT_TRUE(threads_.join(10s));
  }

  std::string head(const std::string& method, const std::string& session) const {
    return method + " /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n" +
           "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + session + "\r\n";
  }
  // Asks for the tool "add"; returns when the stream of the answer has begun.
  Call& call(Client& client, const std::string& session) {
    invoked_ = {};
    const auto body = test::request("1", "tools/call", R"({"name":"add"})");
    client.say(head("POST", session) +
               "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    EXPECT_NE(client.hear("\n\n").find("text/event-stream"), std::string::npos);
    return *invoked_.get_future().get();
  }
  // Does it while the lane does nothing else.
  void while_held(const std::function<void()>& act) {
    std::promise<void> held;
    std::promise<void> done;
    boost::asio::post(threads_.next_context(), [&] {
      held.set_value();
      done.get_future().wait();
    });
    held.get_future().wait();
    act();
    done.set_value();
  }
  // Does it on the lane once as many other turns have passed.
  void after_turns(int turns, const std::function<void()>& act) {
    boost::asio::post(threads_.next_context(),
                      [this, turns, act] { turns == 0 ? act() : after_turns(turns - 1, act); });
  }

  static constexpr std::string_view result = R"({"content":[{"type":"text","text":"the reply"}]})";

  ServingThreads threads_{1, 4};
  HttpServer http_;
  std::promise<Call*> invoked_;
};

// The end of the client's input, its taking notice, and the reply come in every order.
TEST_F(HttpConnectionTest, LosesNoReplyThatComesAsItsClientGoes) {
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

// While the answer is made the connection reads ahead. What it reads and the client's readiness for the rest of the
// answer come in one event: then the read is over when it is to be cancelled, and it must not begin again.
TEST_F(HttpConnectionTest, AnswersTheNextRequestThatComesBeforeTheLastAnswerIsRead) {
  const std::string text(std::size_t{8} << 20, 'x');
  for (int i = 0; i < 8; ++i) {
    Client client(http_.port());
    auto& call = this->call(client, open_session("2025-11-25"));
    call.complete(Outcome::result, R"({"content":[{"type":"text","text":")" + text + R"("}]})");
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    bool whole = false;
    while (!whole && std::chrono::steady_clock::now() < deadline) {
      while_held([&] {
        client.say("\r\n");  // the beginning of the next request
        whole = client.hear_all().ends_with("\r\n0\r\n\r\n");
      });
    }
    ASSERT_TRUE(whole);
    client.say("GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ASSERT_NE(client.hear("Not found").find("Not found"), std::string::npos) << "after " << i << " others";
  }
}

class SmallMemoryTest : public HttpConnectionTest {
 protected:
  SmallMemoryTest() : HttpConnectionTest({.buffered_bytes = 30'000'000, .heartbeat = 100ms}) {}

  static std::string large_result() {
    return R"({"content":[{"type":"text","text":")" + std::string(20'000'000, 'x') + "\"}]}";
  }
};

TEST_F(SmallMemoryTest, ResumesNoStreamWithMoreThanThereIsMemoryFor) {
  const auto session = open_session("2025-11-25");
  Client client(http_.port());
  auto& call = this->call(client, session);
  client.leave();
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
    EXPECT_FALSE(http_.listen().has_error());
    http_.serve();
    plugin_->on_invoke = [](Call& call) {
      call.complete(Outcome::result,
                    R"({"content":[{"type":"text","text":")" + std::string(answer_bytes, 'x') + "\"}]}");
    };
  }
  ~LargeAnswersTest() override {
    threads_.stop();
    EXPECT_TRUE(threads_.join(10s));
  }

  void ask(const Client& client, const std::string& session) const {
    const auto body = test::request("1", "tools/call", R"({"name":"add"})");
    client.say(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n"
        "Content-Type: application/json\r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " +
        session + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  static constexpr std::size_t answer_bytes = 20'000'000;
  static constexpr HttpLimits limits{.buffered_bytes = 30'000'000, .write_time = 2s};

  ServingThreads threads_{1, 4};
  HttpServer http_{threads_, {.port = 0, .limits = limits}, server_, log_};
};

TEST_F(LargeAnswersTest, WaitForASlowReaderUntilOthersNeedTheMemory) {
  const auto session = open_session("2025-11-25");
  Client slow(http_.port());
  ask(slow, session);
  std::size_t read_slowly = slow.read(1);
  const auto first_line = [&] {
    Client other(http_.port());
    ask(other, session);
    return other.hear("\r\n").substr(0, sizeof "HTTP/1.1 200" - 1);
  };
  EXPECT_EQ(first_line(), "HTTP/1.1 503");
  EXPECT_TRUE(test::eventually([&] {
    // So much that it is never without progress for long, and so little that it is not done for a long time.
    read_slowly += slow.read(answer_bytes / 1000);
    std::this_thread::sleep_for(20ms);
    return first_line() == "HTTP/1.1 200";
  }));
  while (const auto count = slow.read(answer_bytes))
    read_slowly += count;
  EXPECT_LT(read_slowly, answer_bytes);
}

// Every connection is one too many, and goes to the lane that accepts or to the other one.
class CrowdTest : public test::ServerFixture {
 protected:
  CrowdTest() {
    EXPECT_FALSE(http_.listen().has_error());
    http_.serve();
  }
  ~CrowdTest() override {
    threads_.stop();
    EXPECT_TRUE(threads_.join(10s));
  }

  ServingThreads threads_{2, 4};
  boost::asio::io_context& other_lane_ = threads_.next_context();  // than the next one, which accepts
  HttpServer http_{threads_, {.port = 0, .limits = {.connections = 0}}, server_, log_};
};

TEST_F(CrowdTest, IsToldThatItIsTurnedAwayUpToABoundThoughALaneIsBusy) {
  std::promise<void> held;
  std::promise<void> done;
  boost::asio::post(other_lane_, [&] {
    held.set_value();
    done.get_future().wait();
  });
  held.get_future().wait();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 60; ++i)
    clients.push_back(std::make_unique<Client>(http_.port()));
  EXPECT_TRUE(test::eventually([&] {
    const auto closed = std::ranges::count_if(clients, [](const auto& client) { return client->is_turned_away(); });
    return closed >= 60 - 16;
  }));
  done.set_value();
}

}  // namespace
}  // namespace mcph
