// The life of an instance: configuration, start and stop, and components that change while calls run.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/bundle.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

namespace {

using mcp::Json;
using mcp::testing::Harness;

std::string refusal(const std::function<void(mcp::Plugin&)>& setup, const Json& config = Json::object()) {
  try {
    const Harness harness(setup, config);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(Setup, WhatItThrowsIsTheReasonForTheRefusal) {
  EXPECT_EQ(refusal([](mcp::Plugin&) { throw std::runtime_error("no licence"); }), "setup failed: no licence");
  EXPECT_EQ(refusal([](mcp::Plugin&) { throw 5; }), "setup failed: threw something that is not a std::exception");
}

TEST(Setup, TwoComponentsWithOneNameAreRefused) {
  EXPECT_EQ(refusal([](mcp::Plugin& plugin) {
              plugin.tool("t", "", [] {});
              plugin.tool("t", "", [] {});
            }),
            "setup failed: tool \"t\" is registered twice");
  EXPECT_EQ(refusal([](mcp::Plugin& plugin) {
              plugin.resource("r://a", "a", "", [] { return ""; });
              plugin.resource("r://a", "b", "", [] { return ""; });
            }),
            "setup failed: resource \"r://a\" is registered twice");
  EXPECT_EQ(refusal([](mcp::Plugin& plugin) {
              plugin.prompt_text("p", "", "");
              plugin.prompt_text("p", "", "");
            }),
            "setup failed: prompt \"p\" is registered twice");
}

TEST(Setup, ThatThrowsLeavesNoHandler) {
  const auto owned = std::make_shared<int>(1);
  EXPECT_EQ(refusal([&](mcp::Plugin& plugin) {
              auto first = plugin.tool("first", "", [owned] { return *owned; });
              plugin.tool("second", "", [first] { mcp::Tool(first).title("Called"); });
              plugin.tool("third", "", [first] { mcp::Tool(first).title("Called"); });
              throw std::runtime_error("no licence");
            }),
            "setup failed: no licence");
  EXPECT_EQ(owned.use_count(), 1);
}

struct Settings {
  std::string root;
  int depth = 0;
  static constexpr auto fields() {
    return std::tuple{mcp::field("root", &Settings::root), mcp::field("depth", &Settings::depth).default_value(3)};
  }
};

void configured(mcp::Plugin& plugin) {
  const auto settings = plugin.config_as<Settings>();
  plugin.tool("t", "", [settings] { return settings.root + std::to_string(settings.depth); });
  plugin.tool("raw", "", [&plugin] { return plugin.config(); });
}

TEST(Configuration, IsGivenAsJsonAndAsAStruct) {
  Harness harness(configured, {{"root", "/srv"}});
  EXPECT_EQ(harness.call_tool("t").text(), "/srv3");
  EXPECT_EQ(harness.call_tool("raw").text(), R"({"root":"/srv"})");
}

TEST(Configuration, AMistakeInItIsNamed) {
  EXPECT_EQ(refusal(configured), R"(setup failed: "configuration.root" is missing)");
  EXPECT_EQ(refusal(configured, {{"root", 1}}), R"(setup failed: "configuration.root" must be a string, but is 1)");
}

struct Bounded {
  int port = 0;
  std::string name;
  std::vector<Settings> roots;
  static constexpr auto fields() {
    return std::tuple{mcp::field("port", &Bounded::port).max(65535), mcp::field("name", &Bounded::name).min_length(2),
                      mcp::field("roots", &Bounded::roots).max_items(1)};
  }
};

TEST(Configuration, AValueThatAFieldDoesNotAllowIsRefused) {
  const auto refusal_of = [](const mcp::Json& configuration) {
    return refusal([](mcp::Plugin& plugin) { plugin.config_as<Bounded>(); }, configuration);
  };
  const mcp::Json roots = mcp::Json::array({{{"root", "a"}}, {{"root", "b"}}});
  EXPECT_EQ(refusal_of({{"port", 65536}, {"name", "ab"}, {"roots", mcp::Json::array()}}),
            R"(setup failed: "configuration.port" must be at most 65535, but is 65536)");
  EXPECT_EQ(refusal_of({{"port", 1}, {"name", "a"}, {"roots", mcp::Json::array()}}),
            R"(setup failed: "configuration.name" must have at least 2 characters, but has 1)");
  EXPECT_EQ(refusal_of({{"port", 1}, {"name", "ab"}, {"roots", roots}}),
            R"(setup failed: "configuration.roots" must have at most 1 item, but has 2)");
}

struct Share {
  std::string path;
  bool writable = false;
  static constexpr auto fields() {
    return std::tuple{mcp::field("path", &Share::path), mcp::field("writable", &Share::writable).default_value(false)};
  }
};

struct Shares {
  std::optional<std::vector<Share>> shares;
  static constexpr auto fields() { return std::tuple{mcp::field("shares", &Shares::shares)}; }
};

TEST(Configuration, AMistypedNameInItIsToldAndIgnored) {
  const Harness harness([](mcp::Plugin& plugin) { plugin.config_as<Shares>(); },
                        mcp::Json::parse(R"({"share":[], "shares":[{"path":"/srv","writeable":true}]})"));
  const auto logs = harness.logs();
  ASSERT_EQ(logs.size(), 2U);
  EXPECT_EQ(logs[0].message, R"("configuration.shares[0].writeable" is not one of path, writable and is ignored)");
  EXPECT_EQ(logs[1].message, R"("configuration.share" is not one of shares and is ignored)");
  EXPECT_EQ(logs[0].level, mcp::Level::Warning);
}

struct Deep {
  std::map<std::string, Share> by_name;
  std::array<Share, 1> array;
  std::pair<int, Share> pair;
  std::vector<std::optional<Share>> list;
};

TEST(Configuration, AMistypedNameDeepInItIsToldToo) {
  const auto share = mcp::Json::parse(R"({"path":"/srv","writeable":true})");
  const mcp::Json configuration{{"by_name", {{"srv", share}}},
                                {"array", mcp::Json::array({share})},
                                {"pair", mcp::Json::array({1, share})},
                                {"list", mcp::Json::array({nullptr, share})}};
  const Harness harness([](mcp::Plugin& plugin) { plugin.config_as<Deep>(); }, configuration);
  std::string told;
  for (const auto& log : harness.logs())
    told += log.message.substr(0, log.message.find(" is ")) + ' ';
  EXPECT_EQ(told, R"("configuration.by_name.srv.writeable" "configuration.array[0].writeable" )"
                  R"("configuration.pair[1].writeable" "configuration.list[1].writeable" )");
}

TEST(Start, RunsInOrderAndStopInReverse) {
  std::string order;
  {
    const Harness harness([&](mcp::Plugin& plugin) {
      plugin.on_start([&] { order += 'a'; });
      plugin.on_start([&] { order += 'b'; });
      plugin.on_stop([&] { order += 'y'; });
      plugin.on_stop([] { throw std::runtime_error("ignored"); });
      plugin.on_stop([&] { order += 'z'; });
      order += 's';
    });
    EXPECT_EQ(order, "sab");
  }
  EXPECT_EQ(order, "sabzy");
}

TEST(Start, AFailureIsTheReasonForTheRefusalAndStopStillRuns) {
  bool stopped = false;
  EXPECT_EQ(refusal([&](mcp::Plugin& plugin) {
              plugin.on_start([] { throw std::runtime_error("port 80 is taken"); });
              plugin.on_stop([&] { stopped = true; });
            }),
            "it could not start: port 80 is taken");
  EXPECT_TRUE(stopped);
}

void inspected(mcp::Plugin& plugin) {
  plugin.tool("t", "", [] {});
  plugin.on_start([] { std::abort(); });
  plugin.on_stop([] { std::abort(); });
}

MCP_PLUGIN("inspected", "0.1.0", inspected, MCP_PLUGIN_SERIAL | MCP_PLUGIN_NEVER_UNLOAD,
           mcp::About{.id = "org.example.inspected",
                      .vendor = "Example",
                      .description = "Is looked at.",
                      .url = "https://example.org/inspected"})

std::string text_of(mcp_string text) {
  return {text.data, text.size};
}

TEST(Entry, TheTableSaysWhatTheMacroSays) {
  const mcp_plugin* plugin = mcp_plugin_entry_v1();
  EXPECT_EQ(plugin, mcp_plugin_entry_v1());
  EXPECT_EQ(plugin->size, sizeof(mcp_plugin));
  EXPECT_EQ(plugin->flags, MCP_PLUGIN_SERIAL | MCP_PLUGIN_NEVER_UNLOAD);
  EXPECT_EQ(text_of(plugin->name), "inspected");
  EXPECT_EQ(text_of(plugin->version), "0.1.0");
  EXPECT_EQ(text_of(plugin->id), "org.example.inspected");
  EXPECT_EQ(text_of(plugin->vendor), "Example");
  EXPECT_EQ(text_of(plugin->description), "Is looked at.");
  EXPECT_EQ(text_of(plugin->url), "https://example.org/inspected");
}

TEST(Entry, InspectingCreatesDescribesAndStopsWithoutStarting) {
  mcp_host host{};
  host.size = sizeof host;
  host.configuration = [](const mcp_host*, const mcp_sink*) {};
  std::string text;
  const mcp_sink sink{&text, [](void* context, mcp_string piece) {
                        static_cast<std::string*>(context)->append(piece.data, piece.size);
                      }};
  const mcp_plugin* plugin = mcp_plugin_entry_v1();
  void* instance = plugin->create(&host, &sink);
  ASSERT_TRUE(instance);
  EXPECT_EQ(plugin->describe(instance, &sink, &sink), 0);
  plugin->stop(instance);
  EXPECT_EQ(text, R"({"tools":[{"name":"t","inputSchema":{"type":"object","properties":{},)"
                  R"("additionalProperties":false}}]})");
}

mcp_host host_of_size(std::size_t size) {
  mcp_host host{};
  host.size = static_cast<std::uint32_t>(size);
  host.configuration = [](const mcp_host*, const mcp_sink*) {};
  return host;
}

TEST(Entry, AHostThatLacksWhatIsOnlyAskedForIsTaken) {
  const mcp_host host = host_of_size(offsetof(mcp_host, get_interface));
  const void* found = &host;
  void* instance = mcp::detail::create_instance(
      [&](mcp::Plugin& plugin) { found = plugin.host_interface("mcp.server-info/1"); }, &host, nullptr);
  ASSERT_TRUE(instance);
  mcp::detail::stop_instance(instance);
  EXPECT_EQ(found, nullptr);
}

TEST(Entry, AHostThatLacksWhatIsUsedIsRefusedInWords) {
  const mcp_host host = host_of_size(offsetof(mcp_host, resource_updated));
  std::string reason;
  const mcp_sink sink{&reason, [](void* context, mcp_string piece) {
                        static_cast<std::string*>(context)->append(piece.data, piece.size);
                      }};
  EXPECT_EQ(mcp_plugin_entry_v1()->create(&host, &sink), nullptr);
  EXPECT_EQ(reason, "the host lacks functions that this plugin needs: update the host");
}

TEST(DataDirectory, IsAPlaceToWriteTo) {
  Harness harness([](mcp::Plugin& plugin) { plugin.tool("t", "", [&plugin] { return plugin.data_directory(); }); });
  const std::string path = harness.call_tool("t").text();
  EXPECT_TRUE(std::filesystem::is_directory(path));
  EXPECT_EQ(harness.call_tool("t").text(), path);
}

TEST(BundleDirectory, IsWhatTheHostSaysOrNothing) {
  Harness harness([](mcp::Plugin& plugin) { plugin.tool("t", "", [&plugin] { return plugin.bundle_directory(); }); });
  EXPECT_EQ(harness.call_tool("t").text(), "");
  const mcp_bundle bundle{sizeof(mcp_bundle), 0, [](const mcp_host*, const mcp_sink* sink) {
                            sink->write(sink->context, {"/bundles/notes", 14});
                          }};
  harness.provide_interface(MCP_BUNDLE, &bundle);
  EXPECT_EQ(harness.call_tool("t").text(), "/bundles/notes");
}

TEST(HostInterface, IsNullUnlessTheHostHasIt) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("t", "", [&plugin] {
      const auto* number = static_cast<const int*>(plugin.host_interface("mcp.number/1"));
      return number ? *number : 0;
    });
  });
  EXPECT_EQ(harness.call_tool("t").text(), "0");
  const int number = 7;
  harness.provide_interface("mcp.number/1", &number);
  EXPECT_EQ(harness.call_tool("t").text(), "7");
}

void changing(mcp::Plugin& plugin) {
  plugin.tool("old", "", [] { return "old"; });
  plugin.tool(
      "add", "", [&plugin](const std::string& name) { plugin.tool(name, "", [name] { return name; }); },
      mcp::arg("name"));
  plugin.tool(
      "remove", "", [&plugin](const std::string& name) { return plugin.remove_tool(name); }, mcp::arg("name"));
  plugin.tool("publish", "", [&plugin] { plugin.components_changed(); });
}

std::string tool_names(const Harness& harness) {
  std::string names;
  const auto components = harness.describe();
  for (const auto& tool : components["tools"])
    names += tool["name"].get<std::string>() + ' ';
  return names;
}

TEST(Describe, WhatItThrowsIsTheReasonForWhichNothingIsDescribed) {
  try {
    const Harness harness([](mcp::Plugin& plugin) {
      plugin.tool("t", "", [] {});
      plugin.on_describe([] { throw std::runtime_error("the index is gone"); });
    });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "it could not describe its components: the index is gone");
  }
}

TEST(Describe, WhatIsRegisteredMeanwhileIsDescribedAndServed) {
  int descriptions = 0;
  Harness harness([&](mcp::Plugin& plugin) {
    plugin.on_describe([&] {
      const auto name = "t" + std::to_string(++descriptions);
      plugin.tool(name, "", [name] { return name; });
    });
  });
  EXPECT_EQ(harness.describe()["tools"].size(), 2U) << "the first time it was described at the start";
  EXPECT_EQ(harness.describe()["tools"].size(), 3U);
  EXPECT_EQ(harness.call_tool("t1").text(), "t1");
}

TEST(Change, IsServedAllAtOnceWhenItIsPublished) {
  Harness harness(changing);
  harness.call_tool("add", {{"name", "new"}});
  EXPECT_EQ(harness.call_tool("remove", {{"name", "old"}}).text(), "true");
  EXPECT_EQ(harness.call_tool("remove", {{"name", "old"}}).text(), "false");
  EXPECT_EQ(tool_names(harness), "old add remove publish ");
  EXPECT_EQ(harness.call_tool("old").text(), "old");
  EXPECT_EQ(harness.call_tool("new").error_code(), mcp::invalid_params);
  EXPECT_EQ(harness.components_changed(), 0);

  harness.call_tool("publish");
  EXPECT_EQ(harness.components_changed(), 1);
  EXPECT_EQ(tool_names(harness), "add remove publish new ");
  EXPECT_EQ(harness.call_tool("new").text(), "new");
  EXPECT_EQ(harness.call_tool("old").error_code(), mcp::invalid_params);
}

TEST(Change, ThatAHostMayRefuseLeavesWhatItStillCalls) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.resource("r://a", "a", "", [] { return "resource"; });
    plugin.resource_template("r://{x}", "x", "", [] { return "template"; })
        .complete("x", std::vector<std::string>{"one"});
    plugin.prompt_text("p", "", "prompt");
    plugin.tool("t", "", [] { return "tool"; });
    plugin.tool("remove", "", [&plugin] {
      plugin.remove_tool("t");
      plugin.remove_resource("r://a");
      plugin.remove_resource_template("r://{x}");
      plugin.remove_prompt("p");
      plugin.components_changed();
    });
    plugin.tool("publish", "", [&plugin] { plugin.components_changed(); });
    plugin.tool("remove_more", "", [&plugin] {
      plugin.remove_tool("publish");
      plugin.components_changed();
    });
  });
  const auto answers = [&] {
    return std::vector{
        harness.invoke("tools/call", {{"name", "t"}}).text(),
        harness.invoke("resources/read", {{"uri", "r://a"}}).text(),
        harness.invoke("resources/read", {{"uri", "r://b"}, {"uriTemplate", "r://{x}"}, {"variables", {{"x", "b"}}}})
            .text(),
        harness.invoke("prompts/get", {{"name", "p"}}).text(),
        harness
            .invoke("completion/complete", {{"ref", {{"type", "ref/resource"}, {"uri", "r://{x}"}}},
                                            {"argument", {{"name", "x"}, {"value", "o"}}}})
            .json.dump()};
  };
  const std::vector<std::string> served = answers();
  EXPECT_EQ(served[0] + served[1] + served[2] + served[3], "toolresourcetemplateprompt");
  harness.invoke("tools/call", {{"name", "remove"}});
  EXPECT_EQ(answers(), served) << "the host has not read the change";
  EXPECT_EQ(harness.describe()["tools"].size(), 3U);
  EXPECT_EQ(answers(), served) << "it may refuse the change";
  harness.invoke("tools/call", {{"name", "publish"}});
  harness.describe();
  EXPECT_EQ(answers(), served) << "what it has read once more is the same";
  harness.invoke("tools/call", {{"name", "remove_more"}});
  EXPECT_EQ(answers(), served) << "it has not read this one, which may fail";
  harness.describe();
  EXPECT_EQ(harness.invoke("tools/call", {{"name", "t"}}).error_code(), mcp::invalid_params);
  EXPECT_EQ(harness.invoke("resources/read", {{"uri", "r://a"}}).error_code(), mcp::resource_not_found);
}

TEST(Change, OfWhatTheHostHasNotReadLosesNothingThatItCalls) {
  Harness harness(changing);
  harness.invoke("tools/call", {{"name", "remove"}, {"arguments", {{"name", "old"}}}});
  for (int i = 0; i < 3; ++i)
    harness.invoke("tools/call", {{"name", "publish"}});
  EXPECT_EQ(harness.invoke("tools/call", {{"name", "old"}}).text(), "old");
}

TEST(Change, EveryKindOfComponentCanBeRemovedAndModified) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.resource("r://a", "a", "", [] { return ""; });
    plugin.resource_template("r://{x}", "x", "", [] { return ""; });
    plugin.prompt_text("p", "", "");
    const mcp::Tool tool = plugin.tool("t", "", [] {});
    plugin.tool("change", "", [&plugin, tool] {
      mcp::Tool(tool).title("Changed").read_only();
      plugin.instructions("Changed too");
      const bool removed =
          plugin.remove_resource("r://a") && plugin.remove_resource_template("r://{x}") && plugin.remove_prompt("p");
      plugin.components_changed();
      return removed;
    });
  });
  EXPECT_EQ(harness.describe().size(), 4U);
  EXPECT_EQ(harness.call_tool("change").text(), "true");
  const auto components = harness.describe();
  EXPECT_EQ(components.size(), 2U);
  EXPECT_EQ(components["tools"][0]["title"], "Changed");
  EXPECT_EQ(components["tools"][0]["annotations"].dump(), R"({"readOnlyHint":true})");
  EXPECT_EQ(components["instructions"], "Changed too");
}

TEST(Change, ResourceUpdatedReachesTheHost) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("t", "", [&plugin] {
      plugin.resource_updated("r://a");
      plugin.warn("outside of any call");
    });
  });
  harness.call_tool("t");
  EXPECT_EQ(harness.updated_resources(), std::vector<std::string>{"r://a"});
  EXPECT_EQ(harness.logs()[0].message, "outside of any call");
}

TEST(Change, CallsRunWhileComponentsComeAndGo) {
  Harness harness(changing);
  std::atomic<bool> done = false;
  std::atomic<int> failures = 0;
  std::atomic<int> calls = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!done) {
        if (harness.call_tool("old").text() != "old") ++failures;
        if (harness.describe()["tools"].size() < 4) ++failures;
        ++calls;
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < 300; ++i) {
      const std::string name = "tool" + std::to_string(i);
      harness.call_tool("add", {{"name", name}});
      harness.call_tool("publish");
      if (harness.call_tool(name).text() != name) ++failures;
      harness.call_tool("remove", {{"name", name}});
      harness.call_tool("publish");
    }
    done = true;
  });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_GT(calls, 0);
  EXPECT_EQ(harness.components_changed(), 600);
  EXPECT_EQ(tool_names(harness), "old add remove publish ");
}

TEST(Stop, ABuilderThatAHandlerOwnsIsNoLeak) {
  const auto owned = std::make_shared<int>(0);
  {
    const Harness harness([&](mcp::Plugin& plugin) {
      const mcp::Tool tool = plugin.tool("t", "", [] {});
      plugin.tool("u", "", [tool, owned] { return *owned; });
    });
    EXPECT_GT(owned.use_count(), 1);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

}  // namespace
