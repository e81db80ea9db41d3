#include "sources/folder/plugin_configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PluginConfigurationTest : public ::testing::Test {
 protected:
  Result<PluginConfiguration> read(const PluginFile& plugin) { return read_configuration(plugin, trust_, defaults_); }
  Result<PluginConfiguration> read(const std::string& text) {
    temporary_.write("tools/notes.json", text);
    return read(plugin_file_at(plugin()));
  }
  std::filesystem::path plugin() const { return temporary_.path() / "tools/notes.so"; }
  std::filesystem::path absent() const { return temporary_.path() / "absent.so"; }
  std::string refusal_of(const std::string& text) {
    const auto configuration = read(text);
    return configuration ? "accepted" : configuration.error().message;
  }

  const test::TemporaryFolder temporary_;
  const FileTrust trust_{temporary_.path(), {}};
  PluginConfiguration defaults_{.own = "{}", .isolation = Isolation::in_process};
};

TEST_F(PluginConfigurationTest, IsTheDefaultWithoutAFile) {
  const auto configuration = read(plugin_file_at(absent()));
  EXPECT_EQ(configuration->own, "{}");
  EXPECT_EQ(configuration->isolation, Isolation::in_process);
}

TEST_F(PluginConfigurationTest, IsTheDefaultWhereItsNameWouldBeTooLong) {
  const auto file = temporary_.path() / (std::string(252, 'n') + ".so");
  const auto configuration = read(plugin_file_at(file));
  ASSERT_TRUE(configuration) << configuration.error().message;
  EXPECT_EQ(configuration->own, "{}");
}

// Otherwise a plugin could be loaded with what neither its old nor its new version is to have.
TEST_F(PluginConfigurationTest, IsOnlyWhatWasThereWhenThePluginWasLookedAt) {
  const auto changed = "its configuration " + (temporary_.path() / "tools/notes.json").string() +
                       " has changed since it was looked at; it will be tried again";
  const auto without = plugin_file_at(plugin());
  temporary_.write("tools/notes.json", "{}");
  EXPECT_EQ(read(without).error().message, changed);
  const auto first = plugin_file_at(plugin());
  temporary_.write("incoming", "{}");
  std::filesystem::rename(temporary_.path() / "incoming", temporary_.path() / "tools/notes.json");
  EXPECT_EQ(read(first).error().message, changed);
  EXPECT_TRUE(read(first).error().may_pass());
  const auto second = plugin_file_at(plugin());
  EXPECT_TRUE(read(second));
  std::filesystem::remove(temporary_.path() / "tools/notes.json");
  EXPECT_THAT(read(second).error().message, HasSubstr("cannot be opened: No such file or directory"));
}

TEST_F(PluginConfigurationTest, LeavesThePluginsOwnAsItWasWritten) {
  EXPECT_EQ(read(R"({ "z": 1.0,  "a": "b" })")->own, R"({ "z": 1.0,  "a": "b" })");
}

TEST_F(PluginConfigurationTest, KeepsTheHostsMembersToItself) {
  const auto configuration =
      read(R"({"a": 1, "isolation": "worker", "limits": {"callTimeMs": 1500, "concurrentCalls": 2,
    "callsInFlight": 3, "resultBytes": 4, "memoryBytes": 5, "openFiles": 6, "cpuPercent": 7, "processes": 0},
    "restarts": {"crashes": 7, "periodMs": 8, "firstDelayMs": 9, "lastDelayMs": 10}})");
  ASSERT_TRUE(configuration);
  EXPECT_EQ(configuration->own, R"({"a":1})");
  EXPECT_EQ(configuration->isolation, Isolation::worker);
  const auto& limits = configuration->limits;
  EXPECT_EQ(limits.call_time, 1500ms);
  EXPECT_EQ(limits.concurrent_calls, 2U);
  EXPECT_EQ(limits.calls_in_flight, 3U);
  EXPECT_EQ(limits.result_bytes, 4U);
  EXPECT_EQ(limits.memory_bytes, 5U);
  EXPECT_EQ(limits.open_files, 6U);
  EXPECT_EQ(limits.cpu_percent, 7U);
  EXPECT_TRUE(limits.starts_nothing);
  const auto& restarts = configuration->restarts;
  EXPECT_EQ(restarts.crashes, 7U);
  EXPECT_EQ(restarts.period, 8ms);
  EXPECT_EQ(restarts.first_delay, 9ms);
  EXPECT_EQ(restarts.last_delay, 10ms);
}

TEST_F(PluginConfigurationTest, LeavesWhatItDoesNotNameAtItsDefault) {
  defaults_.limits.result_bytes = 77;
  const auto configuration = read(R"({"limits": {"callTimeMs": 0}})");
  ASSERT_TRUE(configuration) << configuration.error().message;
  EXPECT_EQ(configuration->limits.call_time, 0ms);
  EXPECT_EQ(configuration->limits.result_bytes, 77U);
}

TEST_F(PluginConfigurationTest, SaysWhichMemberIsWrongAndWhatItMayBe) {
  EXPECT_THAT(refusal_of(R"({"errors": true})"),
              HasSubstr(R"(notes.json has "errors": true, which must be one of "shown", "masked")"));
  EXPECT_THAT(
      refusal_of(R"({"isolation": "none"})"),
      HasSubstr(
          R"(notes.json has "isolation": "none", which must be one of "worker", "in-process", "in-process-resident")"));
  EXPECT_THAT(refusal_of(R"({"limits": 5})"), HasSubstr(R"(has "limits": 5, which must be an object)"));
  EXPECT_THAT(refusal_of(R"({"limits": {"calltime": 5}})"),
              HasSubstr(R"(has "limits": {"calltime": 5}, but its members are callTimeMs, concurrentCalls, )"
                        R"(callsInFlight, resultBytes, storeKeys, storeBytes, memoryBytes, openFiles, cpuPercent, )"
                        R"(processes)"));
  EXPECT_THAT(refusal_of(R"({"limits": {"concurrentCalls": 0}})"),
              HasSubstr(R"({"concurrentCalls": 0}, which must be a whole number from 1 to 100000)"));
  EXPECT_THAT(refusal_of(R"({"limits": {"callTimeMs": -1}})"), HasSubstr("must be a whole number from 0 to"));
  EXPECT_THAT(refusal_of(R"({"limits": {"processes": 3}})"), HasSubstr(R"({"processes": 3}, which must be 0)"));
  EXPECT_THAT(refusal_of(R"({"restarts": {"crashes": 1.5}})"), HasSubstr("must be a whole number from 0 to"));
}

TEST_F(PluginConfigurationTest, RefusesAMemberOfTheHostsThatIsMisspelt) {
  EXPECT_THAT(refusal_of(R"({"sandbx": {"profile": "strict"}})"),
              HasSubstr(R"(has "sandbx", which looks like the host's "sandbox" and is not: write "sandbox", or give )"
                        "the plugin's own member another name"));
  for (const auto* member : {"Sandbox", "sandboxs", "snadbox", "sandbix", "andbox"})
    EXPECT_THAT(refusal_of(R"({")" + std::string(member) + R"(": {}})"), HasSubstr(R"(write "sandbox")")) << member;
  EXPECT_THAT(refusal_of(R"({"Isolation": "worker"})"), HasSubstr(R"(write "isolation")"));
  EXPECT_THAT(refusal_of(R"({"error": "masked"})"), HasSubstr(R"(write "errors")"));
  EXPECT_THAT(refusal_of(R"({"limit": {"callTimeMs": 5}})"), HasSubstr(R"(write "limits")"));
  for (const auto* own : {R"({"limit":5})", R"({"sand":{}})", R"({"boxes":{}})", R"({"start":{}})"})
    EXPECT_EQ(read(std::string(own))->own, own);
}

TEST_F(PluginConfigurationTest, RefusesWhatTheHostsOwnProcessCannotBeKeptFrom) {
  for (const auto* limit : {R"("memoryBytes": 1)", R"("openFiles": 1)", R"("cpuPercent": 1)", R"("processes": 0)"}) {
    EXPECT_THAT(refusal_of(R"({"isolation": "in-process", "limits": {)" + std::string(limit) + "}}"),
                HasSubstr("take them out of its configuration, or set its \"isolation\" to \"worker\""));
  }
}

TEST_F(PluginConfigurationTest, ReadsTheSandbox) {
  const auto configuration = read(R"({"isolation": "worker", "sandbox": {"profile": "strict", "required": true,
    "read": ["/srv/a", "/srv/b"], "write": ["/srv/c"], "network": "loopback"}})");
  ASSERT_TRUE(configuration) << configuration.error().message;
  EXPECT_EQ(configuration->own, "{}");
  const auto& sandbox = configuration->sandbox;
  EXPECT_EQ(sandbox.profile, SandboxProfile::strict);
  EXPECT_TRUE(sandbox.required);
  EXPECT_THAT(sandbox.read, ElementsAre("/srv/a", "/srv/b"));
  EXPECT_THAT(sandbox.write, ElementsAre("/srv/c"));
  EXPECT_EQ(sandbox.network_access(), SandboxNetwork::loopback);
}

TEST_F(PluginConfigurationTest, GivesAStrictSandboxNoNetworkAndAPermissiveOneAll) {
  defaults_.isolation = Isolation::worker;
  EXPECT_EQ(read(R"({"sandbox": {"profile": "strict"}})")->sandbox.network_access(), SandboxNetwork::none);
  EXPECT_EQ(read(R"({"sandbox": {"profile": "permissive"}})")->sandbox.network_access(), SandboxNetwork::all);
}

TEST_F(PluginConfigurationTest, AddsToTheSandboxThatIsTheDefault) {
  defaults_ = {.isolation = Isolation::worker, .sandbox = {.profile = SandboxProfile::strict}};
  const auto sandbox = read(R"({"sandbox": {"read": ["/srv"]}})")->sandbox;
  EXPECT_EQ(sandbox.profile, SandboxProfile::strict);
  EXPECT_THAT(sandbox.read, ElementsAre("/srv"));
}

TEST_F(PluginConfigurationTest, SaysWhatIsWrongWithASandbox) {
  EXPECT_THAT(refusal_of(R"({"sandbox": "strict"})"), HasSubstr(R"(has "sandbox": "strict", which must be an object)"));
  EXPECT_THAT(refusal_of(R"({"sandbox": {"profile": "tight"}})"),
              HasSubstr(R"({"profile": "tight"}, which must be one of "none", "permissive", "strict")"));
  EXPECT_THAT(refusal_of(R"({"sandbox": {"network": true}})"),
              HasSubstr(R"({"network": true}, which must be one of "none", "loopback", "all")"));
  EXPECT_THAT(refusal_of(R"({"sandbox": {"read": ["data"]}})"),
              HasSubstr(R"({"read": ["data"]}, which must be a list of absolute paths)"));
  EXPECT_THAT(refusal_of(R"({"sandbox": {"write": "/srv"}})"), HasSubstr("which must be a list of absolute paths"));
  EXPECT_THAT(refusal_of(R"({"sandbox": {"required": 1}})"), HasSubstr("which must be true or false"));
  EXPECT_THAT(refusal_of(R"({"sandbox": {"profile": "none", "network": "none"}})"),
              HasSubstr("but the profile \"none\" has no other members"));
  EXPECT_THAT(refusal_of(R"({"limits": {"callTimeMs": 1}, "limits": {}})"), HasSubstr("limits"));
  EXPECT_THAT(refusal_of(R"({"sandbox": {"seccomp": true}})"),
              HasSubstr("but its members are profile, required, read, write, network"));
  EXPECT_THAT(refusal_of(R"({"sandbox": {"required": true}})"), HasSubstr(R"(a "sandbox" without a "profile")"));
}

TEST_F(PluginConfigurationTest, RefusesASandboxInTheHostsProcess) {
  EXPECT_THAT(refusal_of(R"({"sandbox": {"profile": "strict"}})"), HasSubstr("cannot be sandboxed for one plugin"));
  EXPECT_EQ(refusal_of(R"({"sandbox": {"profile": "none"}})"), "accepted");
  defaults_.sandbox.profile = SandboxProfile::strict;
  EXPECT_TRUE(read(plugin_file_at(absent())).has_error());
}

TEST_F(PluginConfigurationTest, TakesWhatIsSaidOfComponents) {
  const auto configuration = read(R"({"a": 1, "aliases": {"sum": "add", "plus": {"of": "add", "replaces": true}},
    "payment": {"facilitator": "https://example.com/x402/", "tools": {"add": [
      {"scheme": "exact", "network": "eip155:84532", "amount": "10", "asset": "0x1", "payTo": "0x2"}]}}})");
  ASSERT_TRUE(configuration) << configuration.error().message;
  EXPECT_EQ(configuration->own, R"({"a":1})");
  const auto& components = *configuration->components;
  EXPECT_EQ(components.aliases.at("sum").of, "add");
  EXPECT_TRUE(components.aliases.at("plus").replaces_it);
  EXPECT_EQ(components.prices.at("add")->facilitator, "https://example.com/x402");
  EXPECT_EQ(components.prices.at("add")->accepts,
            R"([{"scheme":"exact","network":"eip155:84532","amount":"10","asset":"0x1","payTo":"0x2",)"
            R"("maxTimeoutSeconds":60}])");
  EXPECT_EQ(read("{}")->components, nullptr);
  EXPECT_THAT(refusal_of(R"({"aliasses": {"sum": "add"}})"), HasSubstr("looks like the host's \"aliases\""));
  for (const auto* const members :
       {R"({"sandboks": {"profile": "strict"}})", R"({"Sandboxes": {"profile": "strict"}})", R"({"sandbx": "strict"})"})
    EXPECT_THAT(refusal_of(members), HasSubstr("looks like the host's \"sandbox\"")) << members;
  EXPECT_THAT(refusal_of(R"({"isolatoin": "in-process"})"), HasSubstr("looks like the host's \"isolation\""));
}

}  // namespace
}  // namespace mcph
