// A server of HTTP over TLS, and a client of OpenSSL on the test's thread.
#include "http/tls/tls_stream.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <openssl/ssl.h>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/connection.hpp"
#include "http/server.hpp"
#include "http/service.hpp"
#include "runtime/current.hpp"
#include "support/certificates.hpp"
#include "support/eventually.hpp"
#include "support/raw_client.hpp"
#include "support/recording_log.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using test::TestCertificate;
using ::testing::HasSubstr;

// Says who asks, and how much he has said; for "/long" at length, and for "/some" in a few records.
class Echo final : public HttpService {
 public:
  Coroutine<> serve(HttpRequest& request, HttpConnection& connection) override {
    if (request.path == "/long") return connection.respond({.body = std::string(long_answer, 'x')});
    if (request.path == "/some") return connection.respond({.body = std::string(some_answer, 'x') + " bytes\n"});
    const auto& shown = request.peer.certificate;
    return connection.respond({.body = (shown == nullptr ? "nobody" : shown->subject) + " said " +
                                       std::to_string(request.body.text().size()) + " bytes\n"});
  }
  HttpResponse refuse(HttpRefusal refusal) const override {
    return {.status = refusal.status, .body = refusal.message + "\n"};
  }
  static constexpr std::size_t long_answer = std::size_t{8} << 20;
  static constexpr std::size_t some_answer = 60'000;
};

// Counts what could not be written at once.
class WatchedStream final : public HttpStream {
 public:
  WatchedStream(std::unique_ptr<HttpStream> stream, std::atomic<int>& late_writes)
      : HttpStream(HttpPeer(stream->peer())), stream_(std::move(stream)), late_writes_(late_writes) {}

  boost::asio::any_io_executor executor() override { return stream_->executor(); }
  Coroutine<Result<>> open() override { return stream_->open(); }
  Coroutine<Transferred> read_some(boost::asio::mutable_buffer bytes) override { return stream_->read_some(bytes); }
  Coroutine<Transferred> write_some(boost::asio::const_buffer bytes) override {
    ++late_writes_;
    return stream_->write_some(bytes);
  }
  Transferred write_now(boost::asio::const_buffer bytes) override { return stream_->write_now(bytes); }
  bool is_at_end() override { return stream_->is_at_end(); }
  void cancel() override { stream_->cancel(); }
  Coroutine<> end_sending() override { return stream_->end_sending(); }
  void shut_down() override { stream_->shut_down(); }
  void close() override { stream_->close(); }

 private:
  const std::unique_ptr<HttpStream> stream_;
  std::atomic<int>& late_writes_;
};

class TlsClient {
 public:
  explicit TlsClient(std::uint16_t port, const TestCertificate* own = nullptr)
      : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free), tls_(nullptr, SSL_free) {
    if (own != nullptr) {
      SSL_CTX_use_certificate(context_.get(), own->certificate());
      SSL_CTX_use_PrivateKey(context_.get(), own->key());
    }
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const timeval timeout{.tv_sec = test::patience.count(), .tv_usec = 0};
    EXPECT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout), 0);
    tls_.reset(SSL_new(context_.get()));
    SSL_set_fd(tls_.get(), socket_);
  }
  ~TlsClient() { ::close(socket_); }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  bool open() { return SSL_connect(tls_.get()) == 1; }
  void say(const std::string& text) {
    EXPECT_EQ(SSL_write(tls_.get(), text.data(), static_cast<int>(text.size())), text.size());
  }
  // Until there is `end`, or nothing more comes.
  std::string hear(std::string_view end) {
    std::string heard;
    char piece[16384];
    while (heard.find(end) == std::string::npos) {
      const int count = SSL_read(tls_.get(), piece, sizeof piece);
      if (count <= 0) break;
      heard.append(piece, static_cast<std::size_t>(count));
    }
    return heard;
  }
  // Whether the server has said that it has said everything.
  bool is_whole() const { return (SSL_get_shutdown(tls_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }
  void cut() { ::shutdown(socket_, SHUT_WR); }
  SSL* tls() { return tls_.get(); }
  std::string common_name() {
    const std::unique_ptr<X509, void (*)(X509*)> shown(SSL_get1_peer_certificate(tls_.get()), X509_free);
    char name[64] = {};
    X509_NAME_get_text_by_NID(X509_get_subject_name(shown.get()), NID_commonName, name, sizeof name);
    return name;
  }

 private:
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_;
  int socket_ = -1;
};

class TlsStreamTest : public ::testing::Test {
 protected:
  TlsStreamTest() {
    std::signal(SIGPIPE, SIG_IGN);
    options_ = {.certificate = folder_.write("server.pem", own_.pem()),
                .key = folder_.write("server.key", own_.key_pem()),
                .client_ca = folder_.write("clients.pem", authority_.pem())};
    std::filesystem::permissions(options_.key, std::filesystem::perms(0600));
    load();
  }
  ~TlsStreamTest() override {
    threads_.stop();
    EXPECT_TRUE(threads_.join(test::patience));
  }

  void load() {
    auto loaded = TlsContext::load(options_, current_.get().get(), std::chrono::system_clock::now());
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    current_.set(*std::move(loaded));
  }
  void serve(HttpLimits limits = {}) {
    const auto make = [this](HttpSocket socket, HttpPeer peer) {
      return std::make_unique<TlsStream>(std::move(socket), std::move(peer), *current_.get());
    };
    serve_by(make, limits);
  }
  void serve_by(const MakeHttpStream& make, HttpLimits limits = {}) {
    http_ = std::make_unique<HttpServer>(threads_, HttpOptions{.listen = {.port = 0}, .limits = limits}, service_, log_,
                                         make);
    ASSERT_FALSE(http_->listen().has_error());
    http_->serve();
  }
  static std::string request(const std::string& path = "/", const std::string& body = {}, const char* more = "") {
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           more + "\r\n" + body;
  }

  test::TemporaryFolder folder_;
  TestCertificate own_{{.common_name = "first"}};
  TestCertificate authority_{{.common_name = "authority", .alternative_names = ""}};
  TlsOptions options_;
  Current<TlsContext> current_{nullptr};
  Echo service_;
  std::atomic<int> late_writes_{0};
  test::RecordingLog log_;
  EventLoops threads_{2, 4};
  std::unique_ptr<HttpServer> http_;
};

TEST_F(TlsStreamTest, ClosesWithoutAWordInTheClearWhatIsTooMany) {
  serve({.connections = 0});
  test::RawClient client(http_->port());
  EXPECT_EQ(client.hear_until_closed(), "");
  EXPECT_TRUE(test::eventually([&] { return log_.count("connection refused reason=too many are open") == 1; }));
}

TEST_F(TlsStreamTest, ServesOneRequestAfterTheOther) {
  serve();
  TlsClient client(http_->port());
  ASSERT_TRUE(client.open());
  client.say(request());
  EXPECT_THAT(client.hear("bytes\n"), HasSubstr("nobody said 0 bytes"));
  client.say(request("/", std::string(1'000'000, 'x')) + request("/", "abc"));
  EXPECT_THAT(client.hear(" 3 bytes\n"), HasSubstr("nobody said 1000000 bytes"));
}

TEST_F(TlsStreamTest, SaysThatALongAnswerIsWholeThoughItsReaderIsSlow) {
  serve();
  TlsClient client(http_->port());
  ASSERT_TRUE(client.open());
  client.say(request("/long", "", "Connection: close\r\n"));
  EXPECT_GT(client.hear("never").size(), Echo::long_answer);
  EXPECT_TRUE(client.is_whole());
}

TEST_F(TlsStreamTest, WritesAtOnceWhatTheSocketTakesThoughItIsMoreThanARecord) {
  serve_by([this](HttpSocket socket, HttpPeer peer) {
    auto stream = std::make_unique<TlsStream>(std::move(socket), std::move(peer), *current_.get());
    return std::make_unique<WatchedStream>(std::move(stream), late_writes_);
  });
  TlsClient client(http_->port());
  ASSERT_TRUE(client.open());
  for (int i = 0; i < 3; ++i) {
    client.say(request("/some"));
    EXPECT_THAT(client.hear(" bytes\n"), HasSubstr(std::string(Echo::some_answer, 'x')));
  }
  EXPECT_EQ(late_writes_, 0);
}

TEST_F(TlsStreamTest, AnswersNoRequestThatWasCutOff) {
  serve();
  TlsClient client(http_->port());
  ASSERT_TRUE(client.open());
  client.say("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc");
  client.cut();
  EXPECT_EQ(client.hear("never"), "");
}

TEST_F(TlsStreamTest, TellsWhoSpeaksWithoutTlsSo) {
  serve();
  test::RawClient client(http_->port());
  client.say("OPTIONS / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto& heard = client.hear_until_closed();
  EXPECT_THAT(heard, HasSubstr("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(heard, HasSubstr("\r\n\r\nThis port speaks HTTPS only; write https:// instead of http:// here\n"));
}

TEST_F(TlsStreamTest, EndsAHandshakeThatTakesTooLong) {
  serve({.header_time = 100ms});
  test::RawClient silent(http_->port());
  EXPECT_EQ(silent.hear_until_closed(), "");
  EXPECT_TRUE(test::eventually([&] { return http_->connections() == 0; }));
  constexpr auto late = "connection not opened reason=the handshake did not end in time source=127.0.0.1";
  EXPECT_EQ(log_.count(late), 0U);
  // What is said too late is not the beginning of a handshake any more.
  EXPECT_TRUE(test::eventually([&] {
    test::RawClient half(http_->port());
    half.say("\x16\x03\x01\x02");
    EXPECT_EQ(half.hear_until_closed(), "");
    return log_.count(late) > 0;
  }));
  EXPECT_TRUE(test::eventually([&] { return http_->connections() == 0; }));
}

TEST_F(TlsStreamTest, OpensNewConnectionsWithAnotherCertificateAndGoesOnWithOldOnes) {
  serve();
  TlsClient before(http_->port());
  ASSERT_TRUE(before.open());
  const TestCertificate next({.common_name = "second"});
  folder_.write("server.pem", next.pem());
  folder_.write("server.key", next.key_pem());
  load();
  TlsClient after(http_->port());
  ASSERT_TRUE(after.open());
  EXPECT_EQ(before.common_name(), "first");
  EXPECT_EQ(after.common_name(), "second");
  for (auto* client : {&before, &after}) {
    client->say(request());
    EXPECT_THAT(client->hear("bytes\n"), HasSubstr("nobody said 0 bytes"));
  }
}

// The session of one connection.
std::unique_ptr<SSL_SESSION, void (*)(SSL_SESSION*)> session_of(TlsClient& client) {
  client.say("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
  client.hear("bytes\n");  // and the tickets before it
  return {SSL_get1_session(client.tls()), SSL_SESSION_free};
}

TEST_F(TlsStreamTest, ResumesSessionsWithAnotherCertificateButNotWithOtherAuthorities) {
  options_.client_certificates = TlsOptions::ClientCertificates::optional;
  load();
  serve();
  const TestCertificate ada({.common_name = "ada"}, &authority_);
  TlsClient first(http_->port(), &ada);
  ASSERT_TRUE(first.open());
  const auto session = session_of(first);
  const auto resumes = [&] {
    TlsClient again(http_->port(), &ada);
    SSL_set_session(again.tls(), session.get());
    again.open();
    const bool resumed = SSL_session_reused(again.tls()) == 1;
    again.say(request());
    const auto answer = again.hear("bytes\n");
    return std::pair(resumed, answer.find("CN=ada said") != std::string::npos);
  };
  load();
  EXPECT_EQ(resumes(), std::pair(true, true));
  folder_.write("clients.pem", TestCertificate({.common_name = "another"}).pem());
  load();
  EXPECT_FALSE(resumes().second);
}

TEST_F(TlsStreamTest, KnowsWhoseCertificateItIs) {
  options_.client_certificates = TlsOptions::ClientCertificates::optional;
  load();
  serve();
  const TestCertificate ada({.common_name = "ada"}, &authority_);
  TlsClient known(http_->port(), &ada);
  ASSERT_TRUE(known.open());
  known.say(request());
  EXPECT_THAT(known.hear("bytes\n"), HasSubstr("CN=ada said"));
  TlsClient unknown(http_->port());
  ASSERT_TRUE(unknown.open());
  unknown.say(request());
  EXPECT_THAT(unknown.hear("bytes\n"), HasSubstr("nobody said"));
}

TEST_F(TlsStreamTest, RefusesCertificatesThatAreNotGood) {
  options_.client_certificates = TlsOptions::ClientCertificates::required;
  load();
  serve();
  const TestCertificate stranger;
  const TestCertificate late({.common_name = "late", .begin = -20s, .end = -10s}, &authority_);
  const auto refuses = [&](const TestCertificate* shown) {
    TlsClient client(http_->port(), shown);
    if (client.open()) SSL_write(client.tls(), "GET", 3);  // in TLS 1.3 the client does not know yet
    return client.hear("never").empty();
  };
  std::size_t refused = 0;
  for (const auto* const shown : {static_cast<const TestCertificate*>(nullptr), &stranger, &late}) {
    EXPECT_TRUE(refuses(shown));
    ++refused;
    // The next connection may be one of the other event loop, which need not wait with its line.
    EXPECT_TRUE(test::eventually([&] { return log_.count("connection not opened") == refused; }));
  }
  const auto lines = log_.lines();
  EXPECT_THAT(lines[0], HasSubstr("peer did not return a certificate"));
  EXPECT_THAT(lines[1], HasSubstr("certificate verify failed: self-signed certificate"));
  EXPECT_THAT(lines[2], HasSubstr("certificate verify failed: certificate has expired"));
}

TEST_F(TlsStreamTest, SpeaksNoOldVersionAndNoOtherProtocol) {
  serve();
  TlsClient old(http_->port());
  SSL_set_max_proto_version(old.tls(), TLS1_1_VERSION);
  SSL_set_security_level(old.tls(), 0);
  EXPECT_FALSE(old.open());
  TlsClient usual(http_->port());
  constexpr unsigned char offered[] = "\x02h2\x08http/1.1";
  SSL_set_alpn_protos(usual.tls(), offered, sizeof offered - 1);
  EXPECT_TRUE(usual.open());
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(usual.tls(), &chosen, &size);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(chosen), size), "http/1.1");
  TlsClient other(http_->port());
  SSL_set_alpn_protos(other.tls(), offered, 3);
  EXPECT_FALSE(other.open());
}

}  // namespace
}  // namespace mcph
