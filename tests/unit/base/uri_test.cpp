#include "base/uri.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(NormalizedUri, HasOneFormForEachUri) {
  EXPECT_EQ(normalized_uri("a://b/c?d=e#f"), "a://b/c?d=e#f");
  EXPECT_EQ(normalized_uri("a://%7e%41%2d%2f%3A"), "a://~A-%2F%3A");
  EXPECT_EQ(normalized_uri("a://caf\xC3\xA9"), "a://caf%C3%A9");
  EXPECT_EQ(normalized_uri("a://%zz%4%"), "a://%zz%4%");
  EXPECT_EQ(normalized_uri("a://b c<>\"{}|\\^`\x7F"), "a://b%20c%3C%3E%22%7B%7D%7C%5C%5E%60%7F");
  EXPECT_EQ(normalized_uri("a://b[0]?c#d#"), "a://b[0]?c#d#");
  EXPECT_EQ(normalized_uri(""), "");
}

TEST(NormalizedUri, IsNoCopyWhereAUriIsInThatForm) {
  const std::string_view uri = "a://b/c?d=e#f";
  std::string storage;
  EXPECT_EQ(normalized_uri(uri, storage).data(), uri.data());
  EXPECT_EQ(normalized_uri("a://%7e", storage), "a://~");
  EXPECT_EQ(normalized_uri("a://b c", storage), "a://b%20c");
}

TEST(CanonicalOrigin, IsInLowerCaseWithoutAUserAndAPortThatItsSchemeHasAnyway) {
  for (const auto* uri : {"https://hr.example/Page?Q", "http://a:443/", "wss://[::1]:80", "docs://Team/Page",
                          "DOCS://a", "a", "mailto:A@b", ""})
    EXPECT_TRUE(has_canonical_origin(uri)) << uri;
  for (const auto* uri : {"https://HR.example/", "HTTPS://a", "https://a:443/x", "http://a:80", "ws://a:80?b",
                          "wss://a:443#b", "https://ada@a/", "http://a:/"})
    EXPECT_FALSE(has_canonical_origin(uri)) << uri;
}

TEST(CanonicalOrigin, HasOneSpelling) {
  for (const auto* uri : {"https://a", "ws://a:8080?b", "https://3.example/a.", "http://192.0.2.1:8080/",
                          "http://[2001:db8::1]/", "https://0x7f.example/", "https://x1", "docs:a", "docs://a."})
    EXPECT_TRUE(has_canonical_origin(uri)) << uri;
  for (const auto* uri : {"https:/a/b", "https:a/b", "HTTPS:a", "ws:", "https:///a/b", "https://", "https://?a",
                          "https://a./b", "https://a.:8443/b", "https://a:0443/b", "https://a:00/b", "https://:8443/b",
                          "https://%C3%BC.example/", "https://a%3A443/"})
    EXPECT_FALSE(has_canonical_origin(uri)) << uri;
  for (const auto* uri : {"http://127.1/", "http://0x7f.0.0.1/", "http://2130706433/", "http://0177.0.0.1/",
                          "http://1.2.3.0x4", "http://[0::1]/", "http://[::ffff:127.0.0.1]/", "http://[::1",
                          "http://[]/", "http://[::1]:/", "http://[127.0.0.1]/"})
    EXPECT_FALSE(has_canonical_origin(uri)) << uri;
}

TEST(EncodedUri, IsTheTextWithoutWhatAUriCannotHave) {
  EXPECT_EQ(encoded_uri("notes://\xC3\xBC/ber uns"), "notes://%C3%BC/ber%20uns");
  EXPECT_EQ(encoded_uri("a://<\"{b}|\\^`>\n"), "a://%3C%22%7Bb%7D%7C%5C%5E%60%3E%0A");
  EXPECT_EQ(encoded_uri("a://b%7e c"), "a://b%7e%20c");
  EXPECT_EQ(encoded_uri("a://100%/%zz%4"), "a://100%25/%25zz%254");
}

TEST(EncodedUri, IsNothingForAUri) {
  for (const auto* uri :
       {"", "a://b/c?d=e#f", "a://%7e%41%2d%2f", "http://[::1]:80/x?y[0]=z!$&'()*+,;=@", "urn:isbn:1"})
    EXPECT_EQ(encoded_uri(uri), std::nullopt) << uri;
}

TEST(PercentDecode, TakesPlusForPlusAndAnyHexadecimalDigits) {
  EXPECT_EQ(percent_decode("a+b%2B%2b"), "a+b++");
  EXPECT_EQ(percent_decode(""), "");
  EXPECT_EQ(percent_decode("%2"), std::nullopt);
  EXPECT_EQ(percent_decode(std::string_view("a%41", 3)), std::nullopt);
}

TEST(AbsoluteUri, NeedsASchemeAndSomethingAfterIt) {
  for (const auto* uri : {"file:///a", "urn:isbn:1", "x+y-z.1:a", "mailto:a@b", "a:b c", "test://caf\xC3\xA9"}) {
    EXPECT_TRUE(is_absolute_uri(uri)) << uri;
  }
  for (const auto* uri :
       {"", ":", "a", "a:", "://b", "1a:b", "+a:b", "a_b:c", "/a:b", "a b:c", "a:b\n", "a:b\x7F", "caf\xC3\xA9:b"}) {
    EXPECT_FALSE(is_absolute_uri(uri)) << uri;
  }
}

}  // namespace
}  // namespace mcph
