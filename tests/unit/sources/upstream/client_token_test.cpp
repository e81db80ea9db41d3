#include "sources/upstream/client_token.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "support/http_upstream_fixture.hpp"

namespace mcph {
namespace {

using test::answer_1;
using test::Answering;
using test::field;

class ClientTokenTest : public test::HttpUpstreamFixture {};

TEST_F(ClientTokenTest, FetchesATokenOnceAndAnewWhenItIsRefused) {
  std::atomic<int> tokens = 0;
  std::atomic<bool> first_is_good = true;
  const Answering issuer([&](const std::string&) {
    const auto number = std::to_string(++tokens);
    return Answering::json(R"({"access_token":"t)" + number + R"(","token_type":"bearer","expires_in":3600})");
  });
  const Answering server([&](const std::string& request) {
    const auto credential = field(request, "Authorization");
    const bool is_good = credential == "Bearer t2" || (credential == "Bearer t1" && first_is_good);
    return is_good ? Answering::json(answer_1) : Answering::json("{}", "401 Unauthorized");
  });
  connect(server.url(), {.credentials = ClientCredentials{issuer.url("/token"), "", "me", "s:cret", "a b"}});
  for (int i = 0; i < 2; ++i) {
    request("1");
    EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  }
  EXPECT_EQ(tokens, 1);
  first_is_good = false;
  request("1");
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
  EXPECT_EQ(tokens, 2);
  const auto asked = issuer.request(0);
  EXPECT_EQ(field(asked, "Authorization"), "Basic bWU6cyUzQWNyZXQ=");
  EXPECT_NE(asked.find("grant_type=client_credentials&resource=http%3A%2F%2F127.0.0.1"), std::string::npos) << asked;
  EXPECT_NE(asked.find("&scope=a%20b"), std::string::npos) << asked;
}

TEST_F(ClientTokenTest, StaysForTheNextConnectionWhereUrlAndCredentialsStay) {
  std::atomic<int> tokens = 0;
  const Answering issuer([&](const std::string&) {
    return Answering::json(R"({"access_token":"t)" + std::to_string(++tokens) + R"(","token_type":"bearer"})");
  });
  const Answering server([](const std::string&) { return Answering::json(answer_1); });
  const auto connect_with = [&](const std::string& secret) {
    connect(server.url(), {.credentials = ClientCredentials{issuer.url("/token"), "", "me", secret, ""}}, http_.get());
    request("1");
    EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
    upstream_->close();
  };
  connect_with("old");
  connect_with("old");
  EXPECT_EQ(field(server.request(1), "Authorization"), "Bearer t1");
  connect_with("new");
  EXPECT_EQ(field(server.request(2), "Authorization"), "Bearer t2");
  EXPECT_EQ(tokens, 2);
}

// An upstream that refuses whatever it is shown is tried again and again.
TEST_F(ClientTokenTest, IsNotReplacedAgainByTheNextConnectionWhereEachIsRefused) {
  std::atomic<int> tokens = 0;
  const Answering issuer([&](const std::string&) {
    return Answering::json(R"({"access_token":"t)" + std::to_string(++tokens) + R"(","token_type":"bearer"})");
  });
  const Answering server([](const std::string&) { return Answering::json("{}", "401 Unauthorized"); });
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 2; ++i) {
    connect(server.url(), {.credentials = ClientCredentials{issuer.url("/token"), "", "me", "secret", ""}},
            http_.get());
    request("1");
    EXPECT_EQ(listener_->next(),
              "failed 1: it answers with the HTTP status 401: it does not take the token that its issuer has given");
    upstream_->close();
  }
  // Later it may be.
  const bool is_late = std::chrono::steady_clock::now() - begin >= std::chrono::seconds(5);
  EXPECT_TRUE(tokens == 2 || is_late) << tokens.load();
}

TEST_F(ClientTokenTest, HearsNoRefusalOfATokenToItsEnd) {
  std::atomic<int> tokens = 0;
  const Answering issuer([&](const std::string&) {
    return Answering::json(R"({"access_token":"t)" + std::to_string(++tokens) + R"(","token_type":"bearer"})");
  });
  const test::ScriptedServer server([](test::ScriptedServer::Connection& connection) {
    const bool is_good = field(connection.hear_request(), "Authorization") == "Bearer t2";
    if (is_good) connection.say(Answering::json(answer_1));
    if (!is_good) connection.say("HTTP/1.1 401 Unauthorized\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (connection.say("10\r\n0123456789abcdef\r\n")) {
    }
  });
  connect(server.url(), {.credentials = ClientCredentials{issuer.url("/token"), "", "me", "secret", ""}});
  request("1");
  EXPECT_EQ(listener_->next(), std::string(answer_1) + " of 1");
}

// An upstream that wants a token, and says who issues one.
class NamedIssuerTest : public ClientTokenTest {
 protected:
  // What a request is told, and where `resource` is what the metadata say that they are of. `named` is what they say
  // that the issuer is, `issuer_says` what the issuer says of itself.
  std::string told_of(const std::string& named, const std::string& issuer_says, const std::string& resource) {
    named_ = named;
    issuer_says_ = issuer_says;
    resource_ = resource;
    connect(server_.url("/mcp?key=k"),
            {.credentials = ClientCredentials{"", issuer_.url("/tenant"), "me", "secret", ""}});
    request("1");
    auto line = listener_->next();
    upstream_->close();
    return line;
  }
  std::string no_token(const std::string& where, const std::string& why) {
    return "failed 1: there is no token for it: " + where + ": " + why;
  }
  bool the_secret_was_sent() const {
    const auto all = issuer_.requests();
    return std::ranges::any_of(all, [](const std::string& request) { return request.starts_with("POST"); });
  }

  std::string named_;
  std::string issuer_says_;
  std::string resource_;
  std::string metadata_path_ = "/elsewhere";
  std::string wanted_;     // of the challenge
  std::string forbidden_;  // what the issuer refuses to be asked for; empty: nothing
  const Answering issuer_{[this](const std::string& request) {
    if (request.starts_with("GET /.well-known/oauth-authorization-server/tenant "))
      return Answering::json(R"({"issuer":")" + issuer_says_ + R"(","token_endpoint":")" + issuer_says_ +
                             R"(/token","token_endpoint_auth_methods_supported":["client_secret_post"]})");
    if (request.starts_with("POST /tenant/token ") && !forbidden_.empty() &&
        request.find(forbidden_) != std::string::npos)
      return Answering::json(R"({"error":"invalid_scope"})", "400 Bad Request");
    if (request.starts_with("POST /tenant/token "))
      return Answering::json(R"({"access_token":"t","token_type":"Bearer"})");
    return Answering::json("", "404 Not Found");
  }};
  const Answering server_{[this](const std::string& request) {
    if (request.starts_with("GET " + metadata_path_ + ' '))
      return Answering::json(R"({"resource":")" + resource_ + R"(","authorization_servers":["https://a.example",")" +
                             named_ + R"("],"scopes_supported":["read","write"]})");
    if (field(request, "Authorization") == "Bearer t") return Answering::json(answer_1);
    return Answering::json("{}", "401 Unauthorized",
                           "WWW-Authenticate: Bearer realm=\"x\", resource_metadata=\"" + server_.url(metadata_path_) +
                               "\"" + wanted_ + "\r\n");
  }};
};

TEST_F(NamedIssuerTest, AsksTheIssuerThatTheOperatorHasNamed) {
  const auto issuer = issuer_.url("/tenant");
  EXPECT_EQ(told_of(issuer, issuer, server_.url()), std::string(answer_1) + " of 1");
  const auto asked = issuer_.request(1);
  EXPECT_NE(asked.find("&client_id=me&client_secret=secret"), std::string::npos);
  EXPECT_EQ(asked.find("key"), std::string::npos) << asked;
}

TEST_F(NamedIssuerTest, AsksForTheScopeThatIsWantedOrForAllThatThereAre) {
  const auto issuer = issuer_.url("/tenant");
  told_of(issuer, issuer, server_.url());
  EXPECT_NE(issuer_.request(1).find("&scope=read%20write"), std::string::npos) << issuer_.request(1);
  wanted_ = ", scope=\"read\"";
  told_of(issuer, issuer, server_.url());
  EXPECT_TRUE(issuer_.request(3).ends_with("&scope=read&client_id=me&client_secret=secret")) << issuer_.request(3);
}

TEST_F(NamedIssuerTest, AsksForNoScopeWhereItMayNotHaveAllThatThereAre) {
  const auto issuer = issuer_.url("/tenant");
  forbidden_ = "&scope=read%20write";
  EXPECT_EQ(told_of(issuer, issuer, server_.url()), std::string(answer_1) + " of 1");
  EXPECT_EQ(issuer_.request(2).find("scope="), std::string::npos) << issuer_.request(2);
}

TEST_F(NamedIssuerTest, SendsTheSecretToNobodyElse) {
  const auto issuer = issuer_.url("/tenant");
  for (const auto& other : {issuer_.url("/other"), issuer + "/", std::string("https://evil.example")}) {
    EXPECT_EQ(told_of(other, other, server_.url()),
              no_token(server_.url("/elsewhere"),
                       R"(its authorization_servers do not have the "issuer" that "oauth" names, )" + issuer));
  }
  EXPECT_TRUE(issuer_.requests().empty());
  EXPECT_NE(told_of(issuer, issuer_.url("/other"), server_.url())
                .find("it is the metadata of another issuer than " + issuer + ", which \"oauth\" names"),
            std::string::npos);
  EXPECT_FALSE(the_secret_was_sent());
}

TEST_F(NamedIssuerTest, TakesNoMetadataOfAnotherResource) {
  const auto issuer = issuer_.url("/tenant");
  for (const auto& resource : {server_.url("/"), server_.url("/mcp2"), server_.url("/mcp/more"), server_.url("/MCP"),
                               server_.url("/mcp?key=other"), std::string("https://a.example/mcp")}) {
    EXPECT_EQ(told_of(issuer, issuer, resource),
              no_token(server_.url("/elsewhere"), "it is the metadata of another resource than " + server_.url()))
        << resource;
  }
  EXPECT_FALSE(the_secret_was_sent());
  EXPECT_EQ(told_of(issuer, issuer, server_.url("/mcp?key=k")), std::string(answer_1) + " of 1");
}

TEST_F(NamedIssuerTest, AsksForATokenOfAllOfTheOriginWhereItsRootSaysSo) {
  const auto issuer = issuer_.url("/tenant");
  metadata_path_ = "/.well-known/oauth-protected-resource";
  EXPECT_EQ(told_of(issuer, issuer, server_.url("/")), std::string(answer_1) + " of 1");
  EXPECT_NE(issuer_.request(1).find("&resource=http%3A%2F%2F127.0.0.1%3A"), std::string::npos) << issuer_.request(1);
  EXPECT_EQ(issuer_.request(1).find("%2Fmcp"), std::string::npos) << issuer_.request(1);
  EXPECT_EQ(told_of(issuer, issuer, server_.url("/other")).find("failed 1: "), 0U);
}

TEST_F(ClientTokenTest, AsksNobodyWhomAnotherOriginNames) {
  const Answering elsewhere([](const std::string&) { return Answering::json("{}"); });
  const Answering server([&](const std::string& request) {
    if (request.starts_with("GET")) return Answering::json("", "404 Not Found");
    return Answering::json("{}", "401 Unauthorized",
                           "WWW-Authenticate: Bearer resource_metadata=\"" + elsewhere.url() + "\"\r\n");
  });
  connect(server.url(), {.credentials = ClientCredentials{"", elsewhere.url(), "me", "secret", ""}});
  request("1");
  const auto line = listener_->next();
  EXPECT_NE(line.find("there is no token for it"), std::string::npos) << line;
  EXPECT_NE(line.find("it answers with the HTTP status 404"), std::string::npos) << line;
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST(ChallengeTest, HasParameters) {
  const std::string_view challenges = R"(Basic realm="a", Bearer error="x\"y", scope="a b", resource_metadata=z)";
  EXPECT_EQ(challenge_parameter(challenges, "scope"), "a b");
  EXPECT_EQ(challenge_parameter(challenges, "error"), "x\"y");
  EXPECT_EQ(challenge_parameter(challenges, "resource_metadata"), "z");
  EXPECT_EQ(challenge_parameter(challenges, "metadata"), "");
}

}  // namespace
}  // namespace mcph
