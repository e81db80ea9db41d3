// What belongs to a principal is nobody else's, whoever knows its id: to another principal, and to a client that has
// proven nothing, it is as if there were no such thing. A middleware takes the principal from a header.
#include <chrono>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "http/server.hpp"
#include "support/principals.hpp"
#include "support/raw_client.hpp"
#include "support/server_fixture.hpp"
#include "transport/streamable_http/mcp_service.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using Client = test::RawClient;

HttpVerdict take_principal_from_header(HttpRequest& request) {
  const auto names = lines_of(request.all_fields, "X-Principal");
  if (!names.empty()) request.principal = test::principal(names.front());
  return {};
}

// Of the result of a response, which may be the only event of a stream.
std::string member(const std::string& response, const std::string& name) {
  const auto begin = response.find('{');
  return Json::parse(response.substr(begin, response.find('\n', begin) - begin))
      .value("result", Json::object())
      .value(name, "");
}

// "bob", or nobody in particular.
class TheftTest : public test::ServerFixture, public ::testing::WithParamInterface<const char*> {
 protected:
  TheftTest() {
    publish(R"({"tools": [
        {"name": "add", "inputSchema": {"type": "object"}},
        {"name": "ask", "inputSchema": {"type": "object"}},
        {"name": "work", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}}]})");
    plugin_->on_invoke = [](Call& call) {
      const bool asks = call.params().find(R"("name":"ask")") != std::string::npos;
      const bool answered = call.params().find("inputResponses") != std::string::npos;
      if (asks && !answered) call.complete(Outcome::input_required, test::asks_for_roots);
      if (asks && answered) call.complete(Outcome::result, R"({"content":[]})");
    };
    mcp_.add(endpoint_);
    EXPECT_FALSE(http_.listen().has_error());
    http_.serve();
  }
  ~TheftTest() override {
    server_.close_streams();
    threads_.stop();
    EXPECT_TRUE(threads_.join(test::patience));
  }

  static std::string thief() { return GetParam(); }

  static std::string request(const std::string& principal, const std::string& line, const std::string& fields,
                             const std::string& body) {
    return line + " HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n" +
           (principal.empty() ? "" : "X-Principal: " + principal + "\r\n") + fields +
           (body.empty() ? "" : "Content-Type: application/json\r\n") +
           "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
  }
  // The status and the body.
  std::string answer(const std::string& principal, const std::string& line, const std::string& fields,
                     const std::string& body = {}) {
    Client client(http_.port());
    client.say(request(principal, line, fields, body));
    const auto& heard = client.hear_until_closed();
    return heard.substr(9, 3) + " " + heard.substr(heard.find("\r\n\r\n") + 4);
  }
  static std::string of_session(const std::string& id) {
    return "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + id + "\r\n";
  }
  static std::string ping() { return test::request("7", "ping"); }

  std::string open_session_of(const std::string& principal) {
    HttpHead head;
    head.principal = test::principal(principal);
    auto id = post(test::initialize("2025-11-25"), head)->session().id;
    head.session_id = id;
    post(test::initialized, head);
    return id;
  }

  static std::string modern_fields(const std::string& method, const std::string& name) {
    return "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + method + "\r\n" +
           (name.empty() ? "" : "Mcp-Name: " + name + "\r\n");
  }
  static std::string modern_body(const std::string& method, const std::string& members) {
    return test::request("1", method, "{" + members + R"("_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}})");
  }
  std::string modern(const std::string& principal, const std::string& method, const std::string& members,
                     const std::string& name = {}) {
    return answer(principal, "POST /mcp", modern_fields(method, name), modern_body(method, members));
  }
  std::string task_of_ada() { return member(modern("ada", "tools/call", R"("name":"work",)", "work"), "taskId"); }
  std::string get_task(const std::string& principal, const std::string& id) {
    return modern(principal, "tasks/get", R"("taskId":")" + id + R"(",)", id);
  }

  EventLoops threads_{1, 4};
  StreamableHttp endpoint_{server_, {.middleware = {take_principal_from_header}, .http_sse = true}};
  McpService mcp_{{}};
  HttpServer http_{threads_, {.listen = {.port = 0}, .limits = {.heartbeat = 50ms}}, mcp_, log_};
};

TEST_P(TheftTest, OfASessionByPost) {
  const auto session = open_session_of("ada");
  EXPECT_EQ(answer(thief(), "POST /mcp", of_session(session), ping()),
            answer(thief(), "POST /mcp", of_session("unknown"), ping()));
  EXPECT_EQ(answer(thief(), "POST /mcp", of_session(session), ping()).substr(0, 3), "404");
  EXPECT_EQ(answer("ada", "POST /mcp", of_session(session), ping()), R"(200 {"jsonrpc":"2.0","id":7,"result":{}})");
}

TEST_P(TheftTest, OfASessionsStreamByGet) {
  const auto session = open_session_of("ada");
  EXPECT_EQ(answer(thief(), "GET /mcp", of_session(session)), answer(thief(), "GET /mcp", of_session("unknown")));
  Client ada(http_.port());
  ada.say(request("ada", "GET /mcp", of_session(session), ""));
  EXPECT_EQ(ada.hear("\n\n").substr(9, 3), "200");
}

TEST_P(TheftTest, OfASessionsEndByDelete) {
  const auto session = open_session_of("ada");
  EXPECT_EQ(answer(thief(), "DELETE /mcp", of_session(session)), answer(thief(), "DELETE /mcp", of_session("unknown")));
  EXPECT_EQ(answer("ada", "POST /mcp", of_session(session), ping()).substr(0, 3), "200");
  EXPECT_EQ(answer("ada", "DELETE /mcp", of_session(session)).substr(0, 3), "204");
}

TEST_P(TheftTest, OfAnHttpSseClientByItsMessages) {
  Client ada(http_.port());
  ada.say(request("ada", "GET /sse", "", ""));
  const auto& heard = ada.hear("\n\n");
  const auto at = heard.find("/messages?");
  ASSERT_NE(at, std::string::npos) << heard;
  const auto messages = heard.substr(at, heard.find('\n', at) - at);
  EXPECT_EQ(answer(thief(), "POST " + messages, "", ping()),
            answer(thief(), "POST /messages?sessionId=unknown", "", ping()));
  EXPECT_EQ(answer("ada", "POST " + messages, "", ping()).substr(0, 3), "202");
  EXPECT_NE(ada.hear(R"("result":{})").find(R"("id":7)"), std::string::npos);
}

TEST_P(TheftTest, OfAResponseByItsLastEventId) {
  const auto session = open_session_of("ada");
  Client ada(http_.port());
  ada.say(request("ada", "POST /mcp", of_session(session), test::request("1", "tools/call", R"({"name":"add"})")));
  ada.hear("\n\n");
  const auto id = ada.last_id();
  ASSERT_FALSE(id.empty());
  ada.leave();
  const auto resumption = "Last-Event-ID: " + id + "\r\n";
  EXPECT_EQ(answer(thief(), "GET /mcp", of_session(session) + resumption).substr(0, 3), "404");
  // In a session of his own the id names nothing either.
  const auto own = of_session(open_session_of(thief()));
  EXPECT_EQ(answer(thief(), "GET /mcp", own + resumption),
            answer(thief(), "GET /mcp", own + "Last-Event-ID: r99-1\r\n"));
  plugin_->last_call().complete(Outcome::result, R"({"content":[{"type":"text","text":"hers"}]})");
  EXPECT_NE(answer("ada", "GET /mcp", of_session(session) + resumption).find("hers"), std::string::npos);
}

TEST_P(TheftTest, OfACallByItsRequestState) {
  const auto state = member(modern("ada", "tools/call", R"("name":"ask",)", "ask"), "requestState");
  ASSERT_FALSE(state.empty());
  const auto with = [](const std::string& given) {
    return R"("name":"ask","inputResponses":{"a":{"roots":[]}},"requestState":")" + given + R"(",)";
  };
  EXPECT_EQ(modern(thief(), "tools/call", with(state), "ask"), modern(thief(), "tools/call", with("unknown"), "ask"));
  EXPECT_EQ(member(modern("ada", "tools/call", with(state), "ask"), "resultType"), "complete");
}

TEST_P(TheftTest, OfATaskByGet) {
  const auto task = task_of_ada();
  ASSERT_FALSE(task.empty());
  EXPECT_EQ(get_task(thief(), task), get_task(thief(), "unknown"));
  EXPECT_EQ(member(get_task("ada", task), "status"), "working");
}

TEST_P(TheftTest, OfATaskByCancel) {
  const auto task = task_of_ada();
  const auto cancel = [&](const std::string& principal, const std::string& id) {
    return modern(principal, "tasks/cancel", R"("taskId":")" + id + R"(",)", id);
  };
  EXPECT_EQ(cancel(thief(), task), cancel(thief(), "unknown"));
  EXPECT_EQ(member(get_task("ada", task), "status"), "working");
  cancel("ada", task);
  EXPECT_EQ(member(get_task("ada", task), "status"), "cancelled");
}

// It names a place in a list, which each principal has his own of: he learns nothing that he could not list.
TEST_P(TheftTest, OfAListByItsCursor) {
  const auto cursor = base64url_encode("tools:add");
  const auto page = modern("ada", "tools/list", R"("cursor":")" + cursor + R"(",)");
  ASSERT_NE(page.find(R"("name":"ask")"), std::string::npos) << page;
  EXPECT_EQ(modern(thief(), "tools/list", R"("cursor":")" + cursor + R"(",)"), page);
  EXPECT_NE(modern(thief(), "tools/list", "").find(R"("name":"ask")"), std::string::npos);
}

TEST_P(TheftTest, OfATaskBySubscription) {
  const auto task = task_of_ada();
  const auto acknowledged = [&](const std::string& principal) {
    Client client(http_.port());
    client.say(request(principal, "POST /mcp", modern_fields("subscriptions/listen", ""),
                       modern_body("subscriptions/listen", R"("notifications":{"taskIds":[")" + task + R"("]},)")));
    const auto& heard = client.hear("\n\n");
    return heard.find(task) != std::string::npos;
  };
  EXPECT_FALSE(acknowledged(thief()));
  EXPECT_TRUE(acknowledged("ada"));
}

// Of a call, a stream or a subscription of another client it says nothing but a number.
TEST_P(TheftTest, OfASubscriptionByItsCancellation) {
  Client ada(http_.port());
  ada.say(request("ada", "POST /mcp", modern_fields("subscriptions/listen", ""),
                  modern_body("subscriptions/listen", R"("notifications":{"toolsListChanged":true},)")));
  ASSERT_NE(ada.hear("\n\n").find("acknowledged"), std::string::npos);
  const std::string cancelled =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,)" + test::modern_meta() + "}}";
  answer(thief(), "POST /mcp", modern_fields("notifications/cancelled", ""), cancelled);
  publish(R"({"tools": [{"name": "new", "inputSchema": {"type": "object"}}]})");
  EXPECT_NE(ada.hear("tools/list_changed").find("tools/list_changed"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Thieves, TheftTest, ::testing::Values("bob", ""));

}  // namespace
}  // namespace mcph
