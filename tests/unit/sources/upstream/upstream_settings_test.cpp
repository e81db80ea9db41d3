#include "sources/upstream/upstream_settings.hpp"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_text.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<UpstreamSettings> read(const std::string& text) {
  return read_upstream_settings(text, "/components/tools", {});
}

std::string mistake_in(const std::string& text) {
  const auto settings = read(text);
  return settings.has_error() ? settings.error().message : "none";
}

TEST(UpstreamSettingsTest, ACommandIsFoundFromWhereTheFileLies) {
  const auto settings = read(R"({"command": "./bin/server", "args": ["-v"], "cwd": "data", "prefix": "a_"})");
  ASSERT_TRUE(settings.has_value()) << settings.error().message;
  const auto& command = std::get<UpstreamCommand>(settings->way);
  EXPECT_THAT(command.command, ElementsAre("/components/tools/bin/server", "-v"));
  EXPECT_EQ(command.folder, "/components/tools/data");
  EXPECT_EQ(settings->names.name_here(ComponentPattern::Kind::tool, "x"), "a_x");
  EXPECT_EQ(settings->names.name_here(ComponentPattern::Kind::tool, "issues/get one"), "a_issues_get_one");
  EXPECT_EQ(settings->names.name_here(ComponentPattern::Kind::prompt, "get one"), "a_get one");
  EXPECT_THAT(std::get<UpstreamCommand>(read(R"({"command": "npx"})")->way).command, ElementsAre("npx"));
}

TEST(UpstreamSettingsTest, TheHostsMembersAreThoseOfPlugins) {
  const auto settings = read(
      R"({"command": "x", "limits": {"concurrentCalls": 1, "memoryBytes": 1000000}, "restarts": {"crashes": 2},
          "sandbox": {"profile": "strict", "network": "none"}, "errors": "masked"})");
  ASSERT_TRUE(settings.has_value()) << settings.error().message;
  EXPECT_EQ(settings->limits.concurrent_calls, 1U);
  EXPECT_EQ(settings->restarts.crashes, 2U);
  EXPECT_EQ(settings->sandbox.profile, SandboxProfile::strict);
  EXPECT_EQ(settings->errors, ErrorTexts::masked);
}

TEST(UpstreamSettingsTest, AStrictSandboxLetsTheFolderBeReadThatIsWritten) {
  const auto read_in = [](const std::string& member) {
    return read(R"({"command": "x", "sandbox": {"profile": "strict", "read": ["/srv"]})" + member + "}")->sandbox.read;
  };
  EXPECT_THAT(read_in(R"(, "cwd": "data")"), ElementsAre("/srv", "/components/tools/data"));
  EXPECT_THAT(read_in(""), ElementsAre("/srv")) << "not where the files of others lie";
}

TEST(UpstreamSettingsTest, AServerElsewhereIsLookedForOftenUnlessTheFileSaysHowOften) {
  using std::chrono::milliseconds;
  const auto delay = [](const std::string& members) { return read("{" + members + "}")->restarts.last_delay; };
  EXPECT_EQ(delay(R"("url": "https://a/")"), milliseconds(500));
  EXPECT_EQ(delay(R"("url": "https://a/", "restarts": {"crashes": 2})"), milliseconds(500));
  EXPECT_EQ(delay(R"("url": "https://a/", "restarts": {"lastDelayMs": 30000})"), milliseconds(30'000));
  EXPECT_EQ(delay(R"("command": "x")"), RestartPolicy::Limits().last_delay);
  EXPECT_EQ(delay(R"("command": "x", "restarts": {"lastDelayMs": 7})"), milliseconds(7));
}

TEST(UpstreamSettingsTest, AServerOfHttpAndSseIsNotAskedWhetherItIsModern) {
  EXPECT_TRUE(read(R"({"url": "https://a/", "type": "sse"})")->is_legacy);
  EXPECT_FALSE(read(R"({"url": "https://a/", "type": "http"})")->is_legacy);
}

TEST(UpstreamSettingsTest, SaysWhatIsWrong) {
  EXPECT_THAT(mistake_in("{}"), HasSubstr(R"(either a "command" or a "url")"));
  EXPECT_THAT(mistake_in(R"({"command": "x", "url": "https://a"})"), HasSubstr(R"(either a "command" or a "url")"));
  EXPECT_THAT(mistake_in(R"({"command": ""})"), HasSubstr("\"command\" must be a text that is not empty"));
  EXPECT_THAT(mistake_in(R"({"command": "x", "args": "y"})"), HasSubstr("\"args\" must be a list of texts"));
  EXPECT_THAT(mistake_in(R"({"command": "x", "arg": []})"), HasSubstr("\"arg\" is not known; the members are"));
  EXPECT_THAT(mistake_in(R"({"command": "x", "env": {"A": 1}})"), HasSubstr(R"({"file": PATH} or {"env": NAME})"));
  EXPECT_THAT(mistake_in(R"({"command": "x", "prefix": "a b"})"), HasSubstr("\"prefix\" must be characters"));
  EXPECT_THAT(mistake_in(R"({"command": "x", "rename": {"a": "b c"}})"), HasSubstr(R"("rename"."a" must be 1 to 128)"));
  EXPECT_THAT(mistake_in(R"({"command": "x", "include": ["verb:x"]})"), HasSubstr("\"include\""));
  EXPECT_THAT(mistake_in(R"({"command": "x", "isolation": "in-process"})"), HasSubstr("\"isolation\""));
  EXPECT_THAT(mistake_in(R"({"command": "x", "limits": {"processes": 0}})"), HasSubstr("limits.processes"));
  EXPECT_THAT(mistake_in(R"({"command": "x", "aliases": {"a": "b"}})"), HasSubstr("use \"rename\""));
  EXPECT_THAT(mistake_in(R"({"command": "x", "payment": {"facilitator": "https://example.com/x402/", "tools": {"add": [
      {"scheme": "exact", "network": "eip155:84532", "amount": "10", "asset": "0x1", "payTo": "0x2"}]}}})"),
              HasSubstr("which are for plugins"));
  EXPECT_THAT(mistake_in(R"({"url": "http://example.com/mcp"})"), HasSubstr("\"url\" cannot be used"));
  EXPECT_THAT(mistake_in(R"({"url": "https://a/", "limits": {"memoryBytes": 1}})"),
              HasSubstr("only a \"command\" has"));
  EXPECT_THAT(mistake_in(R"({"url": "https://a/", "headers": {"a b": "c"}})"), HasSubstr("no name of a header"));
  EXPECT_THAT(mistake_in(R"({"url": "https://a/", "oauth": {"clientId": "c"}})"), HasSubstr("clientSecret"));
}

TEST(UpstreamSettingsTest, WhatTheHostWritesIsNoHeaderOfTheOperator) {
  const auto mistake = [](const std::string& header, const std::string& more = "") {
    return mistake_in(R"({"url": "https://a/", "headers": {")" + header + R"(": "x"})" + more + "}");
  };
  for (const std::string header : {"Host", "accept", "Content-Type", "content-length", "Transfer-Encoding",
                                   "Connection", "Last-Event-ID", "MCP-Protocol-Version", "Mcp-Param-Region"}) {
    EXPECT_EQ(mistake(header), "\"headers\" has \"" + header + "\", which the host writes by itself; leave it out");
  }
  EXPECT_EQ(mistake("User-Agent"), "none");
  EXPECT_EQ(mistake("Mcp-Api-Key"), "none");
  EXPECT_EQ(mistake("Authorization"), "none");
  EXPECT_EQ(mistake("authorization", R"(, "oauth": {"clientId": "c", "clientSecret": "s", "issuer": "https://b"})"),
            R"("headers" has "Authorization", which "oauth" gives, too; leave one of the two out)");
}

TEST(UpstreamSettingsTest, WhoGetsTheSecretIsWritten) {
  const auto mistake = [](const std::string& members) {
    return mistake_in(R"({"url": "https://a/", "oauth": {"clientId": "c", "clientSecret": "s")" + members + "}}");
  };
  EXPECT_EQ(mistake(""), R"("oauth" needs either "tokenUrl" or "issuer", which say who gets the secret)");
  EXPECT_EQ(mistake(R"(, "tokenUrl": "https://b/token", "issuer": "https://b")"), mistake(""));
  EXPECT_EQ(mistake(R"(, "tokenUrl": "https://b/token")"), "none");
  EXPECT_EQ(mistake(R"(, "issuer": "https://b")"), "none");
  EXPECT_EQ(
      mistake(R"(, "issuer": "http://b.example")"),
      R"("oauth"."issuer" cannot be used: "http://b.example" must begin with https://, unless it is this machine)");
}

TEST(UpstreamSettingsTest, ASecretComesFromAFileOfItsOwnerOrFromTheEnvironment) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("secret", "word\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  ::setenv("MCP_TEST_UPSTREAM_SECRET", "of the environment", 1);
  const auto settings = read_upstream_settings(
      R"({"url": "https://a/", "headers": {"Authorization": {"file": "secret"}, "X-Key": {"env": "MCP_TEST_UPSTREAM_SECRET"}}})",
      folder.path(), {});
  ASSERT_TRUE(settings.has_value()) << settings.error().message;
  const auto http = std::get<UpstreamUrl>(settings->way).settings();
  ASSERT_TRUE(http.has_value()) << http.error().message;
  EXPECT_EQ(http->fields[0].second, "word");
  EXPECT_EQ(http->fields[1].second, "of the environment");
  std::filesystem::permissions(file, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
  EXPECT_TRUE(std::get<UpstreamUrl>(settings->way).settings().has_error());
}

}  // namespace
}  // namespace mcph
