// A server of HTTP, over real sockets, with a service that is no MCP.
#include "http/server.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "base/file_descriptor.hpp"
#include "http/connection.hpp"
#include "http/router.hpp"
#include "support/eventually.hpp"
#include "support/held_loop.hpp"
#include "support/principals.hpp"
#include "support/raw_client.hpp"
#include "support/recording_log.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using boost::beast::http::verb;
using Client = test::RawClient;

// Says hello to who says who he is.
class Greeter final : public HttpService {
 public:
  Greeter() {
    router_.use([this](HttpRequest& request) -> HttpVerdict {
      const auto names = lines_of(request.all_fields, "X-Name");
      if (names.empty()) return {.refusal = HttpRefusal{401, "Who are you?", {{"WWW-Authenticate", "Name"}}}};
      if (names.front() == "Later" && !is_later_) {
        return {.wait = [this](const std::function<void()>& done) {
          later_ = std::async([this, done] {
            is_later_ = true;
            done();
          });
        }};
      }
      if (names.front() == "Never") return {.wait = [](const std::function<void()>& done) { done(); }};
      request.principal = test::principal(names.front());
      return {};
    });
    const HttpHandler refuse_long = [](HttpRequest&, HttpConnection& connection) {
      return connection.refuse({413, "Too long"});
    };
    router_.add({"/hello",
                 {{verb::get,
                   [](HttpRequest& request, HttpConnection& connection) {
                     return connection.respond({.body = "Hello " + request.principal.id() + "\n"});
                   }},
                  {verb::post,
                   [](HttpRequest& request, HttpConnection& connection) {
                     return connection.respond({.body = "Hello " + std::string(request.body.text()) + "\n"});
                   }}},
                 refuse_long});
  }
  Coroutine<> serve(HttpRequest& request, HttpConnection& connection) override {
    return router_.route(request, connection);
  }
  HttpResponse refuse(HttpRefusal refusal) const override {
    return {.status = refusal.status, .body = refusal.message + "\n", .fields = std::move(refusal.fields)};
  }

 private:
  std::atomic<bool> is_later_ = false;
  std::future<void> later_;
  HttpRouter router_{{}, {.status = 404, .body = "Nothing here\n"}};
};

class HttpServerTest : public ::testing::Test {
 protected:
  HttpServerTest() {
    EXPECT_FALSE(http_.listen().has_error());
    http_.serve();
  }
  ~HttpServerTest() override {
    threads_.stop();
    EXPECT_TRUE(threads_.join(test::patience));
  }

  // The status line and the body's first line.
  std::string answer(const std::string& line, const std::string& fields = "X-Name: Ada\r\n",
                     const std::string& body = {}) {
    Client client(http_.port());
    client.say(line + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
               "\r\n\r\n" + body);
    const auto& heard = client.hear("\r\n\r\n");
    const auto head = heard.find("\r\n\r\n");
    if (head == std::string::npos) return "nothing";
    const bool has_body = heard.find("Content-Length: 0") == std::string::npos && line.find("HEAD") != 0 &&
                          heard.find("Content-Length") != std::string::npos;
    const auto& whole = has_body ? client.hear("\n", head + 4) : heard;
    head_ = whole.substr(0, head + 2);
    return whole.substr(9, whole.find('\r') - 9) + ": " + whole.substr(head + 4);
  }

  Greeter service_;
  test::RecordingLog log_{Log::Level::off};
  EventLoops threads_{1, 4};
  HttpServer http_{threads_, {.listen = {.port = 0}, .limits = {.body_bytes = 100}}, service_, log_};
  std::string head_;  // of the last answer
};

TEST_F(HttpServerTest, ServesWhateverItsServiceDoes) {
  EXPECT_EQ(answer("GET /hello"), "200 OK: Hello test#Ada\n");
  EXPECT_EQ(answer("POST /hello?a=b", "X-Name: Ada\r\n", "Bob"), "200 OK: Hello Bob\n");
  EXPECT_EQ(answer("POST /hello", "X-Name: Ada\r\n", std::string(101, 'x')), "413 Payload Too Large: Too long\n");
  EXPECT_EQ(answer("GET /other"), "404 Not Found: Nothing here\n");
}

TEST_F(HttpServerTest, HasEachRefusalWordedByItsService) {
  EXPECT_EQ(answer("GET /hello", "Origin: http://example.com\r\n"),
            "403 Forbidden: The Origin is not allowed; allow it with --allow-origin\n");
  EXPECT_EQ(answer("BREW /hello"), "501 Not Implemented: This server does not know the method\n");
  EXPECT_EQ(answer("PUT /hello"), "405 Method Not Allowed: This endpoint knows the methods GET, POST, OPTIONS, HEAD\n");
  EXPECT_NE(head_.find("\r\nAllow: GET, POST, OPTIONS, HEAD\r\n"), std::string::npos) << head_;
}

TEST_F(HttpServerTest, LetsAMiddlewareRefuseWhatIsThereAndWhatIsNot) {
  EXPECT_EQ(answer("GET /hello", ""), "401 Unauthorized: Who are you?\n");
  EXPECT_NE(head_.find("\r\nWWW-Authenticate: Name\r\n"), std::string::npos) << head_;
  EXPECT_EQ(answer("GET /other", ""), "401 Unauthorized: Who are you?\n");
}

TEST_F(HttpServerTest, LooksAgainWhereAMiddlewareHasToWait) {
  EXPECT_EQ(answer("GET /hello", "X-Name: Later\r\n"), "200 OK: Hello test#Later\n");
  EXPECT_EQ(answer("GET /hello", "X-Name: Never\r\n"),
            "503 Service Unavailable: It cannot be found out now whether this request may be answered\n");
}

TEST_F(HttpServerTest, SaysWhichMethodsThereAre) {
  EXPECT_EQ(answer("OPTIONS /hello"), "204 No Content: ");
  EXPECT_NE(head_.find("\r\nAllow: GET, POST, OPTIONS, HEAD\r\n"), std::string::npos) << head_;
  EXPECT_EQ(answer("OPTIONS *"), "204 No Content: ");
  EXPECT_EQ(answer("HEAD /hello"), "200 OK: ");
  EXPECT_NE(head_.find("\r\nAllow: GET, POST, OPTIONS, HEAD\r\n"), std::string::npos) << head_;
}

TEST_F(HttpServerTest, ServesThoseWhoWaitToBeAcceptedWhenItShutsDown) {
  test::HeldLoop held(threads_.next_context());
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<Client>(http_.port()));
    clients.back()->say("GET /hello HTTP/1.1\r\nHost: localhost\r\nX-Name: Ada\r\n\r\n");
  }
  const auto ended = std::async(std::launch::async, [this] { http_.shut_down(); });
  ended.wait_for(50ms);  // they wait to be accepted until the loop goes on
  held.let_go();
  ended.wait();
  for (const auto& client : clients)
    EXPECT_TRUE(client->hear("\r\n\r\n").starts_with("HTTP/1.1 200 OK"));
}

// Every connection is one too many, and goes to the event loop that accepts or to the other one.
class CrowdTest : public ::testing::Test {
 protected:
  CrowdTest() {
    EXPECT_FALSE(http_.listen().has_error());
    http_.serve();
  }
  ~CrowdTest() override {
    threads_.stop();
    EXPECT_TRUE(threads_.join(test::patience));
  }

  Greeter service_;
  test::RecordingLog log_{Log::Level::off};
  EventLoops threads_{2, 4};
  boost::asio::io_context& other_loop_ = threads_.next_context();  // than the next one, which accepts
  HttpServer http_{threads_, {.listen = {.port = 0}, .limits = {.connections = 0}}, service_, log_};
};

TEST_F(CrowdTest, IsToldThatItIsTurnedAwayUpToABoundThoughAnEventLoopIsBusy) {
  const test::HeldLoop held(other_loop_);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 60; ++i)
    clients.push_back(std::make_unique<Client>(http_.port()));
  // Whoever has been told makes way for others after a while.
  EXPECT_TRUE(test::eventually([&] {
    const auto done = std::ranges::count_if(
        clients, [](const auto& client) { return client->is_turned_away() || client->has_been_told(); });
    return done >= 60 - 16;
  }));
}

// The process may have 160 descriptors, of which 40 are left for others than clients.
class FullProcessTest : public ::testing::Test {
 protected:
  FullProcessTest() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit few{.rlim_cur = 160, .rlim_max = before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    for (auto* const made : {&clients_, &operators_}) {
      *made = std::make_unique<HttpServer>(
          threads_, HttpOptions{.listen = {.port = 0}, .limits = {.in_reserve = made == &operators_}}, service_, log_);
      EXPECT_FALSE((*made)->listen().has_error());
      (*made)->serve();
    }
  }
  ~FullProcessTest() override {
    threads_.stop();
    EXPECT_TRUE(threads_.join(test::patience));
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0);
  }

  // Up to this number, which none is given then.
  void use_descriptors(int end) {
    for (;;) {
      FileDescriptor next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      ASSERT_TRUE(next);
      if (next.get() >= end) return;
      used_.push_back(std::move(next));
    }
  }
  static std::string status(const HttpServer& server) {
    Client client(server.port());
    client.say("GET /hello HTTP/1.1\r\nHost: localhost\r\nX-Name: Ada\r\n\r\n");
    return client.hear("\r\n").substr(9, 3);
  }

  rlimit before_{};
  Greeter service_;
  test::RecordingLog log_{Log::Level::off};
  EventLoops threads_{1, 4};
  std::unique_ptr<HttpServer> clients_;
  std::unique_ptr<HttpServer> operators_;
  std::vector<FileDescriptor> used_;
};

// What an earlier client has used may become free while the next one comes.
TEST_F(FullProcessTest, HasDescriptorsForTheOperatorWhereClientsHaveUsedTheirs) {
  const auto answers = [this](int used, const HttpServer& server, const char* expected) {
    return test::eventually([&, used, expected] {
      use_descriptors(used);
      return status(server) == expected;
    });
  };
  EXPECT_EQ(status(*clients_), "200");
  EXPECT_TRUE(answers(120, *clients_, "503"));
  EXPECT_TRUE(answers(120, *operators_, "200"));
  EXPECT_TRUE(answers(140, *operators_, "503"));
}

}  // namespace
}  // namespace mcph
