#include "sources/upstream/client_servers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_text.hpp"
#include "sources/upstream/upstream_settings.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;

TEST(ClientServersTest, AClientsServersAreTakenWithoutWhatOnlyClientsKnow) {
  const auto servers = read_client_servers(
      R"({"mcpServers": {"a": {"command": "x", "disabled": false, "gallery": true}, "b": {"type": "http", "url": "https://b/", "caFile": "ca.pem", "insecure": false}}})");
  ASSERT_TRUE(servers.has_value()) << servers.error().message;
  ASSERT_EQ(servers->size(), 2U);
  EXPECT_EQ(dump((*servers)[0].settings), R"({"command":"x"})");
  EXPECT_THAT((*servers)[0].dropped, ElementsAre("gallery"));
  EXPECT_FALSE((*servers)[0].is_disabled);
  EXPECT_TRUE((*servers)[1].dropped.empty());
  EXPECT_TRUE(read_upstream_settings(dump((*servers)[1].settings), "/", {}).has_value());
  const auto off = read_client_servers(R"({"servers": {"a": {"command": "x", "disabled": true}}})");
  EXPECT_TRUE(off.value().front().is_disabled) << "it is not switched on by being moved";
  EXPECT_TRUE(read_client_servers("{}").has_error());
}

TEST(ClientServersTest, HeadersThatTheHostWritesAreLeftOutAndNamed) {
  const auto servers = read_client_servers(
      R"({"mcpServers": {"a": {"url": "https://a/", "headers":
          {"Content-Type": "application/json", "X-Key": "k", "accept": "*/*"}}}})");
  ASSERT_TRUE(servers.has_value()) << servers.error().message;
  EXPECT_EQ(dump(servers->front().settings["headers"]), R"({"X-Key":"k"})");
  EXPECT_THAT(servers->front().dropped_headers, ElementsAre("Content-Type", "accept"));
}

TEST(ClientServersTest, WhatTheClientAsksForIsAVariableOfTheHost) {
  const auto servers = read_client_servers(R"({"servers": {"wiki": {
      "url": "https://wiki.example.com/mcp",
      "headers": {"Authorization": "Bearer ${input:wiki-token}", "X-Key": "${input:wiki-key}", "X-Team": "support"}},
    "files": {"command": "npx", "args": ["server", "${workspaceFolder}"],
      "env": {"A": "${env:HOME_OF_A}", "B": "${TOKEN_B}", "C": "c"}}}})");
  ASSERT_TRUE(servers.has_value()) << servers.error().message;
  const auto& wiki = (*servers)[0];
  EXPECT_EQ(dump(wiki.settings["headers"]),
            R"({"Authorization":{"env":"WIKI_AUTHORIZATION"},"X-Key":{"env":"WIKI_KEY"},"X-Team":"support"})");
  ASSERT_EQ(wiki.variables.size(), 2U);
  EXPECT_EQ(wiki.variables[0].name, "WIKI_AUTHORIZATION");
  EXPECT_EQ(wiki.variables[0].text, "Bearer ${input:wiki-token}");
  EXPECT_TRUE(wiki.unknown.empty());
  const auto& files = (*servers)[1];
  EXPECT_EQ(dump(files.settings["env"]), R"({"A":{"env":"HOME_OF_A"},"B":{"env":"TOKEN_B"},"C":"c"})");
  EXPECT_THAT(files.unknown, ElementsAre("args"));
}

}  // namespace
}  // namespace mcph
