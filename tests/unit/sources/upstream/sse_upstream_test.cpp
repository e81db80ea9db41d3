#include "sources/upstream/sse_upstream.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/mutex.hpp"
#include "support/http_upstream_fixture.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using test::answer_1;
using test::Answering;
using test::field;
using Connection = test::ScriptedServer::Connection;

class SseUpstreamTest : public test::HttpUpstreamFixture {};

TEST_F(SseUpstreamTest, SpeaksHttpWithSse) {
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
  request("1", Method::tools_list, false);
  EXPECT_EQ(listener_->next(), answer_1 + filling);
  EXPECT_EQ(listener_->next(), answer_1);
  EXPECT_EQ(listener_->next(), "ended: it ended its event stream");
}

// The stream of HTTP+SSE, as long as it is wanted.
void say_endpoint(Connection& connection, const std::atomic<bool>& may_end) {
  connection.say(Answering::events("event: endpoint\ndata: /messages\n\n"));
  test::eventually([&] { return may_end.load(); });
}

TEST_F(SseUpstreamTest, SaysTheRevisionOverHttpWithSseSinceThatIsDone) {
  for (const std::string revision : {"2025-06-18", "2024-11-05"}) {
    Mutex mutex;
    std::vector<std::string> posts;
    std::atomic<bool> may_end = false;
    const test::ScriptedServer server([&](Connection& connection) {
      const auto request = connection.hear_request();
      if (request.starts_with("GET ")) return say_endpoint(connection, may_end);
      connection.hear_bytes(2);
      const MutexLock lock(mutex);
      posts.push_back(field(request, "MCP-Protocol-Version"));
      // Else the next one could go to a connection that has just ended.
      connection.say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    });
    connect(server.url("/sse"), {.sse = true});
    const auto post = [&](std::optional<Method> method, const std::string& agreed) {
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
    post(Method::initialize, "");
    post(Method::notifications_initialized, revision);
    // What answers an input request does not say it.
    post(std::nullopt, "");
    const std::string said = revision == "2025-06-18" ? revision : "";
    EXPECT_EQ(posts, (std::vector<std::string>{"", said, said}));
    may_end = true;
    upstream_->close();
  }
}

TEST_F(SseUpstreamTest, SaysWhenANotificationHasBeenTakenOrWhyItIsNot) {
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
      connect(server.url(is_sse ? "/sse" : "/mcp"), {.sse = is_sse});
      const auto outcome = std::make_shared<std::promise<std::string>>();
      auto taken = outcome->get_future();
      send({.text = "{}",
            .kind = UpstreamMessageKind::notification,
            .method = Method::notifications_initialized,
            .revision = "2025-11-25",
            .taken = [outcome, is_first = true](const Result<>& how) mutable {
              if (std::exchange(is_first, false)) outcome->set_value(how.has_value() ? "taken" : how.error().message);
            }});
      EXPECT_TRUE(test::eventually([&] { return is_asked.load(); }));
      EXPECT_EQ(taken.wait_for(0s), std::future_status::timeout);
      may_answer = true;
      ASSERT_EQ(taken.wait_for(test::patience), std::future_status::ready);
      const auto where = server.url(is_sse ? "/sse" : "/mcp");
      EXPECT_EQ(taken.get(), status == "202 Accepted" ? "taken" : where + ": it answers with the HTTP status 500");
      may_end = true;
      upstream_->close();
    }
  }
}

TEST_F(SseUpstreamTest, PostsToNoOtherOrigin) {
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

TEST(SseUpstreamReferenceTest, IsResolvedAgainstTheUrl) {
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

}  // namespace
}  // namespace mcph
