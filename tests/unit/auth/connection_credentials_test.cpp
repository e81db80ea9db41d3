#include "auth/connection_credentials.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

using Subject = CertificateSubject;

class ConnectionCredentialsTest : public ::testing::Test {
 protected:
  static HttpPeer with_certificate(ClientCertificate certificate) {
    return {.address = IpAddress::read("192.0.2.9"),
            .certificate = std::make_shared<const ClientCertificate>(std::move(certificate))};
  }
  static HttpPeer at(const char* address) { return {.address = IpAddress::read(address)}; }

  // "issuer#subject name groups", "nobody" or the error.
  static std::string who(const ConnectionCredentials& credentials, const HttpPeer& peer, ForwardedUser forwarded = {}) {
    const auto found = credentials.identify({.peer = &peer, .forwarded = std::move(forwarded)});
    if (found.has_error()) return found.error().description;
    if (!*found) return "nobody";
    const auto& identity = **found;
    auto text = identity.issuer + "#" + identity.subject + " " + identity.name;
    for (const auto& group : identity.groups)
      text += " " + group;
    return text;
  }
  static std::string source(const ConnectionCredentials& credentials, const HttpPeer& peer, const char* forwarded) {
    const auto found = credentials.source_of(peer, forwarded);
    return found ? found->text() : "nothing";
  }

  const HttpPeer local_{.at_unix_socket = true};
  const ProxySettings by_socket_{.from = {"unix"},
                                 .user_header = "X-Forwarded-User",
                                 .groups_header = "X-Forwarded-Groups",
                                 .name_header = "X-Forwarded-Preferred-Username"};
};

TEST_F(ConnectionCredentialsTest, TakesTheSubjectFromWhereItIsConfigured) {
  const auto ada = with_certificate(
      {.subject = "CN=ada", .uris = {"spiffe://x/ada"}, .names = {"ada.example"}, .emails = {"ada@example.com"}});
  EXPECT_EQ(who({Subject::san_uri, {}}, ada), "mtls#spiffe://x/ada spiffe://x/ada");
  EXPECT_EQ(who({Subject::san_dns, {}}, ada), "mtls#ada.example ada.example");
  EXPECT_EQ(who({Subject::san_email, {}}, ada), "mtls#ada@example.com ada@example.com");
  EXPECT_EQ(who({Subject::subject, {}}, ada), "mtls#CN=ada CN=ada");
  EXPECT_EQ(who({Subject::none, {}}, ada), "nobody");
}

TEST_F(ConnectionCredentialsTest, KnowsNobodyByACertificateThatNamesNoneOrSeveral) {
  EXPECT_EQ(who({Subject::san_uri, {}}, with_certificate({.subject = "CN=ada"})), "nobody");
  EXPECT_EQ(who({Subject::san_dns, {}}, with_certificate({.names = {"a.example", "b.example"}})), "nobody");
  EXPECT_EQ(who({Subject::subject, {}}, at("192.0.2.1")), "nobody");
}

TEST_F(ConnectionCredentialsTest, BelievesATrustedProxyAndNobodyElse) {
  const ForwardedUser ada{.users = {"ada"}, .names = {"Ada L"}, .groups = {"staff, admins"}};
  const ConnectionCredentials credentials(Subject::none, by_socket_);
  EXPECT_EQ(who(credentials, local_, ada), "proxy#ada Ada L staff admins");
  EXPECT_EQ(who(credentials, at("127.0.0.1"), ada), "nobody");
  EXPECT_EQ(who(credentials, unknown_peer, ada), "nobody");
  EXPECT_EQ(who(credentials, with_certificate({.subject = "CN=front"}), ada), "nobody");
  EXPECT_EQ(who({Subject::none, {.from = {"mtls#CN=front"}, .user_header = "X"}}, local_, ada), "nobody");
}

TEST_F(ConnectionCredentialsTest, KnowsAProxyByItsCertificateWhichIsNobodysThen) {
  auto settings = by_socket_;
  settings.from = {"mtls#CN=front"};
  const ConnectionCredentials credentials(Subject::subject, settings);
  const auto front = with_certificate({.subject = "CN=front"});
  EXPECT_EQ(who(credentials, front, {.users = {"ada"}}), "proxy#ada ada");
  EXPECT_EQ(who(credentials, front), "nobody");
  const auto eve = with_certificate({.subject = "CN=eve"});
  EXPECT_EQ(who(credentials, eve, {.users = {"ada"}}), "mtls#CN=eve CN=eve");
}

TEST_F(ConnectionCredentialsTest, VouchesForNobodyAnyMoreWhoseProxyIsNotTrustedAnyMore) {
  auto settings = by_socket_;
  settings.from = {"unix", "mtls#CN=front"};
  const ConnectionCredentials before(Subject::subject, settings);
  const auto front = with_certificate({.subject = "CN=front"});
  const auto by_front = **before.identify({.peer = &front, .forwarded = {.users = {"ada"}}});
  const auto by_socket = **before.identify({.peer = &local_, .forwarded = {.users = {"ada"}}});
  const auto eve = with_certificate({.subject = "CN=eve", .uris = {"spiffe://x/eve"}});
  const auto herself = **before.identify({.peer = &eve});
  for (const auto* each : {&by_front, &by_socket, &herself})
    EXPECT_TRUE(before.vouches_for(*each));
  const ConnectionCredentials after(Subject::san_uri, by_socket_);
  EXPECT_FALSE(after.vouches_for(by_front));
  EXPECT_TRUE(after.vouches_for(by_socket));
  EXPECT_FALSE(after.vouches_for(herself));
  EXPECT_FALSE(ConnectionCredentials().vouches_for(by_socket));
  // Nor where it says in another header who that is.
  for (const auto header : {&ProxySettings::user_header, &ProxySettings::groups_header, &ProxySettings::name_header}) {
    auto renamed = by_socket_;
    renamed.*header = "X-Other";
    EXPECT_FALSE(ConnectionCredentials(Subject::none, renamed).vouches_for(by_socket));
  }
}

TEST_F(ConnectionCredentialsTest, RefusesAProxyThatNamesTwoOrWhatIsNoName) {
  const ConnectionCredentials credentials(Subject::none, by_socket_);
  EXPECT_EQ(who(credentials, local_, {.users = {"ada", "eve"}}), "the proxy says more than once for whom it asks");
  EXPECT_EQ(who(credentials, local_, {.users = {"ada"}, .groups = {"staff", "admins"}}),
            "the proxy says groups more than once");
  EXPECT_EQ(who(credentials, local_, {.users = {"\xff"}}),
            "the proxy says for whom it asks in a way that cannot be read");
  EXPECT_EQ(who(credentials, local_, {.users = {"ada"}, .groups = {"\xff"}}),
            "the proxy says groups in a way that cannot be read");
  EXPECT_EQ(who(credentials, local_, {.users = {"  "}}), "nobody");
}

TEST_F(ConnectionCredentialsTest, TakesTheSourceFromTrustedProxiesOnly) {
  const ConnectionCredentials credentials(
      Subject::none, {.trusted_addresses = {*IpNetwork::read("10.0.0.0/8"), *IpNetwork::read("::1")}});
  EXPECT_EQ(source(credentials, at("192.0.2.1"), "203.0.113.7"), "nothing");
  EXPECT_EQ(source(credentials, local_, "203.0.113.7"), "nothing");
  EXPECT_EQ(source(credentials, at("10.1.2.3"), "203.0.113.7"), "203.0.113.7");
  EXPECT_EQ(source(credentials, at("::1"), "[2001:db8::7]:4711"), "2001:db8::7");
  EXPECT_EQ(source({Subject::none, by_socket_}, local_, "203.0.113.7:4711"), "203.0.113.7");
}

TEST_F(ConnectionCredentialsTest, TakesTheLastSourceThatNoProxyHas) {
  const ConnectionCredentials credentials(Subject::none, {.trusted_addresses = {*IpNetwork::read("10.0.0.0/8")}});
  const auto proxy = at("10.0.0.1");
  EXPECT_EQ(source(credentials, proxy, "198.51.100.1, 203.0.113.7, 10.0.0.2"), "203.0.113.7");
  EXPECT_EQ(source(credentials, proxy, "10.0.0.3, 10.0.0.2"), "10.0.0.3");
  EXPECT_EQ(source(credentials, proxy, "203.0.113.7, unknown, 10.0.0.2"), "10.0.0.2");
  EXPECT_EQ(source(credentials, proxy, "unknown"), "nothing");
  EXPECT_EQ(source(credentials, proxy, ""), "nothing");
}

}  // namespace
}  // namespace mcph
