// Completion: what clients are offered for arguments of prompts and variables of resource templates.
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

namespace {

using mcp::Json;
using mcp::testing::Harness;
using Values = std::vector<std::string>;

std::string nothing(const mcp::Uri&) {
  return {};
}
std::string nobody() {
  return {};
}

TEST(Completion, OfAPromptByAHandler) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt("p", "", {mcp::arg("language"), mcp::arg("framework")}, nobody)
        .complete("language", [](std::string_view typed) { return Values{std::string(typed) + "thon"}; })
        .complete("framework",
                  [](std::string_view typed, const mcp::Arguments& chosen) {
                    return Values{chosen["language"] + "/" + std::string(typed), chosen.value_or("none", "absent")};
                  })
        .title("P");
  });
  EXPECT_EQ(harness.complete_prompt("p", "language", "py").values(), Values{"python"});
  EXPECT_EQ(harness.complete_prompt("p", "framework", "fla", {{"language", "python"}}).values(),
            (Values{"python/fla", "absent"}));
  EXPECT_EQ(harness.complete_prompt("p", "framework", "").values(), (Values{"/", "absent"}));
}

TEST(Completion, OfATemplateByAHandlerThatTakesTheContext) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.resource_template("a://{year}/{+path}", "a", "", nothing)
        .complete("year",
                  [](std::string_view, mcp::Context& context) {
                    context.info("asked");
                    return mcp::Completion{.values = {"2025", "2026"}, .total = 7, .has_more = true};
                  })
        .complete("path", [](std::string_view typed, const mcp::Arguments& chosen, mcp::Context&) {
          return Values{chosen["year"] + std::string(typed)};
        });
    plugin.resource_template("docs://*", "d", "", nothing).complete("*", {"guide", "Glossary", "index"});
    plugin.resource_template("repo://{owner}{/kind,path*}", "r", "", nothing)
        .complete("kind", {"tree"})
        .complete("path", {"src"});
  });
  EXPECT_EQ(harness.complete_template("a://{year}/{+path}", "year", "20").json,
            (Json{{"completion", {{"values", {"2025", "2026"}}, {"total", 7}, {"hasMore", true}}}}));
  EXPECT_EQ(harness.logs().size(), 1U);
  EXPECT_EQ(harness.complete_template("a://{year}/{+path}", "path", "x", {{"year", "2026"}}).values(), Values{"2026x"});
  EXPECT_EQ(harness.complete_template("docs://*", "*", "g").values(), (Values{"guide", "Glossary"}));
  EXPECT_EQ(harness.complete_template("repo://{owner}{/kind,path*}", "path", "s").values(), Values{"src"});
}

TEST(Completion, FromAListOffersWhatBeginsWithWhatWasTyped) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt("p", "", {mcp::arg("a")}, nobody).complete("a", {"C", "C++", "Rust"});
  });
  EXPECT_EQ(harness.complete_prompt("p", "a", "c").json,
            (Json{{"completion", {{"values", {"C", "C++"}}, {"total", 2}, {"hasMore", false}}}}));
  EXPECT_EQ(harness.complete_prompt("p", "a", "").values().size(), 3U);
  EXPECT_EQ(harness.complete_prompt("p", "a", "C++x").values(), Values{});
}

TEST(Completion, OfWhatAnArgumentIsLimitedToNeedsNoWord) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt("p", "", {mcp::arg("style").one_of("formal", "friendly", "casual"), mcp::arg("lines").one_of(5, 50)},
                  [](const mcp::Arguments& given) { return given["style"]; });
  });
  EXPECT_EQ(harness.complete_prompt("p", "style", "f").values(), (Values{"formal", "friendly"}));
  EXPECT_EQ(harness.complete_prompt("p", "lines", "").values(), (Values{"5", "50"}));
  EXPECT_EQ(harness.get_prompt("p", {{"style", "formal"}}).text(), "formal");
  const auto refused = harness.get_prompt("p", {{"style", "rude"}});
  EXPECT_EQ(refused.error_code(), -32602);
  EXPECT_EQ(refused.text(), "Argument \"style\" must be one of: formal, friendly, casual");
}

TEST(Completion, IsAskedForOnlyWhereSomethingCanBeCompleted) {
  const Harness with(
      [](mcp::Plugin& plugin) { plugin.prompt("p", "", {mcp::arg("a")}, nobody).complete("a", Values{"b"}); });
  EXPECT_EQ(with.describe()["completions"], true);
  const Harness without([](mcp::Plugin& plugin) { plugin.prompt("p", "", {mcp::arg("a")}, nobody); });
  EXPECT_FALSE(without.describe().contains("completions"));
}

TEST(Completion, OfWhatHasNoneIsEmpty) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt("p", "", {mcp::arg("a"), mcp::arg("b")}, nobody).complete("a", Values{"b"});
  });
  EXPECT_EQ(harness.complete_prompt("p", "b", "x").json,
            (Json{{"completion", {{"values", Json::array()}, {"total", 0}, {"hasMore", false}}}}));
  EXPECT_EQ(harness.complete_prompt("none", "b", "x").error_code(), -32602);
  EXPECT_EQ(harness.complete_template("none://{x}", "x", "").error_code(), -32602);
  EXPECT_EQ(harness.invoke("completion/complete", Json::object()).error_code(), -32602);
}

TEST(Completion, ThatIsReplacedMayCallThePluginAsItGoes) {
  Harness harness([](mcp::Plugin& plugin) {
    std::shared_ptr<void> owned(nullptr, [&plugin](void*) { plugin.instructions("It is gone."); });
    auto prompt = plugin.prompt("p", "", {mcp::arg("a")}, nobody);
    prompt.complete("a", [owned = std::move(owned)](std::string_view) { return Values{"old"}; });
    prompt.complete("a", Values{"new"});
  });
  EXPECT_EQ(harness.describe()["instructions"], "It is gone.");
  EXPECT_EQ(harness.complete_prompt("p", "a", "").values(), Values{"new"});
}

TEST(Completion, OfAnUnknownArgumentIsRefusedInSetup) {
  const auto reason = [](const std::function<void(mcp::Plugin&)>& setup) -> std::string {
    try {
      const Harness harness(setup);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(
      reason([](mcp::Plugin& plugin) { plugin.prompt("p", "", {mcp::arg("a")}, nobody).complete("b", Values{}); }),
      "setup failed: \"p\" has no argument or variable \"b\" to complete");
  EXPECT_EQ(reason([](mcp::Plugin& plugin) { plugin.resource("a://b", "static", "", nobody).complete("b", Values{}); }),
            "setup failed: \"static\" has no argument or variable \"b\" to complete");
}

TEST(Completion, ThatThrowsIsAnError) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt("p", "", {mcp::arg("a"), mcp::arg("b"), mcp::arg("c")}, nobody)
        .complete("a", [](std::string_view) -> Values { throw std::runtime_error("the disk is full"); })
        .complete("b", [](std::string_view) -> Values { throw mcp::ProtocolError(-32001, "later"); })
        .complete("c", [](std::string_view) -> Values { throw 1; });
  });
  EXPECT_EQ(harness.complete_prompt("p", "a", "").text(), "the disk is full");
  EXPECT_EQ(harness.complete_prompt("p", "a", "").error_code(), -32603);
  EXPECT_EQ(harness.complete_prompt("p", "b", "").error_code(), -32001);
  EXPECT_EQ(harness.complete_prompt("p", "c", "").text(), "The completion failed for an unknown reason.");
  EXPECT_EQ(harness.logs().size(), 1U);
}

}  // namespace
