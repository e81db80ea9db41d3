#include "http/client/http_url.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

std::string parts(std::string_view text) {
  const auto url = read_http_url(text);
  if (url.has_error()) return url.error().message.substr(url.error().message.rfind('"') + 2);
  return (url->tls ? "tls " : "") + url->host + " " + url->port + " " + url->authority + " " + url->target;
}

TEST(HttpUrlTest, HasItsParts) {
  EXPECT_EQ(parts("https://a.example"), "tls a.example 443 a.example /");
  EXPECT_EQ(parts("https://a.example:8443/x/y?z=1"), "tls a.example 8443 a.example:8443 /x/y?z=1");
  EXPECT_EQ(parts("https://a.example?z"), "tls a.example 443 a.example /?z");
  EXPECT_EQ(parts("https://[2001:db8::1]/x"), "tls 2001:db8::1 443 [2001:db8::1] /x");
  EXPECT_EQ(parts("https://[2001:db8::1]:1/x"), "tls 2001:db8::1 1 [2001:db8::1]:1 /x");
  EXPECT_EQ(parts("http://127.0.0.1:9797"), "127.0.0.1 9797 127.0.0.1:9797 /");
  EXPECT_EQ(parts("http://localhost/x"), "localhost 80 localhost /x");
}

TEST(HttpUrlTest, IsSentInTheClearWhereThatIsMeant) {
  EXPECT_TRUE(read_http_url("http://a.example").has_error());
  EXPECT_EQ(read_http_url("http://a.example", true)->authority, "a.example");
}

TEST(HttpUrlTest, HasAnOrigin) {
  const auto same = [](std::string_view left, std::string_view right) {
    return is_same_origin(*read_http_url(left), *read_http_url(right));
  };
  EXPECT_TRUE(same("https://a.example/x", "https://A.example:443/y"));
  EXPECT_FALSE(same("https://a.example", "https://a.example:444"));
  EXPECT_FALSE(same("https://a.example", "https://b.example"));
  EXPECT_FALSE(same("http://localhost:443", "https://localhost"));
}

TEST(HttpUrlTest, KeepsItsQueryToItself) {
  EXPECT_EQ(without_query("https://a.example/x?key=secret"), "https://a.example/x");
  EXPECT_EQ(without_query("https://a.example/x"), "https://a.example/x");
  EXPECT_EQ(read_http_url("ftp://a.example/x?key=secret").error().message,
            "\"ftp://a.example/x?...\" must begin with https://, or http:// for this machine");
}

TEST(HttpUrlTest, RefusesWhatIsSentInTheClearOrIsNone) {
  EXPECT_EQ(parts("http://a.example"), "must begin with https://, unless it is this machine");
  EXPECT_EQ(parts("http://127.0.0.1.example"), "must begin with https://, unless it is this machine");
  EXPECT_EQ(parts("ftp://a.example"), "must begin with https://, or http:// for this machine");
  EXPECT_EQ(parts("https://"), "names no host");
  EXPECT_EQ(parts("https://a.example:0"), "has a port that there is not");
  EXPECT_EQ(parts("https://a.example:65536"), "has a port that there is not");
  EXPECT_EQ(parts("https://a.example:99999999999"), "has a port that there is not");
  EXPECT_EQ(parts("https://:80"), "names no host");
  EXPECT_EQ(parts("https://user@a.example"), "names no host");
  EXPECT_EQ(parts("https://a.example/#x"), "has a character that no URL has");
  EXPECT_EQ(parts("https://a.example/x y"), "has a character that no URL has");
  EXPECT_EQ(parts("https://a.example/\r\nX: y"), "has a character that no URL has");
}

}  // namespace
}  // namespace mcph
