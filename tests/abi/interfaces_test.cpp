// The optional interfaces of the host, as an author in C++ meets them.
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

namespace {

using mcp::testing::Harness;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Subscriptions, AreToldAndCanBeAskedFor) {
  std::vector<std::string> heard;
  Harness harness([&heard](mcp::Plugin& plugin) {
    plugin.on_subscribed([&heard](const std::string& uri) { heard.push_back("+" + uri); });
    plugin.on_unsubscribed([&heard](const std::string& uri) { heard.push_back("-" + uri); });
    plugin.tool("subscribed", "Lists.", [&plugin] { return mcp::Json(plugin.subscriptions()).dump(); });
  });
  harness.subscribe("a://x");
  harness.subscribe("a://y");
  harness.subscribe("a://y");
  harness.unsubscribe("a://x");
  harness.unsubscribe("a://x");
  EXPECT_THAT(heard, ElementsAre("+a://x", "+a://y", "-a://x"));
  EXPECT_EQ(harness.call_tool("subscribed").text(), R"(["a://y"])");
}

TEST(Subscriptions, MayMakeAFunctionThrow) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.on_subscribed([](const std::string&) { throw std::runtime_error("no inotify"); });
  });
  harness.subscribe("a://x");
  EXPECT_EQ(harness.logs().at(0).message, "a function of on_subscribed or on_unsubscribed threw: no inotify");
}

TEST(Subscriptions, MayBeTakenAwayBeforeThePluginEnds) {
  int ended = 0;
  {
    Harness harness([&ended](mcp::Plugin& plugin) {
      plugin.on_subscribed([](const std::string&) {});
      plugin.on_stop([&ended] { ++ended; });
    });
    harness.provide_interface(MCP_SUBSCRIPTIONS, nullptr);
  }
  EXPECT_EQ(ended, 1);
}

TEST(StoreOfAPlugin, KeepsValues) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "visit", "Counts.",
        [store = plugin.store()](const std::string& who) {
          return store.update(who,
                              [](const auto& before) { return std::to_string(before ? std::stoi(*before) + 1 : 1); });
        },
        mcp::arg("who", "Who"));
    plugin.tool(
        "forget", "Forgets.", [store = plugin.store()](const std::string& who) { return store.erase(who); },
        mcp::arg("who", "Who"));
    plugin.tool("known", "Lists.", [store = plugin.store()] { return mcp::Json(store.list("a")).dump(); });
    plugin.tool(
        "put", "Puts.",
        [store = plugin.store()](const std::string& key) { store.put(key == "no text" ? "\xFF" : key, "v"); },
        mcp::arg("key", "Key"));
  });
  harness.store("ada", "41");
  EXPECT_EQ(harness.call_tool("visit", {{"who", "ada"}}).text(), "42");
  EXPECT_EQ(harness.call_tool("visit", {{"who", "bob"}}).text(), "1");
  EXPECT_EQ(harness.call_tool("known").text(), R"(["ada"])");
  EXPECT_EQ(harness.stored(), (std::map<std::string, std::string>{{"ada", "42"}, {"bob", "1"}}));
  EXPECT_EQ(harness.call_tool("forget", {{"who", "bob"}}).text(), "true");
  EXPECT_EQ(harness.call_tool("forget", {{"who", "bob"}}).text(), "false");
  EXPECT_EQ(harness.call_tool("put", {{"key", ""}}).text(), "cannot keep \"\": a key is not empty");
  EXPECT_NE(harness.call_tool("put", {{"key", "no text"}}).text().find("a key is UTF-8 text"), std::string::npos);
  EXPECT_THROW(harness.store("", "v"), std::runtime_error);
  EXPECT_THROW(harness.store(std::string(257, 'k'), "v"), std::runtime_error);
  EXPECT_THROW(harness.store("k", std::string(32'769, 'v')), std::runtime_error);
  harness.store(std::string(256, 'k'), std::string(32'768, 'v'));
}

TEST(StoreOfAPlugin, PutsOnlyAtTheRevisionThatIsMeant) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("race", "Races.", [store = plugin.store()] {
      if (!store.put_if("k", "1", 0)) return "it was there";
      const auto entry = store.find("k");
      store.put("k", "of somebody else");
      return store.put_if("k", "2", entry->revision) ? "put" : "changed";
    });
  });
  EXPECT_EQ(harness.call_tool("race").text(), "changed");
}

TEST(MetricsOfAPlugin, AreRecordedByLabels) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("work", "Works.",
                [served = plugin.counter("served", "Served."), open = plugin.gauge("open", "Open."),
                 took = plugin.histogram("took_seconds", "Took.", {0.1, 1})] {
                  served.add();
                  served.add(2, {{"kind", "a"}, {"by", "b"}});
                  open.set(5);
                  open.add(-1);
                  took.observe(0.5);
                  took.observe(0.7);
                  served.add(-1);
                });
  });
  harness.call_tool("work");
  EXPECT_EQ(harness.metrics(),
            (std::map<std::string, double>{
                {"served_total", 1}, {"served_total{by=\"b\",kind=\"a\"}", 2}, {"open", 4}, {"took_seconds", 2}}));
  EXPECT_THAT(harness.logs().at(0).message, HasSubstr("is left out"));
}

TEST(MetricsOfAPlugin, AreRefusedWithTheHostsWords) {
  const auto told = [](const std::function<void(mcp::Plugin&)>& declare) {
    std::string why = "declared";
    const Harness harness([&](mcp::Plugin& plugin) {
      try {
        declare(plugin);
      } catch (const std::invalid_argument& error) {
        why = error.what();
      }
    });
    return why;
  };
  EXPECT_EQ(told([](mcp::Plugin& plugin) { plugin.counter("Served", "Served."); }),
            R"(the metric "Served" is not 1 to 64 characters of a-z0-9_ that begin with a letter)");
  EXPECT_EQ(told([](mcp::Plugin& plugin) { plugin.gauge("open_total", "Open."); }),
            R"(the metric "open_total" ends with _total, and is no counter)");
  EXPECT_EQ(told([](mcp::Plugin& plugin) { plugin.gauge("open", ""); }),
            R"(the metric "open" needs a help, one line of text without a backslash)");
  EXPECT_EQ(told([](mcp::Plugin& plugin) {
              plugin.histogram("took", "Took.", {1, 1});
            }),
            R"(the metric "took" has bounds that are more than 32, not finite, or do not grow)");
  EXPECT_EQ(told([](mcp::Plugin& plugin) {
              plugin.histogram("took", "Took.", {0.1, 1});
              plugin.histogram("took", "Took once more.", {0.1, 1});
              plugin.histogram("took", "Took.", {0.1, 2});
            }),
            R"(the metric "took" has been declared with another kind or other bounds)");
  EXPECT_EQ(told([](mcp::Plugin& plugin) {
              for (int i = 0; i < 65; ++i)
                plugin.gauge("g" + std::to_string(i), "One of many.");
            }),
            R"(the metric "g64" is one more than the 64 that a plugin may have)");
}

// Of which the C++ API makes none.
TEST(MetricsOfAPlugin, AreOfAKindThatThereIs) {
  std::string why;
  const Harness harness([&why](mcp::Plugin& plugin) {
    const mcp_host& host = plugin.host();
    const auto* metrics = static_cast<const mcp_metrics*>(host.get_interface(&host, MCP_METRICS));
    const auto text = [](std::string_view literal) { return mcp_string{literal.data(), literal.size()}; };
    const mcp_sink error{&why, [](void* context, mcp_string piece) {
                           static_cast<std::string*>(context)->append(piece.data, piece.size);
                         }};
    EXPECT_EQ(metrics->declare(&host, 3, text("open"), text("Open."), nullptr, 0, &error), 0U);
    EXPECT_EQ(metrics->declare(&host, 3, text("open"), text("Open."), nullptr, 0, nullptr), 0U);
    EXPECT_NE(metrics->declare(&host, MCP_METRIC_GAUGE, text("open"), text("Open."), nullptr, 1, &error), 0U);
  });
  EXPECT_EQ(why, R"(the metric "open" is of a kind that there is not)");
}

TEST(CapabilitiesOfAPlugin, AreDescribed) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.extension("com.example/search", {{"languages", {"en"}}});
    plugin.extension("com.example/old");
    plugin.experimental("drafts", mcp::Json::object());
    EXPECT_TRUE(plugin.remove_extension("com.example/old"));
    EXPECT_FALSE(plugin.remove_experimental("other"));
  });
  EXPECT_EQ(harness.describe()["capabilities"].dump(),
            R"({"experimental":{"drafts":{}},"extensions":{"com.example/search":{"languages":["en"]}}})");
}

TEST(CapabilitiesOfAPlugin, AreRefusedWithTheHostsWords) {
  const auto of_mcp = [](mcp::Plugin& plugin) { plugin.extension("io.modelcontextprotocol/tasks"); };
  EXPECT_THROW(
      try { const Harness harness(of_mcp); } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("has a prefix that is reserved for MCP"));
        throw;
      },
      std::runtime_error);
}

// What an author reads of a host that is older than what his plugin needs.
TEST(AnOlderHost, IsNamedToWhoeverNeedsMore) {
  const auto refusal = [](const std::function<void(mcp::Plugin&)>& use, const char* name) {
    std::string why = "nothing";
    Harness harness([&](mcp::Plugin& plugin) {
      plugin.tool("use", "Uses.", [&plugin, &use] { use(plugin); });
      (void)name;
    });
    harness.provide_interface(name, nullptr);
    return harness.call_tool("use").text();
  };
  EXPECT_EQ(refusal([](mcp::Plugin& plugin) { plugin.subscriptions(); }, MCP_SUBSCRIPTIONS),
            "the host does not have mcp.subscriptions/1, which mcp-plugin-host has from 0.1.0 on: update the host, or "
            "ask host_has(\"mcp.subscriptions/1\") beforehand");
  EXPECT_THAT(refusal([](mcp::Plugin& plugin) { plugin.store(); }, MCP_STORE), HasSubstr("mcp.store/1"));
  EXPECT_EQ(refusal(
                [](mcp::Plugin& plugin) {
                  if (plugin.host_has(MCP_STORE)) plugin.store();
                },
                MCP_STORE),
            "");
}

}  // namespace
