#include "http/client/pooled_http_client.hpp"

#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "http/connection.hpp"
#include "http/router.hpp"
#include "http/server.hpp"
#include "http/tls/tls_context.hpp"
#include "http/tls/tls_stream.hpp"
#include "support/certificates.hpp"
#include "support/eventually.hpp"
#include "support/recording_log.hpp"
#include "support/scripted_server.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using Connection = test::ScriptedServer::Connection;

// What came of one answer.
class HeardAnswer final : public AnswerListener {
 public:
  // Pauses at each piece.
  explicit HeardAnswer(bool pauses = false) : pauses_(pauses) {}

  void head_came(const AnswerHead& head) override {
    const std::lock_guard lock(mutex_);
    status_ = head.status;
    type_ = head.field("content-type");
  }
  bool body_came(std::string_view piece) override {
    const std::lock_guard lock(mutex_);
    body_ += piece;
    changed_.notify_all();
    return !pauses_;
  }
  void ended(const Result<>& whole) override {
    const std::lock_guard lock(mutex_);
    end_ = whole.has_error() ? whole.error().message : "whole";
    was_sent_ = whole.has_value() || whole.error().code != ErrorCode::crowded;
    told_by_ = std::this_thread::get_id();
    changed_.notify_all();
  }

  // "200 text", or what is wrong.
  std::string outcome() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, test::patience, [this] { return !end_.empty(); });
    return end_ == "whole" ? std::to_string(status_) + " " + body_ : end_;
  }
  bool hears(std::string_view text) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, test::patience, [&] { return body_.find(text) != std::string::npos; });
  }
  std::size_t bytes() {
    const std::lock_guard lock(mutex_);
    return body_.size();
  }
  bool has_ended() {
    const std::lock_guard lock(mutex_);
    return !end_.empty();
  }
  // After the end.
  bool was_sent() {
    const std::lock_guard lock(mutex_);
    return was_sent_;
  }
  // Of the end.
  std::thread::id told_by() {
    const std::lock_guard lock(mutex_);
    return told_by_;
  }
  void pause_no_more() { pauses_ = false; }
  std::string type() {
    const std::lock_guard lock(mutex_);
    return type_;
  }

 private:
  std::atomic<bool> pauses_;
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned status_ = 0;
  std::string type_;
  std::string body_;
  std::string end_;
  bool was_sent_ = true;
  std::thread::id told_by_;
};

class PooledHttpClientTest : public ::testing::Test {
 protected:
  static OutgoingRequest post(const std::string& url, std::string body = "{}") {
    return {.url = *read_http_url(url), .body = std::move(body)};
  }
  static OutgoingRequest get(const std::string& url) {
    return {.url = *read_http_url(url), .method = "GET", .is_idempotent = true};
  }
  std::string ask(OutgoingRequest request) {
    const auto heard = std::make_shared<HeardAnswer>();
    client_.send(std::move(request), heard);
    return heard->outcome();
  }

  EventLoops loops_{1, 4};
  HttpClientOptions options_{.max_connections = 2};
  PooledHttpClient client_{loops_, options_};
};

TEST_F(PooledHttpClientTest, KeepsAConnectionForWhatFollows) {
  const test::ScriptedServer server([](Connection& connection) {
    for (auto request = connection.hear_request(2); !request.empty(); request = connection.hear_request(2))
      connection.answer(request.substr(0, request.find("\r\nUser-Agent")));
  });
  const auto authority = server.url().substr(7, server.url().size() - 8);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(ask(post(server.url("/x?y=1"))), "200 POST /x?y=1 HTTP/1.1\r\nHost: " + authority);
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(PooledHttpClientTest, HasNoMoreConnectionsThanItMayAndLetsTheOthersWait) {
  std::promise<void> may_answer;
  const auto answers = may_answer.get_future().share();
  const test::ScriptedServer server([&](Connection& connection) {
    while (!connection.hear_request(2).empty()) {
      answers.wait();
      connection.answer("done");
    }
  });
  std::vector<std::shared_ptr<HeardAnswer>> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(std::make_shared<HeardAnswer>());
    client_.send(post(server.url()), all.back());
  }
  may_answer.set_value();
  for (const auto& each : all)
    EXPECT_EQ(each->outcome(), "200 done");
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(PooledHttpClientTest, SaysThatARequestWasNotSentForWantOfAConnection) {
  const test::ScriptedServer server([](Connection& connection) { connection.hear("never"); });
  std::vector<std::shared_ptr<HeardAnswer>> in_flight;
  for (int i = 0; i < 2; ++i) {
    in_flight.push_back(std::make_shared<HeardAnswer>());
    client_.send(post(server.url()), in_flight.back());
  }
  const auto heard = std::make_shared<HeardAnswer>();
  auto request = post(server.url());
  request.times.connect = 20ms;
  client_.send(std::move(request), heard);
  EXPECT_EQ(heard->outcome(), "no connection to it was free within 20 ms");
  EXPECT_FALSE(heard->was_sent());
  for (const auto& each : in_flight)
    EXPECT_FALSE(each->has_ended());
}

// A port of another address of this machine, 127.0.0.LAST, where nobody answers: as many have connected as may wait.
class SilentPort {
 public:
  SilentPort(std::uint32_t last, std::uint16_t port) {
    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + last);
    const auto* const where = reinterpret_cast<const ::sockaddr*>(&address);
    for (auto& number : sockets_)
      number = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    is_there_ = ::bind(sockets_[0], where, sizeof address) == 0 && ::listen(sockets_[0], 0) == 0;
    for (std::size_t i = 1; i < sockets_.size(); ++i)
      std::ignore = ::connect(sockets_.at(i), where, sizeof address);
    // Once one waits to be accepted, there is no room for more.
    constexpr auto patience_ms = static_cast<int>(std::chrono::milliseconds(test::patience).count());
    ::pollfd waits{.fd = sockets_[0], .events = POLLIN, .revents = 0};
    is_there_ = is_there_ && ::poll(&waits, 1, patience_ms) == 1;
  }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  ~SilentPort() {
    for (const int number : sockets_)
      ::close(number);
  }
  bool is_there() const { return is_there_; }

 private:
  std::array<int, 4> sockets_{};
  bool is_there_ = false;
};

TEST_F(PooledHttpClientTest, GoesOnToTheNextAddressWhereOneIsSilent) {
  const test::ScriptedServer server([](Connection& connection) {
    while (!connection.hear_request(2).empty())
      connection.answer("reached");
  });
  const auto port = read_http_url(server.url())->port;
  std::vector<boost::asio::ip::address> addresses;
  std::list<SilentPort> silent;
  for (const std::uint32_t last : {2, 3, 4}) {
    ASSERT_TRUE(silent.emplace_back(last, static_cast<std::uint16_t>(std::stoi(port))).is_there());
    addresses.push_back(boost::asio::ip::make_address("127.0.0." + std::to_string(last)));
  }
  addresses.push_back(boost::asio::ip::make_address("127.0.0.1"));
  // Of no time for the connection alone there is that of all.
  for (const auto connect : {6000ms, 0ms}) {
    PooledHttpClient client(loops_, options_, [&](const std::string&) -> NameLookup::Addresses { return addresses; });
    auto request = post("http://localhost:" + port + "/");
    request.times.connect = connect;
    request.times.whole = 16s;
    const auto heard = std::make_shared<HeardAnswer>();
    client.send(std::move(request), heard);
    EXPECT_EQ(heard->outcome(), "200 reached") << connect.count();
  }
}

TEST_F(PooledHttpClientTest, TellsAStreamPieceByPiece) {
  std::promise<void> heard_first;
  auto first = heard_first.get_future();
  const test::ScriptedServer server([&](Connection& connection) {
    connection.hear_request(2);
    connection.say(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst");
    first.wait();
    for (const char c : std::string_view("\r\n6\r\nsecond\r\n0\r\n\r\n"))
      connection.say({&c, 1});
  });
  const auto heard = std::make_shared<HeardAnswer>();
  client_.send(post(server.url()), heard);
  EXPECT_TRUE(heard->hears("first"));
  EXPECT_EQ(heard->type(), "text/event-stream");
  EXPECT_FALSE(heard->has_ended());
  heard_first.set_value();
  EXPECT_EQ(heard->outcome(), "200 firstsecond");
}

TEST_F(PooledHttpClientTest, ReadsNoMoreThanTheListenerTakes) {
  constexpr std::size_t bytes = std::size_t{512} << 10;  // so little that the system holds it all
  std::promise<void> said;
  const test::ScriptedServer server([&](Connection& connection) {
    connection.hear_request(2);
    connection.answer(std::string(bytes, 'x'));
    said.set_value();
  });
  const auto heard = std::make_shared<HeardAnswer>(true);
  auto request = post(server.url());
  request.max_body = 0;
  request.times.silence = 1s;
  const auto sent = client_.send(std::move(request), heard);
  EXPECT_TRUE(heard->hears("x"));
  EXPECT_EQ(said.get_future().wait_for(test::patience), std::future_status::ready);
  std::this_thread::sleep_for(1100ms);  // which does not count, because nothing is read
  std::size_t pauses = 0;
  while (!heard->has_ended()) {
    const auto before = heard->bytes();
    sent->resume();
    if (!test::eventually([&] { return heard->bytes() > before || heard->has_ended(); })) break;
    EXPECT_LE(heard->bytes() - before, std::size_t{32} << 10);
    ++pauses;
  }
  EXPECT_EQ(heard->bytes(), bytes);
  EXPECT_GE(pauses, bytes / (std::size_t{32} << 10));
}

TEST_F(PooledHttpClientTest, AsksAnewWhereTheServerHasClosedAnIdleConnection) {
  const test::ScriptedServer server([](Connection& connection) {
    connection.hear_request(2);
    connection.answer("only");
  });
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(ask(post(server.url())), "200 only");
    EXPECT_TRUE(test::eventually([&] { return server.has_closed_all(); }));
    EXPECT_EQ(server.connections(), i);
  }
}

TEST_F(PooledHttpClientTest, SendsOnlyWhatIsIdempotentASecondTime) {
  std::atomic<int> requests = 0;
  const test::ScriptedServer server([&](Connection& connection) {
    connection.hear("\r\n\r\n");
    connection.answer("first");
    if (!connection.hear("\r\n\r\n").empty()) ++requests;
  });
  EXPECT_EQ(ask(get(server.url())), "200 first");
  EXPECT_EQ(ask(post(server.url(), "")), "it closed the connection before it answered");
  EXPECT_EQ(requests, 1);
  EXPECT_EQ(ask(get(server.url())), "200 first");
  EXPECT_EQ(ask(get(server.url())), "200 first");
  EXPECT_EQ(requests, 2);
  EXPECT_EQ(server.connections(), 3);
}

TEST_F(PooledHttpClientTest, TakesNoHalfAnswerForAWholeOne) {
  const test::ScriptedServer server([](Connection& connection) {
    const bool is_head = connection.hear_request(2).find("/head") != std::string::npos;
    connection.say(is_head ? "HTTP/1.1 200 OK\r\nContent-" : "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  });
  EXPECT_EQ(ask(post(server.url("/head"))), "it closed the connection in the middle of its answer");
  EXPECT_EQ(ask(post(server.url("/body"))), "it closed the connection in the middle of its answer");
}

TEST_F(PooledHttpClientTest, TakesAnAnswerThatEndsWithTheConnection) {
  const test::ScriptedServer server([](Connection& connection) {
    connection.hear_request(2);
    connection.say("HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nall of it");
  });
  EXPECT_EQ(ask(post(server.url())), "200 all of it");
}

TEST_F(PooledHttpClientTest, HoldsTheServerToLimits) {
  const test::ScriptedServer server([](Connection& connection) {
    const auto request = connection.hear_request(2);
    if (request.find("/head") != std::string::npos)
      connection.say("HTTP/1.1 200 OK\r\nX: " + std::string(40'000, 'x') + "\r\n\r\n");
    else if (request.find("/long") != std::string::npos)
      connection.answer("0123456789");
    else if (request.find("/endless") != std::string::npos) {
      connection.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      while (connection.say("8\r\n01234567\r\n")) {
      }
    } else if (request.find("/nonsense") != std::string::npos)
      connection.say("SSH-2.0-OpenSSH_9.2\r\n");
    connection.hear("never");
  });
  const auto limited = [&](const std::string& path) {
    auto request = post(server.url(path));
    request.max_body = 9;
    return ask(std::move(request));
  };
  EXPECT_EQ(limited("/head"), "header limit exceeded");
  EXPECT_EQ(limited("/long"), "body limit exceeded");
  EXPECT_EQ(limited("/endless"), "body limit exceeded");
  EXPECT_EQ(limited("/nonsense"), "bad version");
}

TEST_F(PooledHttpClientTest, HoldsTheServerToTimes) {
  const test::ScriptedServer server([](Connection& connection) {
    if (connection.hear_request(2).find("/body") != std::string::npos)
      connection.say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    connection.hear("never");
  });
  auto head = post(server.url());
  head.times.head = 20ms;
  EXPECT_EQ(ask(std::move(head)), "it did not begin to answer within 20 ms");
  auto body = post(server.url("/body"));
  body.times.silence = 20ms;
  EXPECT_EQ(ask(std::move(body)), "its answer broke off: nothing came within 20 ms");
  auto whole = post(server.url("/body"));
  whole.times.whole = 20ms;
  EXPECT_EQ(ask(std::move(whole)), "it did not answer within 20 ms");
}

TEST_F(PooledHttpClientTest, GivesNoMoreTimeForAHeadThatDrips) {
  const test::ScriptedServer server([](Connection& connection) {
    const bool is_interim = connection.hear_request(2).find("/interim") != std::string::npos;
    if (!is_interim) connection.say("HTTP/1.1 200 OK\r\nX: ");
    while (connection.say(is_interim ? "HTTP/1.1 103 Early Hints\r\n\r\n" : "x"))
      std::this_thread::sleep_for(5ms);
  });
  for (const auto* const path : {"/", "/interim"}) {
    auto request = post(server.url(path));
    request.times.head = 100ms;
    EXPECT_EQ(ask(std::move(request)), "it did not begin to answer within 100 ms");
  }
}

// Whoever ends the client may hold what is told, or have ended it.
TEST_F(PooledHttpClientTest, TellsNobodyAnythingWhileItEnds) {
  const test::ScriptedServer server([](Connection& connection) { connection.hear("never"); });
  auto client = std::make_unique<PooledHttpClient>(loops_, options_);
  std::vector<std::shared_ptr<HeardAnswer>> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(std::make_shared<HeardAnswer>());
    client->send(post(server.url()), all.back());
  }
  client.reset();
  for (const auto& each : all) {
    EXPECT_EQ(each->outcome(), "nothing more is asked here");
    EXPECT_NE(each->told_by(), std::this_thread::get_id());
  }
}

// As one that says farewell does while the host ends.
class OwningListener final : public AnswerListener {
 public:
  explicit OwningListener(std::shared_ptr<PooledHttpClient> client) : client_(std::move(client)) {}
  void head_came(const AnswerHead& /*head*/) override {}
  bool body_came(std::string_view /*piece*/) override { return true; }
  void ended(const Result<>& /*whole*/) override {}

 private:
  const std::shared_ptr<PooledHttpClient> client_;
};

TEST(PooledHttpClientEndTest, GoesWithTheEventLoopsWhereWhoListensOwnsIt) {
  std::promise<void> heard;
  const test::ScriptedServer server([&](Connection& connection) {
    connection.hear_request();
    heard.set_value();
    connection.hear("never");
  });
  std::weak_ptr<PooledHttpClient> left;
  {
    EventLoops loops(1, 4);
    auto client = std::make_shared<PooledHttpClient>(loops, HttpClientOptions());
    left = client;
    client->send({.url = *read_http_url(server.url()), .method = "GET"}, std::make_shared<OwningListener>(client));
    client = nullptr;
    heard.get_future().wait();
    EXPECT_FALSE(left.expired());
  }
  EXPECT_TRUE(left.expired());
}

TEST_F(PooledHttpClientTest, PausesOnlyWhereTheListenerWantsThat) {
  const test::ScriptedServer server([](Connection& connection) {
    connection.hear_request(2);
    connection.answer(std::string(std::size_t{1} << 20, 'x'));
  });
  const auto heard = std::make_shared<HeardAnswer>(true);
  auto request = post(server.url());
  request.max_body = 0;
  const auto sent = client_.send(std::move(request), heard);
  EXPECT_TRUE(heard->hears("x"));
  heard->pause_no_more();
  sent->resume();
  EXPECT_EQ(heard->outcome().size(), 4 + (std::size_t{1} << 20));
}

TEST_F(PooledHttpClientTest, ClosesTheConnectionOfWhatIsCancelled) {
  std::promise<std::string> rest;
  const test::ScriptedServer server([&](Connection& connection) {
    connection.hear_request(2);
    connection.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    rest.set_value(connection.hear("never"));
  });
  const auto heard = std::make_shared<HeardAnswer>();
  const auto sent = client_.send(post(server.url()), heard);
  EXPECT_TRUE(heard->hears("first"));
  sent->cancel();
  EXPECT_EQ(rest.get_future().get(), "");
  EXPECT_FALSE(heard->has_ended());
}

TEST_F(PooledHttpClientTest, FollowsNoRedirect) {
  const test::ScriptedServer server([](Connection& connection) {
    connection.hear_request(2);
    connection.say("HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n");
  });
  EXPECT_EQ(ask(post(server.url())), "302 ");
}

TEST_F(PooledHttpClientTest, KeepsNoConnectionOnWhichMoreComesThanWasAskedFor) {
  const test::ScriptedServer server([](Connection& connection) {
    while (!connection.hear_request(2).empty())
      connection.say("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb");
  });
  EXPECT_EQ(ask(post(server.url())), "200 a");
  EXPECT_EQ(ask(post(server.url())), "200 a");
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(PooledHttpClientTest, SendsWhatTheSocketDoesNotTakeAtOnce) {
  constexpr std::size_t bytes = std::size_t{8} << 20;
  const test::ScriptedServer server([](Connection& connection) {
    const auto request = connection.hear_request(bytes);
    connection.answer(std::to_string(std::ranges::count(request, '\1')));
  });
  EXPECT_EQ(ask(post(server.url(), std::string(bytes, '\1'))), "200 " + std::to_string(bytes));
}

TEST(OutgoingRequestTest, HasNoValueThatEndsItsLine) {
  OutgoingRequest request;
  request.add("X-Name", "a\r\nX-Other: b");
  EXPECT_EQ(request.fields, "X-Name: a  X-Other: b\r\n");
}

// Says hello to everybody.
class Greeting final : public HttpService {
 public:
  Greeting() {
    router_.add({"/",
                 {{boost::beast::http::verb::get,
                   [](HttpRequest&, HttpConnection& connection) { return connection.respond({.body = "Hello"}); }}},
                 nullptr});
  }
  Coroutine<> serve(HttpRequest& request, HttpConnection& connection) override {
    return router_.route(request, connection);
  }
  HttpResponse refuse(HttpRefusal refusal) const override {
    return {.status = refusal.status, .body = refusal.message, .fields = {}};
  }

 private:
  HttpRouter router_{{}, {.status = 404}};
};

class PooledHttpClientTlsTest : public ::testing::Test {
 protected:
  // What a client hears that trusts `authority` of a server with this certificate.
  std::string ask(const test::TestCertificate& certificate, const std::string& authority) {
    const auto key = folder_.write("server.key", certificate.key_pem());
    std::filesystem::permissions(key, std::filesystem::perms(0600));
    const auto context = TlsContext::load({.certificate = folder_.write("server.pem", certificate.pem()), .key = key},
                                          nullptr, std::chrono::system_clock::now());
    if (context.has_error()) return context.error().message;
    EventLoops loops(1, 4);
    HttpServer server(loops, {.listen = {.port = 0}}, greeting_, log_, [&](HttpSocket socket, HttpPeer peer) {
      return std::make_unique<TlsStream>(std::move(socket), std::move(peer), **context);
    });
    if (const auto listens = server.listen(); listens.has_error()) return listens.error().message;
    server.serve();
    std::string outcome;
    PooledHttpClient client(client_loops_, {.authorities = std::make_shared<TrustedAuthorities>(authority)});
    for (int i = 0; i < 2; ++i) {
      const auto heard = std::make_shared<HeardAnswer>();
      auto request =
          OutgoingRequest{.url = *read_http_url("https://127.0.0.1:" + std::to_string(server.port())), .method = "GET"};
      client.send(std::move(request), heard);
      outcome = heard->outcome();
    }
    loops.stop();
    EXPECT_TRUE(loops.join(test::patience));
    return outcome;
  }
  // Trusting the certificate itself, or what has issued it.
  std::string ask(const test::TestCertificate& certificate, const test::TestCertificate& trusted) {
    return ask(certificate, folder_.write("authority.pem", trusted.pem()).string());
  }

  test::TemporaryFolder folder_;
  test::RecordingLog log_{Log::Level::off};
  Greeting greeting_;
  EventLoops client_loops_{1, 4};
};

TEST_F(PooledHttpClientTlsTest, TrustsWhomItIsToldToTrust) {
  const test::TestCertificate authority({.common_name = "authority"});
  EXPECT_EQ(ask(test::TestCertificate({}, &authority), authority), "200 Hello");
}

TEST_F(PooledHttpClientTlsTest, SaysWhyItTrustsAServerNot) {
  const test::TestCertificate own;
  EXPECT_EQ(ask(own, ""), "TLS: certificate verify failed: self-signed certificate");
  const test::TestCertificate other({.alternative_names = "DNS:other.example"});
  EXPECT_EQ(ask(other, other), "TLS: certificate verify failed: IP address mismatch");
  const test::TestCertificate old({.begin = -2h, .end = -1h});
  EXPECT_NE(ask(own, old), "200 Hello");
  const auto none = folder_.write("none.pem", "nothing");
  EXPECT_EQ(ask(own, none.string()).substr(0, none.string().size() + 48),
            none.string() + ": there is no certificate in PEM in it that can ");
}

// A pipe without a writer takes as long to read as a test likes.
TEST_F(PooledHttpClientTlsTest, KeepsNobodyWaitingWhileItReadsWhomToTrust) {
  const auto pipe = folder_.path() / "authority.pem";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const test::ScriptedServer server([](Connection& connection) { connection.hear("never"); });
  PooledHttpClient client(client_loops_, {.authorities = std::make_shared<TrustedAuthorities>(pipe)});
  const auto ask = [&] {
    auto heard = std::make_shared<HeardAnswer>();
    client.send({.url = *read_http_url("https" + server.url().substr(4))}, heard);
    return heard;
  };
  const auto first = ask();
  std::ofstream authorities(pipe);  // opened once it is being read
  auto second = std::async(std::launch::async, ask);
  EXPECT_EQ(second.wait_for(test::patience), std::future_status::ready);
  authorities.close();
  EXPECT_NE(first->outcome().find("there is no certificate in PEM"), std::string::npos);
  // It is read anew for the next one, until there is something in it.
  std::ofstream(pipe).close();
  EXPECT_NE(second.get()->outcome().find("there is no certificate in PEM"), std::string::npos);
}

TEST_F(PooledHttpClientTest, SaysThatAServerHasNoTls) {
  const test::ScriptedServer plain([](Connection& connection) { connection.say("HTTP/1.1 400 Bad Request\r\n\r\n"); });
  auto request = get("https" + plain.url().substr(4));
  EXPECT_EQ(ask(std::move(request)), "TLS: wrong version number");
}

}  // namespace
}  // namespace mcph
