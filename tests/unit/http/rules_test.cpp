#include "http/rules.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(LoopbackHost, IsThisMachineByNameOrAddress) {
  for (const auto* host : {"localhost", "localhost:8080", "LocalHost", "127.0.0.1", "127.0.0.1:80", "127.1.2.3",
                           "127.255.255.255:65535", "[::1]", "[::1]:8080"}) {
    EXPECT_TRUE(is_loopback_host(host)) << host;
  }
}

TEST(LoopbackHost, IsNothingThatOnlyLooksLikeIt) {
  for (const auto* host : {"",
                           ":8080",
                           "example.org",
                           "localhost.example.org",
                           "localhost.",
                           "my-localhost",
                           "127.0.0.1.example.org",
                           "128.0.0.1",
                           "10.127.0.1",
                           "127.0.0",
                           "127.0.0.1.1",
                           "127.0.0.256",
                           "127.0.0.-1",
                           "127.0.0.",
                           "127..0.1",
                           "0.0.0.0",
                           "::1",
                           "[::1",
                           "[::1]x",
                           "[::2]",
                           "[::ffff:127.0.0.1]",
                           "127.0.0.1/",
                           "localhost/",
                           " localhost"}) {
    EXPECT_FALSE(is_loopback_host(host)) << host;
  }
}

TEST(LoopbackHost, HasAPortThatIsANumberOrNone) {
  for (const auto* host : {"localhost:80@example.org", "127.0.0.1:80/x", "[::1]:x"}) {
    EXPECT_FALSE(is_loopback_host(host)) << host;
  }
}

TEST(Authority, IsAHostWithOrWithoutAPort) {
  for (const auto* text : {"example.org", "EXAMPLE.org:8080", "localhost:", "127.0.0.1:1", "[::1]", "[::1]:8080", "",
                           ":80", "a_b", "%C3%A4.example", "a!$&'()*+,;=~-._"}) {
    EXPECT_TRUE(is_authority(text)) << text;
  }
  for (const auto* text :
       {" ",  "a b", "a/b",    "a?b",     "a#b", "user@a", "a:b", "a:80:80", "a:-1", "::1",   "[::1",
        "[]", "[a]", "[::1]a", "[::1]:x", "%",   "%c",     "%zz", "a\\b",    "<a>",  "a\x7f", "\xC3\xA4"}) {
    EXPECT_FALSE(is_authority(text)) << text;
  }
}

TEST(RequestTarget, IsAPathAUrlOrTheServer) {
  const auto path = read_target("/mcp?a=b", "localhost");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->host, "localhost");
  EXPECT_EQ(path->path, "/mcp");
  EXPECT_EQ(path->query, "a=b");
  const auto url = read_target("HTTPS://example.org:1/mcp?", "localhost");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "example.org:1");
  EXPECT_EQ(url->path, "/mcp");
  EXPECT_EQ(url->query, "");
  const auto query = read_target("http://example.org?a/b", std::nullopt);
  ASSERT_TRUE(query);
  EXPECT_EQ(query->host, "example.org");
  EXPECT_EQ(query->path, "");
  EXPECT_EQ(query->query, "a/b");
  EXPECT_TRUE(read_target("*", "localhost")->is_server);
  for (const auto* text : {"", "mcp", "localhost:80", "http:///mcp", "http://a b/mcp", "http://user@a/mcp", "http:/mcp",
                           "ftp://localhost/mcp", "**"}) {
    EXPECT_FALSE(read_target(text, "localhost")) << text;
  }
}

TEST(HostHeader, IsRequired) {
  EXPECT_FALSE(host_allowed({}, std::nullopt));
  EXPECT_FALSE(host_allowed({}, ""));
  EXPECT_FALSE(host_allowed({.loopback_only = false, .allowed_hosts = {}, .allowed_origins = {}}, std::nullopt));
}

TEST(HostHeader, NamesThisMachineWhereOnlyItIsListenedTo) {
  EXPECT_TRUE(host_allowed({}, "localhost:8080"));
  EXPECT_TRUE(host_allowed({}, "127.0.0.1:8080"));
  EXPECT_FALSE(host_allowed({}, "evil.example:8080"));
  EXPECT_FALSE(host_allowed({}, "192.168.0.7"));
}

TEST(HostHeader, MayBeAFurtherNameWithAnyPortAndInAnyCase) {
  const HttpAccess access{.loopback_only = true, .allowed_hosts = {"mcp.example.org"}, .allowed_origins = {}};
  EXPECT_TRUE(host_allowed(access, "mcp.example.org"));
  EXPECT_TRUE(host_allowed(access, "MCP.Example.org:8443"));
  EXPECT_TRUE(host_allowed(access, "localhost"));
  EXPECT_FALSE(host_allowed(access, "example.org"));
  EXPECT_FALSE(host_allowed(access, "mcp.example.org.evil.example"));
}

TEST(HostHeader, IsAnyOneWhereTheOperatorNamedNone) {
  EXPECT_TRUE(host_allowed({.loopback_only = false, .allowed_hosts = {}, .allowed_origins = {}}, "10.0.0.7:8080"));
  const HttpAccess named{.loopback_only = false, .allowed_hosts = {"mcp.example.org"}, .allowed_origins = {}};
  EXPECT_TRUE(host_allowed(named, "mcp.example.org"));
  EXPECT_FALSE(host_allowed(named, "10.0.0.7:8080"));
  EXPECT_FALSE(host_allowed(named, "localhost"));
}

TEST(HttpRules, AllowTheServersOwnNameWhereNotEveryNameIsAllowed) {
  HttpAccess access{.loopback_only = true, .allowed_hosts = {}, .allowed_origins = {}, .own_host = "mcp.example.org"};
  EXPECT_TRUE(host_allowed(access, "MCP.example.org:443"));
  EXPECT_TRUE(host_allowed(access, "127.0.0.1:8080"));
  EXPECT_FALSE(host_allowed(access, "evil.example.org"));
  EXPECT_FALSE(host_allowed(access, ":8080"));
  access.allowed_hosts = {"tools.example.org"};
  EXPECT_TRUE(host_allowed(access, "mcp.example.org"));
  // As where systemd listens for the host at an address that others reach.
  access.loopback_only = false;
  access.allowed_hosts = {};
  EXPECT_TRUE(host_allowed(access, "10.0.0.7:8080"));
}

TEST(OriginHeader, IsNotRequired) {
  EXPECT_TRUE(origin_allowed({}, std::nullopt));
}

TEST(OriginHeader, IsThisMachineWhereOnlyItIsListenedTo) {
  for (const auto* origin :
       {"http://localhost:3000", "https://localhost", "http://127.0.0.1:6274", "http://[::1]:80", "HTTP://LOCALHOST"}) {
    EXPECT_TRUE(origin_allowed({}, origin)) << origin;
  }
  for (const auto* origin : {"", "null", "localhost", "http://", "http://evil.example", "http://localhost.evil.example",
                             "http://evil.example/localhost", "http://127.0.0.1.evil.example", "file://"}) {
    EXPECT_FALSE(origin_allowed({}, origin)) << origin;
  }
}

TEST(OriginHeader, IsNothingThatOnlyEndsLikeAnOrigin) {
  const HttpAccess any{.loopback_only = true, .allowed_hosts = {}, .allowed_origins = {"*"}};
  for (const auto* origin :
       {"evil.com?x=http://localhost", "evil.com/http://localhost", "evil.com#http://localhost", "http://localhost/",
        "http://localhost?x", "http://user@localhost", "http://localhost http://localhost", "1http://localhost",
        "http_://localhost", "://localhost", "http:localhost", "localhost", "", "NULL", "http://[::1"}) {
    EXPECT_FALSE(origin_allowed({}, origin)) << origin;
    EXPECT_FALSE(origin_allowed(any, origin)) << origin;
    EXPECT_FALSE(is_origin(origin)) << origin;
  }
  for (const auto* origin :
       {"http://localhost", "https://app.example.org:8443", "app+x.1-2://localhost", "http://[::1]:80"}) {
    EXPECT_TRUE(is_origin(origin)) << origin;
  }
  for (const auto* origin : {"null", "*", "file://", "http://:80"}) {
    EXPECT_FALSE(is_origin(origin)) << origin;
  }
}

TEST(HostOfOrigin, HasNeitherSchemeNorPort) {
  EXPECT_EQ(host_of_origin("https://mcp.example.com:8443"), "mcp.example.com");
  EXPECT_EQ(host_of_origin("http://127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(host_of_origin("http://[::1]:80"), "[::1]");
  for (const auto* const none : {"", "mcp.example.com", "https://mcp.example.com/mcp"})
    EXPECT_EQ(host_of_origin(none), "") << none;
}

TEST(OriginHeader, MayBeAFurtherOneExactly) {
  const HttpAccess access{.loopback_only = false, .allowed_hosts = {}, .allowed_origins = {"https://app.example.org"}};
  EXPECT_TRUE(origin_allowed(access, "https://app.example.org"));
  EXPECT_TRUE(origin_allowed(access, "HTTPS://App.Example.org"));
  EXPECT_FALSE(origin_allowed(access, "http://app.example.org"));
  EXPECT_FALSE(origin_allowed(access, "https://app.example.org:444"));
  EXPECT_FALSE(origin_allowed(access, "https://example.org"));
  EXPECT_FALSE(origin_allowed(access, "http://localhost"));
}

TEST(OriginHeader, IsAnyOneWhereTheOperatorSaysSo) {
  const HttpAccess access{.loopback_only = false, .allowed_hosts = {}, .allowed_origins = {"*"}};
  EXPECT_TRUE(origin_allowed(access, "https://anything.example"));
  EXPECT_TRUE(origin_allowed(access, "null"));
}

constexpr auto json = "application/json";
constexpr auto event_stream = "text/event-stream";

TEST(AcceptHeader, AdmitsEverythingWhereThereIsNone) {
  EXPECT_TRUE(accepts(std::nullopt, json));
}

TEST(AcceptHeader, AdmitsWhatItLists) {
  for (const auto* header :
       {"application/json", "application/json, text/event-stream", "text/event-stream,application/json",
        "APPLICATION/JSON", "text/html , application/json", "application/json;charset=utf-8",
        "application/json ; q=0.1", "text/html, application/json;q=0.001", "application/json;q=1.0"}) {
    EXPECT_TRUE(accepts(header, json)) << header;
  }
}

TEST(AcceptHeader, AdmitsByWildcard) {
  EXPECT_TRUE(accepts("*/*", json));
  EXPECT_TRUE(accepts("*/*;q=0.8", event_stream));
  EXPECT_TRUE(accepts("application/*", json));
  EXPECT_TRUE(accepts("Text/*", event_stream));
  EXPECT_FALSE(accepts("text/*", json));
  EXPECT_FALSE(accepts("*", json));
}

TEST(AcceptHeader, AdmitsNothingElse) {
  for (const auto* header : {"", "text/html", "application/jsonp", "application", "application/", "json",
                             "application/json+x", "text/event-stream", ",", ";q=1"}) {
    EXPECT_FALSE(accepts(header, json)) << header;
  }
}

TEST(AcceptHeader, DoesNotAdmitWhatHasAQualityOfZero) {
  for (const auto* header : {"application/json;q=0", "application/json; q=0.0", "application/json;Q=0.000",
                             "text/html, application/json;q=0", "*/*;q=0", "application/json;charset=utf-8;q=0"}) {
    EXPECT_FALSE(accepts(header, json)) << header;
  }
}

TEST(AcceptHeader, LetsTheMostSpecificRangeDecide) {
  EXPECT_FALSE(accepts("*/*, application/json;q=0", json));
  EXPECT_FALSE(accepts("application/json;q=0, application/*", json));
  EXPECT_TRUE(accepts("application/*;q=0, application/json", json));
  EXPECT_TRUE(accepts("*/*;q=0, text/event-stream", event_stream));
}

TEST(ContentTypeHeader, IsJsonWithOrWithoutParameters) {
  for (const auto* header : {"application/json", "application/json; charset=utf-8", "Application/JSON",
                             "application/json;charset=utf-8", " application/json "}) {
    EXPECT_TRUE(is_json(header)) << header;
  }
  EXPECT_FALSE(is_json(std::nullopt));
  for (const auto* header : {"", "text/plain", "application/json-rpc", "application/jsonx", "text/json",
                             "application/x-www-form-urlencoded", "; application/json"}) {
    EXPECT_FALSE(is_json(header)) << header;
  }
}

TEST(TransferEncodingHeader, SaysWhereTheBodyEnds) {
  for (const auto* list : {"chunked", "Chunked", " chunked ", ", chunked", "chunked,"}) {
    EXPECT_EQ(read_transfer_encoding(list), TransferEncoding::chunked) << list;
  }
  for (const auto* list : {"gzip, chunked", "identity,chunked"}) {
    EXPECT_EQ(read_transfer_encoding(list), TransferEncoding::coded) << list;
  }
  for (const auto* list : {"", ",", "gzip", "identity", "chunked, gzip", "chunked;q=1", "chunked x", "\"chunked\""}) {
    EXPECT_EQ(read_transfer_encoding(list), TransferEncoding::without_end) << list;
  }
}

TEST(ConnectionHeader, SaysWhetherTheConnectionStaysOpen) {
  EXPECT_TRUE(keeps_alive(11, std::nullopt));
  EXPECT_FALSE(keeps_alive(10, std::nullopt));
  for (const auto* list : {"keep-alive", "x, Keep-Alive", "keep-alive,"}) {
    EXPECT_TRUE(keeps_alive(11, list)) << list;
    EXPECT_TRUE(keeps_alive(10, list)) << list;
  }
  for (const auto* list : {"close", "CLOSE", "keep-alive, close", "close, keep-alive", " , close"}) {
    EXPECT_FALSE(keeps_alive(11, list)) << list;
    EXPECT_FALSE(keeps_alive(10, list)) << list;
  }
  EXPECT_TRUE(keeps_alive(11, "closed"));
  EXPECT_FALSE(keeps_alive(10, "closed"));
}

constexpr auto usual_headers = "Accept, Content-Type";
constexpr HttpCors cors{.allowed = usual_headers, .prefix = "Mcp-Param-"};

TEST(CorsHeaders, AreThoseOfTheService) {
  EXPECT_EQ(cors_allowed_headers(cors, std::nullopt), usual_headers);
  EXPECT_EQ(cors_allowed_headers(cors, "content-type, x-anything"), usual_headers);
  EXPECT_EQ(cors_allowed_headers(cors, ""), usual_headers);
}

TEST(CorsHeaders, NameThoseAskedForThatHaveThePrefix) {
  EXPECT_EQ(cors_allowed_headers(cors, "content-type, mcp-param-region,Mcp-Param-Team_1, mcp-param-a.b!#$%&'*+^`|~"),
            std::string(usual_headers) + ", mcp-param-region, Mcp-Param-Team_1, mcp-param-a.b!#$%&'*+^`|~");
}

TEST(CorsHeaders, RepeatNothingThatIsNoHeaderName) {
  EXPECT_EQ(cors_allowed_headers(cors, "mcp-param-a\r\nSet-Cookie: b, mcp-param-ok, mcp-param-\xC3\xA4, mcp-param-a b"),
            std::string(usual_headers) + ", mcp-param-ok");
}

}  // namespace
}  // namespace mcph
