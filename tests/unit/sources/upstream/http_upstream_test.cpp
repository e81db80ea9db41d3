#include "sources/upstream/http_upstream.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sources/upstream/client_token.hpp"
#include "sources/upstream/sse_upstream.hpp"
#include "support/eventually.hpp"
#include "support/scripted_server.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using Connection = test::ScriptedServer::Connection;

// All that is told, one line each, but for the failure of what has its answer.
class Listener final : public UpstreamListener {
 public:
  // A message of more bytes is kept until it is let go.
  void keep_longer_than(std::size_t bytes) { kept_ = bytes; }
  bool is_keeping() const { return is_keeping_; }
  void let_go() { let_go_.set_value(); }

  void message_came(std::string_view text, std::optional<std::string_view> stream_of) override {
    if (text.size() > kept_) {
      is_keeping_ = true;
      is_let_go_.wait();
    }
    const bool is_answer = stream_of && text.find("\"id\":" + std::string(*stream_of) + ",") != std::string::npos;
    note(std::string(text) + of(stream_of), is_answer ? *stream_of : "");
  }
  void message_refused(Error why, std::optional<std::string_view> stream_of) override {
    note("refused" + of(stream_of) + ": " + why.message, stream_of.value_or(""));
  }
  void request_failed(std::string_view id, UpstreamFailure why) override {
    {
      const std::lock_guard lock(mutex_);
      if (answered_.erase(std::string(id)) > 0) return;
    }
    {
      const std::lock_guard lock(mutex_);
      last_failure_ = why.error.message;
    }
    note("failed " + std::string(id) + (why.session_is_gone ? ", session gone" : "") +
         (why.may_have_run ? ", may have run" : "") + ": " + tail(why.error));
  }
  void ended(Error why) override { note("ended: " + tail(why)); }

  // With the URL.
  std::string last_failure() {
    const std::lock_guard lock(mutex_);
    return last_failure_;
  }
  // The next line.
  std::string next() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, test::patience, [this] { return !lines_.empty(); })) return "nothing";
    auto line = lines_.front();
    lines_.erase(lines_.begin());
    return line;
  }

 private:
  static std::string of(std::optional<std::string_view> stream) { return stream ? " of " + std::string(*stream) : ""; }
  // Without the URL.
  static std::string tail(const Error& why) { return why.message.substr(why.message.find(": ") + 2); }
  void note(std::string line, std::string_view answered = "") {
    const std::lock_guard lock(mutex_);
    if (!answered.empty()) answered_.emplace(answered);
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }

  std::atomic<std::size_t> kept_ = std::string::npos;
  std::atomic<bool> is_keeping_ = false;
  std::promise<void> let_go_;
  const std::shared_future<void> is_let_go_ = let_go_.get_future().share();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> answered_;
  std::vector<std::string> lines_;
  std::string last_failure_;
};

// A server of HTTP that answers each request with what a test says, and keeps what it was asked.
class Answering {
 public:
  using Answer = std::function<std::string(const std::string& request)>;

  explicit Answering(Answer script)
      : answer_(std::move(script)), server_([this](Connection& connection) {
          for (;;) {
            auto request = connection.hear_request();
            if (request.empty()) return;
            constexpr std::string_view field = "Content-Length: ";
            const auto at = request.find(field);
            if (at != std::string::npos)
              request += connection.hear_bytes(std::stoul(request.substr(at + field.size())));
            {
              const std::lock_guard lock(mutex_);
              requests_.push_back(request);
            }
            const auto answer = answer_(request);
            if (!connection.say(answer) || answer.find("Content-Length") == std::string::npos) return;
          }
        }) {}

  static std::string json(const std::string& body, const std::string& status = "200 OK",
                          const std::string& fields = "") {
    return typed("application/json", body, status, fields);
  }
  static std::string typed(const std::string& type, const std::string& body, const std::string& status = "200 OK",
                           const std::string& fields = "") {
    return "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\n" + fields +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  // That ends with the connection.
  static std::string events(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + body;
  }

  std::string url(const std::string& path = "/mcp") const { return server_.url(path); }
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  // Waits for so many.
  std::string request(std::size_t number) const {
    test::eventually([&] { return requests().size() > number; });
    const auto all = requests();
    return number < all.size() ? all[number] : "nothing";
  }

 private:
  const Answer answer_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  test::ScriptedServer server_;
};

std::string field(const std::string& request, const std::string& name) {
  const auto at = request.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const auto begin = at + name.size() + 4;
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

class HttpUpstreamTest : public ::testing::Test {
 protected:
  ~HttpUpstreamTest() override {
    if (upstream_) upstream_->close();
  }

  void connect(const std::string& url, HttpUpstreamSettings settings = {}) {
    settings.url = *read_http_url(url);
    settings.url_text = url;
    upstream_ = make_http_upstream(std::move(settings), loops_);
    const auto begun = upstream_->begin(listener_, test::patience);
    begun_ = begun.has_error() ? begun.error().message : "";
  }
  void request(const std::string& id, const std::string& method = "tools/call", bool is_modern = true) {
    send({.text = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + "\"}",
          .id = id,
          .method = method,
          .name = method == "tools/call" ? "say \u00e9" : "",
          .revision = method == "initialize" ? ""
                      : is_modern            ? "2026-07-28"
                                             : "2025-11-25",
          .is_modern = is_modern});
  }
  void notify(const std::string& method, bool is_modern = false) {
    send({.text = R"({"jsonrpc":"2.0","method":")" + method + "\"}",
          .kind = UpstreamMessageKind::notification,
          .method = method,
          .revision = is_modern ? "2026-07-28" : "2025-11-25",
          .is_modern = is_modern});
  }
  void send(UpstreamMessage message) {
    const auto sent = upstream_->send(std::move(message));
    EXPECT_FALSE(sent.has_error());
  }
  // What a modern request is told of an answer.
  std::string told(const std::string& answer) {
    const Answering server([&](const std::string&) { return answer; });
    connect(server.url());
    request("1");
    auto line = listener_->next();
    upstream_->close();
    return line;
  }

  EventLoops loops_{1, 4};
  std::shared_ptr<Listener> listener_ = std::make_shared<Listener>();
  std::shared_ptr<UpstreamTransport> upstream_;
  std::string begun_;
};

constexpr auto answer_1 = R"({"jsonrpc":"2.0","id":1,"result":{}})";

TEST_F(HttpUpstreamTest, SaysInFieldsWhatItSendsToAModernServer) {
  const Answering server([](const std::string&) { return Answering::json(answer_1); });
  connect(server.url("/mcp?a=b"), {.fields = {{"X-Key", "secret"}}});
  request("1");
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  const auto sent = server.request(0);
  EXPECT_EQ(sent.substr(0, sent.find('\r')), "POST /mcp?a=b HTTP/1.1");
  EXPECT_EQ(field(sent, "X-Key"), "secret");
  EXPECT_EQ(field(sent, "Accept"), "application/json, text/event-stream");
  EXPECT_EQ(field(sent, "Content-Type"), "application/json");
  EXPECT_EQ(field(sent, "MCP-Protocol-Version"), "2026-07-28");
  EXPECT_EQ(field(sent, "Mcp-Method"), "tools/call");
  EXPECT_EQ(field(sent, "Mcp-Name"), "=?base64?c2F5IMOp?=");
}

TEST_F(HttpUpstreamTest, ReadsAStreamOfEvents) {
  const std::string note = R"({"jsonrpc":"2.0","method":"notifications/progress"})";
  const Answering server([&](const std::string&) {
    return Answering::events(": hello\n\ndata: " + note + "\n\nevent: message\ndata: " + answer_1 + "\n\n");
  });
  connect(server.url());
  request("1");
  EXPECT_EQ(listener_->next(), note + " of 1");
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
}

TEST_F(HttpUpstreamTest, SaysWhyARequestHasNoAnswer) {
  EXPECT_EQ(told(Answering::json("", "202 Accepted")), "failed 1: it answers a request with nothing (HTTP status 202)");
  EXPECT_EQ(told(Answering::events("data: {\"method\":\"x\"}")),
            "failed 1: its stream ended before the answer had come");
  EXPECT_EQ(told(Answering::json("{}", "401 Unauthorized")),
            "failed 1: it answers with the HTTP status 401: it wants credentials, or other ones; write them in "
            "\"headers\" or \"oauth\"");
  EXPECT_EQ(told(Answering::json("{}", "403 Forbidden", "WWW-Authenticate: Bearer scope=\"a b\"\r\n")),
            "failed 1: it answers with the HTTP status 403: the credentials do not allow this; it wants the scope a b");
  for (const auto* const location : {"http://169.254.169.254/latest", "file:///etc/passwd"}) {
    EXPECT_EQ(told(Answering::json("", "307 Moved", std::string("Location: ") + location + "\r\n")),
              "failed 1: it answers with the HTTP status 307: it wants to be asked elsewhere, and no redirect is "
              "followed; write the URL that it redirects to");
  }
  EXPECT_EQ(told(Answering::json("busy", "503 Busy")), "failed 1: it answers with the HTTP status 503 (busy)");
}

TEST_F(HttpUpstreamTest, LetsNoRequestWaitWhoseAnswerFitsNot) {
  const std::string no_answer = "failed 1: what it answers is no answer to the request (HTTP status 200)";
  for (const std::string text :
       {R"({"jsonrpc":"2.0","id":2,"result":{}})", R"({"jsonrpc":"2.0","method":"x"})", "nothing"}) {
    const Answering server([&](const std::string&) { return Answering::json(text); });
    connect(server.url());
    request("1");
    EXPECT_EQ(listener_->next(), text + " of 1");
    EXPECT_EQ(listener_->next(), no_answer);
    upstream_->close();
  }
  const std::string other = R"({"jsonrpc":"2.0","id":2,"result":{}})";
  const Answering streams([&](const std::string&) { return Answering::events("data: " + other + "\n\n"); });
  connect(streams.url());
  request("1");
  EXPECT_EQ(listener_->next(), other + " of 1");
  EXPECT_EQ(listener_->next(), "failed 1: its stream ended before the answer had come");
  EXPECT_EQ(told(Answering::json("")), "failed 1: it answers a request with nothing (HTTP status 200)");
  EXPECT_EQ(told(Answering::json("", "204 No Content")),
            "failed 1: it answers a request with nothing (HTTP status 204)");
}

TEST_F(HttpUpstreamTest, ReadsWhatHasTheRightMediaTypeWhateverItsCase) {
  const auto answer = std::string(answer_1) + " of 1";
  EXPECT_EQ(told(Answering::typed("Application/JSON; charset=utf-8", answer_1)), answer);
  EXPECT_EQ(told(Answering::typed("Text/Event-Stream;charset=utf-8", "data: " + std::string(answer_1) + "\n\n")),
            answer);
  EXPECT_EQ(told(Answering::typed("", answer_1)), answer);
  EXPECT_EQ(told(Answering::typed("application/jsonx", answer_1)),
            "failed 1: it answers with \"application/jsonx\", which is neither JSON nor an event stream (HTTP status "
            "200)");
  EXPECT_EQ(told(Answering::typed("text/event-streams", answer_1)),
            "failed 1: it answers with \"text/event-streams\", which is neither JSON nor an event stream (HTTP status "
            "200)");
  EXPECT_EQ(told(Answering::json(answer_1, "200 OK", "Content-Encoding: gzip\r\n")),
            "failed 1: it answers in the coding \"gzip\", which nobody has asked for (HTTP status 200)");
}

TEST_F(HttpUpstreamTest, TellsNobodyTheQueryOfItsUrl) {
  const Answering server([](const std::string&) { return Answering::json("{}", "500 Broken"); });
  connect(server.url("/mcp?key=secret"));
  request("1");
  EXPECT_EQ(listener_->next(), "failed 1: it answers with the HTTP status 500");
  EXPECT_EQ(listener_->last_failure(), server.url("/mcp") + ": it answers with the HTTP status 500");
}

TEST_F(HttpUpstreamTest, ReadsALongAnswerWithoutKeepingOthersWaiting) {
  const std::string filling(std::size_t{1} << 20, 'x');
  const Answering server([&](const std::string& request) {
    const auto id = request.find("\"id\":1,") != std::string::npos ? "1" : "2";
    const auto text =
        std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"result":{"a":")" + (id[0] == '1' ? filling : "") + "\"}}";
    return field(request, "Mcp-Method") == "stream" ? Answering::events("data: " + text + "\n\n")
                                                    : Answering::json(text);
  });
  for (const auto* const method : {"text", "stream"}) {
    listener_ = std::make_shared<Listener>();
    listener_->keep_longer_than(1000);
    connect(server.url());
    request("1", method);
    EXPECT_TRUE(test::eventually([&] { return listener_->is_keeping(); }));
    request("2", method);
    EXPECT_EQ(listener_->next(), R"({"jsonrpc":"2.0","id":2,"result":{"a":""}} of 2)");
    listener_->let_go();
    EXPECT_GT(listener_->next().size(), filling.size());
    upstream_->close();
  }
}

TEST_F(HttpUpstreamTest, TellsLongAndShortMessagesOfAStreamInTheirOrder) {
  constexpr int rounds = 20;
  const std::string filling(std::size_t{200} << 10, 'x');
  const Answering server([&](const std::string&) {
    std::string all;
    for (int i = 0; i < rounds; ++i) {
      for (const std::string& size : {std::string(), filling})
        all += "data: {\"method\":\"" + std::to_string(i) + "\",\"params\":{\"a\":\"" + size + "\"}}\n\n";
    }
    return Answering::events(all + "data: " + answer_1 + "\n\n");
  });
  connect(server.url());
  request("1");
  for (int i = 0; i < rounds; ++i) {
    const auto begin = "{\"method\":\"" + std::to_string(i) + "\",\"params\":{\"a\":\"";
    EXPECT_TRUE(listener_->next().starts_with(begin + "\""));
    EXPECT_TRUE(listener_->next().starts_with(begin + "x"));
  }
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
}

TEST_F(HttpUpstreamTest, HearsNoAnswerWithoutEndToItsEnd) {
  const test::ScriptedServer server([](Connection& connection) {
    const bool is_stream = connection.hear("}").find("stream") != std::string::npos;
    connection.say(std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: ") +
                   (is_stream ? "text/event-stream\r\n\r\n6\r\ndata: \r\n" : "application/json\r\n\r\n"));
    while (connection.say("10\r\n0123456789abcdef\r\n")) {
    }
  });
  connect(server.url(), {.max_message_bytes = 100'000});
  request("1", "text");
  EXPECT_EQ(listener_->next(), "refused of 1: sent a message of more than 100000 bytes");
  request("2", "stream");
  EXPECT_EQ(listener_->next(), "refused of 2: sent a message of more than 100000 bytes");
  EXPECT_TRUE(test::eventually([&] { return server.has_closed_all(); }));
}

TEST(HttpUpstreamPauseTest, IsNeverNone) {
  using ms = std::chrono::milliseconds;
  EXPECT_EQ(pause_before_reconnecting(0, std::nullopt), ms(1000));
  EXPECT_EQ(pause_before_reconnecting(0, ms(5000)), ms(5000));
  EXPECT_EQ(pause_before_reconnecting(0, ms(0)), ms(100));
  EXPECT_EQ(pause_before_reconnecting(3, ms(0)), ms(800));
  EXPECT_EQ(pause_before_reconnecting(5, std::nullopt), ms(30'000));
  EXPECT_EQ(pause_before_reconnecting(5, ms(60'000)), ms(60'000));
}

TEST_F(HttpUpstreamTest, TellsAnErrorInARefusalAsTheAnswer) {
  const std::string error = R"("error":{"code":-32022,"message":"no"})";
  EXPECT_EQ(told(Answering::json(R"({"jsonrpc":"2.0","id":null,)" + error + "}", "400 Bad Request")),
            R"({"error":{"code":-32022,"message":"no"},"id":1,"jsonrpc":"2.0"} of 1)");
}

TEST_F(HttpUpstreamTest, RefusesWhatIsTooLong) {
  const Answering server([](const std::string& request) {
    const auto text = std::string(answer_1) + std::string(100, ' ');
    return field(request, "Mcp-Method") == "stream" ? Answering::events("data: " + text + "\n\n")
                                                    : Answering::json(text);
  });
  connect(server.url(), {.max_message_bytes = 100});
  request("1", "text");
  EXPECT_EQ(listener_->next(), "refused of 1: sent a message of more than 100 bytes");
  request("2", "stream");
  EXPECT_EQ(listener_->next(), "refused of 2: sent a message of more than 100 bytes");
}

TEST_F(HttpUpstreamTest, HasASessionAndEndsIt) {
  const Answering server([](const std::string& request) {
    if (request.starts_with("GET")) return Answering::json("", "405 Method Not Allowed");
    if (request.find("initialized") != std::string::npos) return Answering::json("", "202 Accepted");
    return Answering::json(answer_1, "200 OK", "Mcp-Session-Id: abc\r\n");
  });
  connect(server.url());
  request("1", "initialize", false);
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  EXPECT_EQ(field(server.request(0), "MCP-Protocol-Version"), "");
  notify("notifications/initialized");
  EXPECT_EQ(field(server.request(1), "Mcp-Session-Id"), "abc");
  EXPECT_EQ(server.request(2).substr(0, 4), "GET ");
  EXPECT_EQ(field(server.request(2), "Accept"), "text/event-stream");
  EXPECT_EQ(field(server.request(2), "Mcp-Session-Id"), "abc");
  upstream_->close();
  EXPECT_EQ(server.request(3).substr(0, 7), "DELETE ");
  EXPECT_EQ(field(server.request(3), "Mcp-Session-Id"), "abc");
  EXPECT_EQ(field(server.request(3), "MCP-Protocol-Version"), "2025-11-25");
}

TEST_F(HttpUpstreamTest, SaysWhenTheSessionIsGone) {
  const Answering server([](const std::string& request) {
    const bool begins = request.find("initialize") != std::string::npos;
    return begins
               ? Answering::json(answer_1, "200 OK", "Mcp-Session-Id: abc\r\n")
               : Answering::json(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}})",
                                 "404 Not Found");
  });
  connect(server.url());
  request("1", "initialize", false);
  listener_->next();
  request("2", "tools/list", false);
  EXPECT_EQ(listener_->next(), "failed 2, session gone: it does not know the session any more");
}

TEST_F(HttpUpstreamTest, ContinuesAStreamWhereItBroke) {
  const Answering server([](const std::string& request) {
    if (request.starts_with("POST")) return Answering::events("id: 1\nretry: 1\ndata:\n\n");
    const auto last = field(request, "Last-Event-ID");
    if (last == "1") return Answering::events("id: 2\ndata: {\"method\":\"x\"}\n\nid: 3\ndata: half");
    return Answering::events("id: 3\ndata: " + std::string(answer_1) + "\n\n");
  });
  connect(server.url());
  request("1", "tools/call", false);
  EXPECT_EQ(listener_->next(), "{\"method\":\"x\"} of 1");
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  EXPECT_EQ(field(server.request(2), "Last-Event-ID"), "2");
}

// The server was started anew while it was at the call.
TEST_F(HttpUpstreamTest, SaysThatACallMayHaveRunWhoseStreamItsSessionIsGoneFor) {
  const Answering server([](const std::string& request) {
    if (request.starts_with("GET")) return Answering::json("", "404 Not Found");
    if (field(request, "Mcp-Session-Id").empty()) return Answering::json(answer_1, "200 OK", "Mcp-Session-Id: s\r\n");
    return Answering::events("id: 1\nretry: 1\ndata:\n\n");
  });
  connect(server.url());
  request("1", "initialize", false);
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  request("2", "tools/call", false);
  EXPECT_EQ(listener_->next(), "failed 2, session gone, may have run: it does not know the session any more");
}

TEST_F(HttpUpstreamTest, ContinuesAStreamThatIsEndedAgainAndAgainOrNotThereForNow) {
  std::atomic<int> continued = 0;
  const Answering server([&](const std::string& request) {
    if (request.starts_with("POST")) return Answering::events("id: 1\nretry: 1\ndata:\n\n");
    const auto count = ++continued;
    if (count == 3) return Answering::json("", "503 Service Unavailable");
    return Answering::events(count < 10 ? ": nothing yet\n\n" : "data: " + std::string(answer_1) + "\n\n");
  });
  connect(server.url());
  request("1", "tools/call", false);
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
}

TEST_F(HttpUpstreamTest, HearsAgainWhereAServerDoesNotKnowTheLastEventAnyMore) {
  const Answering server([](const std::string& request) {
    if (request.starts_with("POST")) return Answering::json("", "202 Accepted");
    if (!field(request, "Last-Event-ID").empty()) return Answering::json("", "400 Bad Request");
    return Answering::events("retry: 1\nid: 7\ndata: {\"method\":\"a\"}\n\n");
  });
  connect(server.url());
  notify("notifications/initialized");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(listener_->next(), "{\"method\":\"a\"}");
}

TEST_F(HttpUpstreamTest, TakesALongSessionIdAndSaysWhichItDoesNotTake) {
  std::string id(5000, 'x');
  const Answering server(
      [&](const std::string&) { return Answering::json(answer_1, "200 OK", "Mcp-Session-Id: " + id + "\r\n"); });
  connect(server.url());
  request("1", "initialize", false);
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  request("1", "tools/list", false);
  listener_->next();
  EXPECT_EQ(field(server.request(1), "Mcp-Session-Id"), id);
  upstream_->close();
  id.assign(9000, 'x');
  connect(server.url());
  request("1", "initialize", false);
  EXPECT_EQ(listener_->next(), "failed 1: it gives the session an id of more than 8192 bytes (HTTP status 200)");
}

TEST_F(HttpUpstreamTest, SaysWhatAServerOfHttpAndSseIsCalled) {
  const Answering server([](const std::string&) { return Answering::json("", "405 Method Not Allowed"); });
  connect(server.url());
  request("1", "initialize", false);
  EXPECT_EQ(listener_->next(),
            "failed 1: it answers with the HTTP status 405; if it speaks the older HTTP+SSE, write \"type\": \"sse\"");
}

TEST_F(HttpUpstreamTest, GivesUpAStreamThatCannotBeContinued) {
  const Answering server([](const std::string& request) {
    return request.starts_with("POST") ? Answering::events("id: 1\nretry: 1\ndata:\n\n")
                                       : Answering::json("", "400 Bad Request");
  });
  connect(server.url());
  request("1", "tools/call", false);
  EXPECT_EQ(listener_->next(), "failed 1: it answers with the HTTP status 400");
}

TEST_F(HttpUpstreamTest, HearsWhatAServerSaysUnaskedAndAsksAgainWhereThatBreaks) {
  const Answering server([](const std::string& request) {
    if (request.starts_with("POST")) return Answering::json("", "202 Accepted");
    return field(request, "Last-Event-ID").empty() ? Answering::events("retry: 1\nid: 7\ndata: {\"method\":\"a\"}\n\n")
                                                   : Answering::events("data: {\"method\":\"b\"}\n\n");
  });
  connect(server.url());
  notify("notifications/initialized");
  EXPECT_EQ(listener_->next(), "{\"method\":\"a\"}");
  EXPECT_EQ(listener_->next(), "{\"method\":\"b\"}");
}

TEST_F(HttpUpstreamTest, ClosesTheStreamOfWhatIsAbandoned) {
  std::atomic<bool> is_closed = false;
  const test::ScriptedServer server([&](Connection& connection) {
    connection.hear("}");
    connection.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"method\":\"x\"}\n\n");
    connection.hear("never");
    is_closed = true;
  });
  connect(server.url());
  request("1");
  EXPECT_EQ(listener_->next(), "{\"method\":\"x\"} of 1");
  notify("notifications/cancelled", true);
  upstream_->abandon("1");
  EXPECT_TRUE(test::eventually([&] { return is_closed.load(); }));
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpUpstreamTest, FetchesATokenOnceAndAnewWhenItIsRefused) {
  std::atomic<int> tokens = 0;
  std::atomic<bool> first_is_good = true;
  const Answering issuer([&](const std::string&) {
    const auto number = std::to_string(++tokens);
    return Answering::json(R"({"access_token":"t)" + number + R"(","token_type":"bearer","expires_in":3600})");
  });
  const Answering server([&](const std::string& request) {
    const auto credential = field(request, "Authorization");
    const bool is_good = credential == "Bearer t2" || (credential == "Bearer t1" && first_is_good);
    return is_good ? Answering::json(answer_1) : Answering::json("{}", "401 Unauthorized");
  });
  connect(server.url(), {.credentials = ClientCredentials{issuer.url("/token"), "", "me", "s:cret", "a b"}});
  for (int i = 0; i < 2; ++i) {
    request("1");
    EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  }
  EXPECT_EQ(tokens, 1);
  first_is_good = false;
  request("1");
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  EXPECT_EQ(tokens, 2);
  const auto asked = issuer.request(0);
  EXPECT_EQ(field(asked, "Authorization"), "Basic bWU6cyUzQWNyZXQ=");
  EXPECT_NE(asked.find("grant_type=client_credentials&resource=http%3A%2F%2F127.0.0.1"), std::string::npos) << asked;
  EXPECT_NE(asked.find("&scope=a%20b"), std::string::npos) << asked;
}

TEST_F(HttpUpstreamTest, HearsNoRefusalOfATokenToItsEnd) {
  std::atomic<int> tokens = 0;
  const Answering issuer([&](const std::string&) {
    return Answering::json(R"({"access_token":"t)" + std::to_string(++tokens) + R"(","token_type":"bearer"})");
  });
  const test::ScriptedServer server([](Connection& connection) {
    const bool is_good = field(connection.hear_request(), "Authorization") == "Bearer t2";
    if (is_good) connection.say(Answering::json(answer_1));
    if (!is_good) connection.say("HTTP/1.1 401 Unauthorized\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (connection.say("10\r\n0123456789abcdef\r\n")) {
    }
  });
  connect(server.url(), {.credentials = ClientCredentials{issuer.url("/token"), "", "me", "secret", ""}});
  request("1");
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
}

// An upstream that wants a token, and says who issues one.
class HttpUpstreamTokenTest : public HttpUpstreamTest {
 protected:
  // What a request is told, and where `resource` is what the metadata say that they are of. `named` is what they say
  // that the issuer is, `issuer_says` what the issuer says of itself.
  std::string told_of(const std::string& named, const std::string& issuer_says, const std::string& resource) {
    named_ = named;
    issuer_says_ = issuer_says;
    resource_ = resource;
    connect(server_.url("/mcp?key=k"),
            {.credentials = ClientCredentials{"", issuer_.url("/tenant"), "me", "secret", ""}});
    request("1");
    auto line = listener_->next();
    upstream_->close();
    return line;
  }
  std::string no_token(const std::string& where, const std::string& why) {
    return "failed 1: there is no token for it: " + where + ": " + why;
  }
  bool the_secret_was_sent() const {
    const auto all = issuer_.requests();
    return std::ranges::any_of(all, [](const std::string& request) { return request.starts_with("POST"); });
  }

  std::string named_;
  std::string issuer_says_;
  std::string resource_;
  std::string wanted_;     // of the challenge
  std::string forbidden_;  // what the issuer refuses to be asked for; empty: nothing
  const Answering issuer_{[this](const std::string& request) {
    if (request.starts_with("GET /.well-known/oauth-authorization-server/tenant "))
      return Answering::json(R"({"issuer":")" + issuer_says_ + R"(","token_endpoint":")" + issuer_says_ +
                             R"(/token","token_endpoint_auth_methods_supported":["client_secret_post"]})");
    if (request.starts_with("POST /tenant/token ") && !forbidden_.empty() &&
        request.find(forbidden_) != std::string::npos)
      return Answering::json(R"({"error":"invalid_scope"})", "400 Bad Request");
    if (request.starts_with("POST /tenant/token "))
      return Answering::json(R"({"access_token":"t","token_type":"Bearer"})");
    return Answering::json("", "404 Not Found");
  }};
  const Answering server_{[this](const std::string& request) {
    if (request.starts_with("GET /elsewhere "))
      return Answering::json(R"({"resource":")" + resource_ + R"(","authorization_servers":["https://a.example",")" +
                             named_ + R"("],"scopes_supported":["read","write"]})");
    if (field(request, "Authorization") == "Bearer t") return Answering::json(answer_1);
    return Answering::json("{}", "401 Unauthorized",
                           "WWW-Authenticate: Bearer realm=\"x\", resource_metadata=\"" + server_.url("/elsewhere") +
                               "\"" + wanted_ + "\r\n");
  }};
};

TEST_F(HttpUpstreamTokenTest, AsksTheIssuerThatTheOperatorHasNamed) {
  const auto issuer = issuer_.url("/tenant");
  EXPECT_EQ(told_of(issuer, issuer, server_.url()), std::string(answer_1) + " of 1");
  const auto asked = issuer_.request(1);
  EXPECT_NE(asked.find("&client_id=me&client_secret=secret"), std::string::npos);
  EXPECT_EQ(asked.find("key"), std::string::npos) << asked;
}

TEST_F(HttpUpstreamTokenTest, AsksForTheScopeThatIsWantedOrForAllThatThereAre) {
  const auto issuer = issuer_.url("/tenant");
  told_of(issuer, issuer, server_.url());
  EXPECT_NE(issuer_.request(1).find("&scope=read%20write"), std::string::npos) << issuer_.request(1);
  wanted_ = ", scope=\"read\"";
  told_of(issuer, issuer, server_.url());
  EXPECT_TRUE(issuer_.request(3).ends_with("&scope=read&client_id=me&client_secret=secret")) << issuer_.request(3);
}

TEST_F(HttpUpstreamTokenTest, AsksForNoScopeWhereItMayNotHaveAllThatThereAre) {
  const auto issuer = issuer_.url("/tenant");
  forbidden_ = "&scope=read%20write";
  EXPECT_EQ(told_of(issuer, issuer, server_.url()), std::string(answer_1) + " of 1");
  EXPECT_EQ(issuer_.request(2).find("scope="), std::string::npos) << issuer_.request(2);
}

TEST_F(HttpUpstreamTokenTest, SendsTheSecretToNobodyElse) {
  const auto issuer = issuer_.url("/tenant");
  for (const auto& other : {issuer_.url("/other"), issuer + "/", std::string("https://evil.example")}) {
    EXPECT_EQ(told_of(other, other, server_.url()),
              no_token(server_.url("/elsewhere"),
                       R"(its authorization_servers do not have the "issuer" that "oauth" names, )" + issuer));
  }
  EXPECT_TRUE(issuer_.requests().empty());
  EXPECT_NE(told_of(issuer, issuer_.url("/other"), server_.url())
                .find("it is the metadata of another issuer than " + issuer + ", which \"oauth\" names"),
            std::string::npos);
  EXPECT_FALSE(the_secret_was_sent());
}

TEST_F(HttpUpstreamTokenTest, TakesNoMetadataOfAnotherResource) {
  const auto issuer = issuer_.url("/tenant");
  for (const auto& resource : {server_.url("/"), server_.url("/mcp2"), server_.url("/mcp/more"), server_.url("/MCP"),
                               server_.url("/mcp?key=other"), std::string("https://a.example/mcp")}) {
    EXPECT_EQ(told_of(issuer, issuer, resource),
              no_token(server_.url("/elsewhere"), "it is the metadata of another resource than " + server_.url()))
        << resource;
  }
  EXPECT_FALSE(the_secret_was_sent());
  EXPECT_EQ(told_of(issuer, issuer, server_.url("/mcp?key=k")), std::string(answer_1) + " of 1");
}

TEST_F(HttpUpstreamTest, AsksNobodyWhomAnotherOriginNames) {
  const Answering elsewhere([](const std::string&) { return Answering::json("{}"); });
  const Answering server([&](const std::string& request) {
    if (request.starts_with("GET")) return Answering::json("", "404 Not Found");
    return Answering::json("{}", "401 Unauthorized",
                           "WWW-Authenticate: Bearer resource_metadata=\"" + elsewhere.url() + "\"\r\n");
  });
  connect(server.url(), {.credentials = ClientCredentials{"", elsewhere.url(), "me", "secret", ""}});
  request("1");
  const auto line = listener_->next();
  EXPECT_NE(line.find("there is no token for it"), std::string::npos) << line;
  EXPECT_NE(line.find("it answers with the HTTP status 404"), std::string::npos) << line;
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST_F(HttpUpstreamTest, SpeaksHttpWithSse) {
  const std::string filling(100'000, ' ');
  std::atomic<bool> is_asked = false;
  const test::ScriptedServer streams([&](Connection& connection) {
    const auto request = connection.hear_request();
    if (request.starts_with("POST /messages?session=1 ")) {
      connection.hear("}");
      is_asked = true;
      return connection.answer("");
    }
    connection.say(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: endpoint\ndata: "
        "/messages?session=1\n\n");
    test::eventually([&] { return is_asked.load(); });
    connection.say("event: message\ndata: " + std::string(answer_1) + filling + "\n\n");
    connection.say("event: message\ndata: " + std::string(answer_1) + "\n\n");
  });
  connect(streams.url("/sse"), {.sse = true});
  EXPECT_EQ(begun_, "");
  request("1", "tools/list", false);
  EXPECT_EQ(listener_->next(), answer_1 + filling);
  EXPECT_EQ(listener_->next(), answer_1);
  EXPECT_EQ(listener_->next(), "ended: it ended its event stream");
}

// The stream of HTTP+SSE, as long as it is wanted.
void say_endpoint(Connection& connection, const std::atomic<bool>& may_end) {
  connection.say(Answering::events("event: endpoint\ndata: /messages\n\n"));
  test::eventually([&] { return may_end.load(); });
}

TEST_F(HttpUpstreamTest, SaysTheRevisionOverHttpWithSseSinceThatIsDone) {
  for (const std::string revision : {"2025-06-18", "2024-11-05"}) {
    Mutex mutex;
    std::vector<std::string> posts;
    std::atomic<bool> may_end = false;
    const test::ScriptedServer server([&](Connection& connection) {
      const auto request = connection.hear_request();
      if (request.starts_with("GET ")) return say_endpoint(connection, may_end);
      const MutexLock lock(mutex);
      posts.push_back(field(request, "MCP-Protocol-Version"));
      connection.answer("");
    });
    connect(server.url("/sse"), {.sse = true});
    const auto post = [&](const char* method, const std::string& agreed) {
      const auto before = [&] {
        const MutexLock lock(mutex);
        return posts.size();
      }();
      send({.text = "{}", .kind = UpstreamMessageKind::notification, .method = method, .revision = agreed});
      EXPECT_TRUE(test::eventually([&] {
        const MutexLock lock(mutex);
        return posts.size() > before;
      }));
    };
    post("initialize", "");
    post("notifications/initialized", revision);
    // What answers a question does not say it.
    post("", "");
    const std::string said = revision == "2025-06-18" ? revision : "";
    EXPECT_EQ(posts, (std::vector<std::string>{"", said, said}));
    may_end = true;
    upstream_->close();
  }
}

TEST_F(HttpUpstreamTest, SaysWhenANotificationHasBeenTaken) {
  for (const bool is_sse : {false, true}) {
    for (const std::string status : {"202 Accepted", "500 Broken"}) {
      std::atomic<bool> is_asked = false;
      std::atomic<bool> may_answer = false;
      std::atomic<bool> may_end = false;
      const test::ScriptedServer server([&](Connection& connection) {
        const auto request = connection.hear_request();
        if (request.starts_with("GET ")) return say_endpoint(connection, may_end);
        connection.hear("}");
        is_asked = true;
        test::eventually([&] { return may_answer.load(); });
        connection.say(Answering::json("", status));
      });
      connect(server.url("/mcp"), {.sse = is_sse});
      const auto is_taken = std::make_shared<std::atomic<bool>>(false);
      send({.text = "{}",
            .kind = UpstreamMessageKind::notification,
            .method = "notifications/initialized",
            .revision = "2025-11-25",
            .taken = [is_taken] { *is_taken = true; }});
      EXPECT_TRUE(test::eventually([&] { return is_asked.load(); }));
      EXPECT_FALSE(*is_taken);
      may_answer = true;
      EXPECT_TRUE(test::eventually([&] { return is_taken->load(); }));
      may_end = true;
      upstream_->close();
    }
  }
}

TEST_F(HttpUpstreamTest, PostsToNoOtherOrigin) {
  for (const auto* const endpoint : {"http://169.254.169.254/x", "//169.254.169.254/x", "http://127.0.0.1:1/x",
                                     "file:///etc/passwd", "javascript:x"}) {
    const Answering server([&](const std::string&) {
      return Answering::events(std::string("event: endpoint\ndata: ") + endpoint + "\n\n");
    });
    connect(server.url("/sse"), {.sse = true});
    const bool is_path = std::string_view(endpoint).find('/') == std::string_view::npos;
    EXPECT_EQ(begun_, is_path ? ""
                              : server.url("/sse") +
                                    ": it wants messages sent to another origin, which no upstream may: " + endpoint);
    upstream_->close();
  }
}

TEST(HttpUpstreamReferenceTest, IsResolvedAgainstTheUrl) {
  const auto base = *read_http_url("http://localhost:8080/a/sse?x=1");
  EXPECT_EQ(resolve_http_url(base, "/messages")->target, "/messages");
  EXPECT_EQ(resolve_http_url(base, "messages?s=1")->target, "/a/messages?s=1");
  EXPECT_EQ(resolve_http_url(base, "?s=1")->target, "/a/sse?s=1");
  EXPECT_EQ(resolve_http_url(base, "../messages?to=../x")->target, "/messages?to=../x");
  EXPECT_EQ(resolve_http_url(base, "./b/./../c/..")->target, "/a/");
  EXPECT_EQ(resolve_http_url(base, "../../../m")->target, "/m");
  EXPECT_EQ(resolve_http_url(base, "/x/../.hidden/..m/.")->target, "/.hidden/..m/");
  EXPECT_EQ(resolve_http_url(base, "http://localhost:8080/m")->target, "/m");
  EXPECT_EQ(resolve_http_url(base, "//localhost:8080/m")->target, "/m");
}

TEST(HttpUpstreamResponseTest, IsKnownByItsMembers) {
  EXPECT_TRUE(is_response(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  EXPECT_TRUE(is_response(R"({"error" : {"code":1},"id":1})"));
  EXPECT_FALSE(is_response(R"({"jsonrpc":"2.0","id":1,"method":"result","params":{"result":1}})"));
  EXPECT_FALSE(is_response(R"({"a":{"result":1},"b":["error"],"c\"result":1})"));
  EXPECT_FALSE(is_response("nothing"));
}

TEST(ChallengeTest, HasParameters) {
  const std::string_view challenges = R"(Basic realm="a", Bearer error="x\"y", scope="a b", resource_metadata=z)";
  EXPECT_EQ(challenge_parameter(challenges, "scope"), "a b");
  EXPECT_EQ(challenge_parameter(challenges, "error"), "x\"y");
  EXPECT_EQ(challenge_parameter(challenges, "resource_metadata"), "z");
  EXPECT_EQ(challenge_parameter(challenges, "metadata"), "");
}

}  // namespace
}  // namespace mcph
