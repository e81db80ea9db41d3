#include "sources/upstream/http_upstream.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "support/http_upstream_fixture.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using test::answer_1;
using test::Answering;
using test::field;
using Connection = test::ScriptedServer::Connection;

class HttpUpstreamTest : public test::HttpUpstreamFixture {};

TEST_F(HttpUpstreamTest, SaysInFieldsWhatItSendsToAModernServer) {
  const Answering server([](const std::string&) { return Answering::json(answer_1); });
  connect(server.url("/mcp?a=b"), {.fields = {{"X-Key", "secret"}}});
  request("1");
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  const auto sent = server.request(0);
  EXPECT_EQ(sent.substr(0, sent.find('\r')), "POST /mcp?a=b HTTP/1.1");
  EXPECT_EQ(field(sent, "X-Key"), "secret");
  EXPECT_TRUE(field(sent, "User-Agent").starts_with("mcp-plugin-host/"));
  EXPECT_EQ(field(sent, "Accept"), "application/json, text/event-stream");
  EXPECT_EQ(field(sent, "Content-Type"), "application/json");
  EXPECT_EQ(field(sent, "MCP-Protocol-Version"), "2026-07-28");
  EXPECT_EQ(field(sent, "Mcp-Method"), "tools/call");
  EXPECT_EQ(field(sent, "Mcp-Name"), "=?base64?c2F5IMOp?=");
}

TEST_F(HttpUpstreamTest, SaysOnceWhichUserAgentItIs) {
  const Answering server([](const std::string&) { return Answering::json(answer_1); });
  connect(server.url(), {.fields = {{"user-agent", "robot/1"}}});
  request("1");
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  const auto sent = server.request(0);
  EXPECT_EQ(field(sent, "User-Agent"), "robot/1");
  EXPECT_EQ(sent.find("user-agent"), std::string::npos) << sent;
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
    return field(request, "Mcp-Method") == "tools/call" ? Answering::events("data: " + text + "\n\n")
                                                        : Answering::json(text);
  });
  for (const auto method : {Method::resources_read, Method::tools_call}) {
    listener_ = std::make_shared<test::UpstreamLines>();
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
    const bool is_stream = connection.hear("}").find("tools/call") != std::string::npos;
    connection.say(std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: ") +
                   (is_stream ? "text/event-stream\r\n\r\n6\r\ndata: \r\n" : "application/json\r\n\r\n"));
    while (connection.say("10\r\n0123456789abcdef\r\n")) {
    }
  });
  connect(server.url(), {.max_message_bytes = 100'000});
  request("1", Method::resources_read);
  EXPECT_EQ(listener_->next(), "refused of 1: sent a message of more than 100000 bytes");
  request("2", Method::tools_call);
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
    return field(request, "Mcp-Method") == "tools/call" ? Answering::events("data: " + text + "\n\n")
                                                        : Answering::json(text);
  });
  connect(server.url(), {.max_message_bytes = 100});
  request("1", Method::resources_read);
  EXPECT_EQ(listener_->next(), "refused of 1: sent a message of more than 100 bytes");
  request("2", Method::tools_call);
  EXPECT_EQ(listener_->next(), "refused of 2: sent a message of more than 100 bytes");
}

TEST_F(HttpUpstreamTest, RefusesALongAnswerToWhatHasAShortOne) {
  const Answering server(
      [](const std::string&) { return Answering::json(std::string(answer_1) + std::string(70'000, ' ')); });
  connect(server.url());
  request("1", Method::resources_subscribe);
  EXPECT_EQ(listener_->next(), "refused of 1: sent a message of more than 65536 bytes");
}

TEST_F(HttpUpstreamTest, HasASessionAndEndsIt) {
  const Answering server([](const std::string& request) {
    if (request.starts_with("GET")) return Answering::json("", "405 Method Not Allowed");
    if (request.find("initialized") != std::string::npos) return Answering::json("", "202 Accepted");
    return Answering::json(answer_1, "200 OK", "Mcp-Session-Id: abc\r\n");
  });
  connect(server.url());
  request("1", Method::initialize, false);
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  EXPECT_EQ(field(server.request(0), "MCP-Protocol-Version"), "");
  notify(Method::notifications_initialized);
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
  request("1", Method::initialize, false);
  listener_->next();
  request("2", Method::tools_list, false);
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
  request("1", Method::tools_call, false);
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
  request("1", Method::initialize, false);
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  request("2", Method::tools_call, false);
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
  request("1", Method::tools_call, false);
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
}

TEST_F(HttpUpstreamTest, HearsAgainWhereAServerDoesNotKnowTheLastEventAnyMore) {
  const Answering server([](const std::string& request) {
    if (request.starts_with("POST")) return Answering::json("", "202 Accepted");
    if (!field(request, "Last-Event-ID").empty()) return Answering::json("", "400 Bad Request");
    return Answering::events("retry: 1\nid: 7\ndata: {\"method\":\"a\"}\n\n");
  });
  connect(server.url());
  notify(Method::notifications_initialized);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(listener_->next(), "{\"method\":\"a\"}");
  EXPECT_GE(listener_->missed(), 3);
}

TEST_F(HttpUpstreamTest, TakesALongSessionIdAndSaysWhichItDoesNotTake) {
  std::atomic<std::size_t> size = 5000;
  const Answering server([&](const std::string&) {
    return Answering::json(answer_1, "200 OK", "Mcp-Session-Id: " + std::string(size.load(), 'x') + "\r\n");
  });
  connect(server.url());
  request("1", Method::initialize, false);
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  request("1", Method::tools_list, false);
  listener_->next();
  EXPECT_EQ(field(server.request(1), "Mcp-Session-Id"), std::string(5000, 'x'));
  upstream_->close();
  size = 9000;
  connect(server.url());
  request("1", Method::initialize, false);
  EXPECT_EQ(listener_->next(), "failed 1: it gives the session an id of more than 8192 bytes (HTTP status 200)");
}

TEST_F(HttpUpstreamTest, SaysWhatAServerOfHttpAndSseIsCalled) {
  const Answering server([](const std::string&) { return Answering::json("", "405 Method Not Allowed"); });
  connect(server.url());
  request("1", Method::initialize, false);
  EXPECT_EQ(listener_->next(),
            "failed 1: it answers with the HTTP status 405; if it speaks the older HTTP+SSE, write \"type\": \"sse\"");
}

TEST_F(HttpUpstreamTest, GivesUpAStreamThatCannotBeContinued) {
  const Answering server([](const std::string& request) {
    return request.starts_with("POST") ? Answering::events("id: 1\nretry: 1\ndata:\n\n")
                                       : Answering::json("", "400 Bad Request");
  });
  connect(server.url());
  request("1", Method::tools_call, false);
  EXPECT_EQ(listener_->next(), "failed 1, may have run: it answers with the HTTP status 400");
}

TEST_F(HttpUpstreamTest, HearsWhatAServerSaysUnaskedAndAsksAgainWhereThatBreaks) {
  const Answering server([](const std::string& request) {
    if (request.starts_with("POST")) return Answering::json("", "202 Accepted");
    return field(request, "Last-Event-ID").empty() ? Answering::events("retry: 1\nid: 7\ndata: {\"method\":\"a\"}\n\n")
                                                   : Answering::events("data: {\"method\":\"b\"}\n\n");
  });
  connect(server.url());
  notify(Method::notifications_initialized);
  EXPECT_EQ(listener_->next(), "{\"method\":\"a\"}");
  EXPECT_EQ(listener_->next(), "{\"method\":\"b\"}");
  // What has been said in between comes with the second stream.
  EXPECT_EQ(listener_->missed(), 1);
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
  notify(Method::notifications_cancelled, true);
  upstream_->abandon("1");
  EXPECT_TRUE(test::eventually([&] { return is_closed.load(); }));
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpUpstreamResponseTest, IsKnownByItsMembers) {
  EXPECT_TRUE(is_response(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  EXPECT_TRUE(is_response(R"({"error" : {"code":1},"id":1})"));
  EXPECT_FALSE(is_response(R"({"jsonrpc":"2.0","id":1,"method":"result","params":{"result":1}})"));
  EXPECT_FALSE(is_response(R"({"a":{"result":1},"b":["error"],"c\"result":1})"));
  EXPECT_FALSE(is_response("nothing"));
}

// In the legacy era also that of a call, whose client may be asked something.
TEST_F(HttpUpstreamTest, LetsAStreamBeSilentOnWhichNothingNeedCome) {
  std::promise<void> may_speak;
  const auto speaks = may_speak.get_future().share();
  const test::ScriptedServer server([&](Connection& connection) {
    const auto head = connection.hear_request();
    const auto body = head.starts_with("POST") ? connection.hear("}") : "";
    if (body.find("initialized") != std::string::npos) {
      connection.say("HTTP/1.1 202 Accepted\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    if (field(head, "Mcp-Method") != "tools/call") {
      connection.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"method\":\"x\"}\n\n");
      speaks.wait();
      connection.say("data: {\"method\":\"y\"}\n\n");
    }
    connection.hear("never");
  });
  HttpUpstreamSettings settings;
  settings.silence = 4s;  // in which the first answer begins also on a busy machine
  connect(server.url(), std::move(settings));
  request("1", Method::subscriptions_listen);
  EXPECT_EQ(listener_->next(), "{\"method\":\"x\"} of 1");
  request("2", Method::tools_call, false);
  EXPECT_EQ(listener_->next(), "{\"method\":\"x\"} of 2");
  notify(Method::notifications_initialized);
  EXPECT_EQ(listener_->next(), "{\"method\":\"x\"}");
  // Which is silent for less long.
  request("3");
  EXPECT_EQ(listener_->next(), "failed 3: it did not begin to answer within 4000 ms");
  may_speak.set_value();
  std::set<std::string> said;
  for (int i = 0; i < 3; ++i)
    said.insert(listener_->next());
  EXPECT_EQ(said, (std::set<std::string>{"{\"method\":\"y\"}", "{\"method\":\"y\"} of 1", "{\"method\":\"y\"} of 2"}));
}

}  // namespace
}  // namespace mcph
