#include "http/client/trusted_authorities.hpp"

#include <chrono>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "support/certificates.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

class TrustedAuthoritiesTest : public ::testing::Test {
 protected:
  // Null: they cannot be read.
  static std::shared_ptr<const ClientTlsContext> read(TrustedAuthorities& authorities) {
    const auto context = authorities.context();
    return context.has_value() ? *context : nullptr;
  }

  const test::TemporaryFolder folder_;
  const test::TestCertificate certificate_;
  const std::filesystem::path file_ = folder_.write("authority.pem", certificate_.pem());
};

TEST_F(TrustedAuthoritiesTest, AreReadAnewWhenTheyAreDoubted) {
  TrustedAuthorities authorities(file_, 0s);
  const auto first = read(authorities);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(read(authorities), first);
  authorities.doubt();
  const auto second = read(authorities);
  EXPECT_NE(second, nullptr);
  EXPECT_NE(second, first);
}

// A server that is tried again and again would have all that a machine trusts read each time.
TEST_F(TrustedAuthoritiesTest, AreNotReadAnewAtOnce) {
  TrustedAuthorities authorities(file_, 1h);
  const auto first = read(authorities);
  ASSERT_NE(first, nullptr);
  authorities.doubt();
  EXPECT_EQ(read(authorities), first);
}

TEST_F(TrustedAuthoritiesTest, AreReadAnewWhenTheirFileHasChanged) {
  TrustedAuthorities authorities(file_, 1h);
  const auto first = read(authorities);
  ASSERT_NE(first, nullptr);
  authorities.see_changes();
  EXPECT_EQ(read(authorities), first);
  const test::TestCertificate another;
  folder_.write("authority.pem", certificate_.pem() + another.pem());
  EXPECT_EQ(read(authorities), first);
  authorities.see_changes();
  const auto second = read(authorities);
  EXPECT_NE(second, nullptr);
  EXPECT_NE(second, first);
  std::filesystem::remove(file_);
  authorities.see_changes();
  EXPECT_EQ(read(authorities), nullptr);
}

}  // namespace
}  // namespace mcph
