#include "base/ip_address.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

std::string text_of(const char* text) {
  const auto read = IpAddress::read(text);
  return read ? read->text() : "nothing";
}

TEST(IpAddressTest, HasOneFormWhicheverWayAClientComes) {
  EXPECT_EQ(text_of("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(text_of("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(text_of("2001:DB8:0:0::1"), "2001:db8::1");
  for (const auto* const text : {"", "192.0.2", "192.0.2.256", "[::1]", "fe80::1%eth0", "192.0.2.1 ", "localhost"})
    EXPECT_EQ(text_of(text), "nothing") << text;
}

TEST(IpAddressTest, IsOfThisMachineOrNot) {
  for (const auto* const text : {"127.0.0.1", "127.255.0.3", "::1"})
    EXPECT_TRUE(IpAddress::read(text)->is_loopback()) << text;
  for (const auto* const text : {"128.0.0.1", "::", "0.0.0.0", "::2"})
    EXPECT_FALSE(IpAddress::read(text)->is_loopback()) << text;
}

bool contains(const char* network, const char* address) {
  return IpNetwork::read(network)->contains(*IpAddress::read(address));
}

TEST(IpNetworkTest, ContainsTheAddressesThatBeginSo) {
  EXPECT_TRUE(contains("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(contains("10.0.0.0/8", "11.0.0.1"));
  EXPECT_TRUE(contains("10.0.0.128/25", "10.0.0.129"));
  EXPECT_FALSE(contains("10.0.0.128/25", "10.0.0.127"));
  EXPECT_TRUE(contains("10.0.0.1", "::ffff:10.0.0.1"));
  EXPECT_FALSE(contains("10.0.0.1", "10.0.0.2"));
  EXPECT_TRUE(contains("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(contains("2001:db8::/33", "2001:db8:8000::1"));
  EXPECT_TRUE(contains("0.0.0.0/0", "192.0.2.1"));
  EXPECT_FALSE(contains("0.0.0.0/0", "2001:db8::1"));
}

TEST(IpNetworkTest, IsWrittenAsItWasRead) {
  for (const auto* const text : {"10.0.0.0/8", "0.0.0.0/0", "2001:db8::/32", "::/0", "192.0.2.1", "::1"})
    EXPECT_EQ(IpNetwork::read(text)->text(), text);
  for (const auto* const text : {"10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "::/129", "10.0.0.0/-1", "ten/8", ""})
    EXPECT_FALSE(IpNetwork::read(text)) << text;
}

}  // namespace
}  // namespace mcph
