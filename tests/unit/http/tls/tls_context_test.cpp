#include "http/tls/tls_context.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "http/tls/client_certificate.hpp"
#include "support/certificates.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using test::TestCertificate;

class TlsContextTest : public ::testing::Test {
 protected:
  TlsContextTest() { put(certificate_.pem(), certificate_.key_pem()); }

  void put(const std::string& certificate, const std::string& key) {
    options_.certificate = folder_.write("server.pem", certificate);
    options_.key = folder_.write("server.key", key);
    std::filesystem::permissions(options_.key, std::filesystem::perms(0600));
  }
  // What is wrong, without the folder; empty: nothing.
  std::string mistake(std::chrono::seconds later = 0s) {
    const auto loaded = TlsContext::load(options_, nullptr, std::chrono::system_clock::now() + later);
    if (loaded.has_value()) return {};
    const auto& message = loaded.error().message;
    const auto prefix = folder_.path().string() + "/";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

  test::TemporaryFolder folder_;
  TestCertificate certificate_;
  TlsOptions options_;
};

TEST_F(TlsContextTest, TakesACertificateWithItsKeyAndThoseBehindIt) {
  EXPECT_EQ(mistake(), "");
  const TestCertificate authority({.common_name = "authority"});
  const TestCertificate issued({}, &authority);
  put(issued.pem() + authority.pem(), issued.key_pem());
  EXPECT_EQ(mistake(), "");
}

TEST_F(TlsContextTest, SaysWhatIsWrongWithThePair) {
  const TestCertificate other;
  put(certificate_.pem(), other.key_pem());
  EXPECT_EQ(mistake(), "server.key: the key is not that of the certificate");
  put(certificate_.pem(), "");
  EXPECT_EQ(mistake(), "server.key: there is no private key in PEM in it that can be read without a password");
  put("", certificate_.key_pem());
  EXPECT_EQ(mistake(), "server.pem: there is no certificate in PEM in it");
  put(certificate_.pem(), certificate_.key_pem());
  EXPECT_EQ(mistake(2h).substr(0, 42), "server.pem: the certificate has expired at");
  EXPECT_EQ(mistake(-2h).substr(0, 43), "server.pem: the certificate is not good bef");
}

TEST_F(TlsContextTest, TakesOneThatEndsLaterThanTheClockCanSay) {
  constexpr auto year = std::chrono::hours(24 * 365);
  const TestCertificate lasting({.end = 400 * year});
  put(lasting.pem(), lasting.key_pem());
  EXPECT_EQ(mistake(), "");
}

TEST_F(TlsContextTest, TakesNoneThatIsStillBeingWritten) {
  const auto whole = certificate_.pem() + TestCertificate().pem();
  const auto first = certificate_.pem().size();
  for (std::size_t size = 0; size < whole.size(); size += 40) {
    if (size == first) continue;
    put(whole.substr(0, size), certificate_.key_pem());
    const bool is_half = size < first - 1 || size > first + 30;
    EXPECT_EQ(mistake().empty(), !is_half) << size;
  }
}

TEST_F(TlsContextTest, TakesNoKeyThatOthersCanReadOrWrite) {
  using std::filesystem::perms;
  std::filesystem::permissions(options_.key, perms(0640));
  EXPECT_EQ(mistake(), "");
  std::filesystem::permissions(options_.key, perms(0644));
  EXPECT_EQ(mistake(), "server.key: everybody may read it; chmod o-r it");
  std::filesystem::permissions(options_.key, perms(0660));
  EXPECT_EQ(mistake(), "server.key: others than its owner may write to it; chmod go-w it");
}

TEST_F(TlsContextTest, NeedsThoseWhoIssueClientsCertificates) {
  options_.client_certificates = TlsOptions::ClientCertificates::optional;
  options_.client_ca = folder_.path() / "clients.pem";
  EXPECT_EQ(mistake(), "clients.pem: it cannot be opened: No such file or directory");
  folder_.write("clients.pem", TestCertificate().pem());
  EXPECT_EQ(mistake(), "");
}

TEST(ClientCertificateTest, SaysItsNamesAndItsThumbprint) {
  const auto names = "URI:spiffe://example/ada,DNS:a.example,DNS:b.example,email:ada@example.com,IP:127.0.0.1";
  const TestCertificate shown({.common_name = "Ada, L", .alternative_names = names});
  const auto read = read_client_certificate(shown.certificate());
  EXPECT_EQ(read.subject, "CN=Ada\\, L");
  EXPECT_EQ(read.uris, std::vector<std::string>{"spiffe://example/ada"});
  EXPECT_EQ(read.names, (std::vector<std::string>{"a.example", "b.example"}));
  EXPECT_EQ(read.emails, std::vector<std::string>{"ada@example.com"});
  EXPECT_EQ(read.thumbprint.size(), 43U);
  const auto left = read.expiry - std::chrono::system_clock::now();
  EXPECT_GT(left, 59min);
  EXPECT_LT(left, 61min);
}

TEST(ClientCertificateTest, LeavesOutNamesThatCouldBeTakenForOthers) {
  const TestCertificate shown({.common_name = "\xD0\xB0"
                                              "da",
                               .alternative_names = "URI:spiffe://example/a b"});
  const auto read = read_client_certificate(shown.certificate());
  EXPECT_EQ(read.subject, "CN=\\D0\\B0da");
  EXPECT_EQ(read.uris, (std::vector<std::string>{""})) << "and one besides would be the second";
}

}  // namespace
}  // namespace mcph
