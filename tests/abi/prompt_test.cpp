// Prompts: arguments, messages by type, static texts with placeholders, failures.
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

#include "unchecked.hpp"

namespace {

using mcp::Json;
using mcp::testing::Harness;
using testing::HasSubstr;

TEST(Prompt, DescribesItsArguments) {
  const Harness harness([](mcp::Plugin& plugin) {
    plugin
        .prompt("p", "A prompt", {mcp::arg("code", "The code").required(), mcp::arg("style").title("Style")},
                [](const mcp::Arguments&) { return ""; })
        .title("P")
        .icon("data:,x")
        .meta({{"k", 1}});
  });
  EXPECT_EQ(harness.describe().dump(),
            R"({"prompts":[{"name":"p","title":"P","description":"A prompt","arguments":[)"
            R"({"name":"code","description":"The code","required":true},{"name":"style","title":"Style"}],)"
            R"("icons":[{"src":"data:,x"}],"_meta":{"k":1}}]})");
}

TEST(Prompt, MessagesByType) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt("text", "About", [] { return "hello"; });
    plugin.prompt("content", "", [] { return mcp::embedded("notes://a", "text/plain", "A"); });
    plugin.prompt("message", "", [] { return mcp::assistant("I am here"); });
    plugin.prompt("messages", "", [](mcp::Context& context) {
      context.info("asked");
      return mcp::Messages{mcp::user("a"), mcp::assistant(mcp::image(std::string("b"), "image/png"))};
    });
  });
  EXPECT_EQ(harness.get_prompt("text").json.dump(),
            R"({"description":"About","messages":[{"content":{"text":"hello","type":"text"},"role":"user"}]})");
  EXPECT_EQ(harness.get_prompt("content").json["messages"].dump(),
            R"([{"content":{"resource":{"mimeType":"text/plain","text":"A","uri":"notes://a"},"type":"resource"},)"
            R"("role":"user"}])");
  EXPECT_EQ(harness.get_prompt("message").json["messages"].dump(),
            R"([{"content":{"text":"I am here","type":"text"},"role":"assistant"}])");
  EXPECT_EQ(harness.get_prompt("messages").json["messages"].dump(),
            R"([{"content":{"text":"a","type":"text"},"role":"user"},)"
            R"({"content":{"data":"Yg==","mimeType":"image/png","type":"image"},"role":"assistant"}])");
  EXPECT_EQ(harness.logs().size(), 1U);
}

TEST(Prompt, ArgumentsThatWereNotGivenAreEmpty) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt("p", "", {mcp::arg("a", "").required(), mcp::arg("b", "")}, [](const mcp::Arguments& given) {
      return given["a"] + '[' + given["b"] + ']' + given.value_or("b", "none") + (given.has("b") ? "y" : "n");
    });
    plugin.prompt("typo", "", {mcp::arg("a", "")}, [](const mcp::Arguments& given) { return given["A"]; });
  });
  EXPECT_EQ(harness.get_prompt("p", {{"a", "1"}}).text(), "1[]nonen");
  EXPECT_EQ(harness.get_prompt("p", {{"a", "1"}, {"b", "2"}}).text(), "1[2]2y");
  EXPECT_EQ(harness.get_prompt("typo").json.dump(), R"({"code":-32603,"message":"the prompt has no argument \"A\""})");
}

enum class Style { plain, verse };

TEST(Prompt, ArgumentsAreTakenByTheirTypes) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt(
        "write", "Writes.",
        [](const std::string& topic, std::optional<int> words, Style style, mcp::Context&) {
          return topic + ' ' + std::to_string(words.value_or(3)) + (style == Style::plain ? " plain" : " verse");
        },
        mcp::arg("topic", "What about"), mcp::arg("words"), mcp::arg("style").default_value(Style::plain));
  });
  EXPECT_EQ(harness.describe()["prompts"][0]["arguments"].dump(),
            R"([{"name":"topic","description":"What about","required":true},{"name":"words"},{"name":"style"}])");
  EXPECT_EQ(harness.get_prompt("write", {{"topic", "7"}}).text(), "7 3 plain");
  EXPECT_EQ(harness.get_prompt("write", {{"topic", "birds"}, {"words", "9"}, {"style", "verse"}}).text(),
            "birds 9 verse");
  const auto error = [&](const std::map<std::string, std::string>& arguments) {
    const auto outcome = unchecked_prompt(harness, "write", arguments);
    EXPECT_EQ(outcome.error_code(), mcp::invalid_params);
    return outcome.text();
  };
  EXPECT_EQ(error({}), R"(Missing argument "topic" of prompt "write")");
  EXPECT_EQ(error({{"topic", "a"}, {"words", "many"}}), R"("words" must be an integer, but is "many")");
  EXPECT_EQ(error({{"topic", "a"}, {"words", std::string(99, 'a') + "\u00e4"}}),
            R"("words" must be an integer, but is ")" + std::string(99, 'a') + R"(...")");
  EXPECT_EQ(error({{"topic", "a"}, {"style", "prose"}}), R"(Argument "style" must be one of: plain, verse)");
}

TEST(Prompt, TypedArgumentsAreHeldToWhatIsSaidOfThem) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt(
        "write", "",
        [](int words, const std::string& topic, Style style, double warmth, std::optional<bool> rhymes) {
          return std::to_string(words) + topic + (style == Style::plain ? "p" : "v") + (warmth > 0.5 ? "w" : "c") +
                 (rhymes.value_or(false) ? "r" : "");
        },
        mcp::arg("words").min(1).max(9).default_value(3), mcp::arg("topic").min_length(2).max_length(4),
        mcp::arg("style").one_of(Style::verse), mcp::arg("warmth").default_value(0.75), mcp::arg("rhymes"));
  });
  const auto get = [&](std::map<std::string, std::string> arguments) {
    arguments.emplace("topic", "sea");
    arguments.emplace("style", "verse");
    return harness.get_prompt("write", arguments);
  };
  EXPECT_EQ(get({}).text(), "3seavw");
  EXPECT_EQ(get({{"words", "9"}, {"warmth", "0.25"}, {"rhymes", "true"}}).text(), "9seavcr");
  const auto error = [&](const std::map<std::string, std::string>& arguments) {
    const auto outcome = get(arguments);
    EXPECT_EQ(outcome.error_code(), mcp::invalid_params);
    return outcome.text();
  };
  EXPECT_EQ(error({{"words", "0"}}), R"("words" must be at least 1, but is 0)");
  EXPECT_EQ(error({{"words", "10"}}), R"("words" must be at most 9, but is 10)");
  EXPECT_EQ(error({{"topic", "a"}}), R"("topic" must have at least 2 characters, but has 1)");
  EXPECT_EQ(error({{"topic", "größe"}}), R"("topic" must have at most 4 characters, but has 5)");
  EXPECT_EQ(error({{"style", "plain"}}), R"(Argument "style" must be one of: verse)");
}

/// The reason for which setup refuses a prompt that takes a T.
template <class T>
std::string refusal_of_argument(const mcp::Arg& arg) {
  try {
    const Harness harness([&](mcp::Plugin& plugin) {
      plugin.prompt(
          "p", "", [](const T&) { return "p"; }, arg);
    });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(Prompt, WhatDoesNotFitATypedArgumentIsRefusedInSetup) {
  EXPECT_EQ(refusal_of_argument<int>(mcp::arg("a").min_length(1)),
            R"(setup failed: prompt "p": argument "a": its type has no "minLength")");
  EXPECT_EQ(refusal_of_argument<std::string>(mcp::arg("a").min(1)),
            R"(setup failed: prompt "p": argument "a": its type has no "minimum")");
  EXPECT_EQ(refusal_of_argument<int>(mcp::arg("a").min(5).max(1)),
            R"(setup failed: prompt "p": argument "a": its minimum 5 is more than its maximum 1)");
  EXPECT_EQ(refusal_of_argument<int>(mcp::arg("a").default_value("three")),
            R"(setup failed: prompt "p": the default of "a" must be an integer, but is "three")");
  EXPECT_EQ(refusal_of_argument<Style>(mcp::arg("a").default_value("prose")),
            R"(setup failed: prompt "p": the default of "a" is "prose", not one of plain, verse)");
  EXPECT_EQ(refusal_of_argument<Style>(mcp::arg("a").one_of("verse", "prose")),
            R"(setup failed: prompt "p": a choice of "a" is "prose", not one of plain, verse)");
  EXPECT_EQ(refusal_of_argument<std::string>(mcp::arg("a").pattern("^a")),
            R"(setup failed: prompt "p": argument "a": an argument of a prompt has no "pattern")");
  EXPECT_EQ(refusal_of_argument<std::string>(mcp::arg("")), R"(setup failed: prompt "p": argument 1 has no name)");
  EXPECT_EQ(refusal_of_argument<std::string>(mcp::arg("a").min_length(1)), "none");
  try {
    const Harness harness([](mcp::Plugin& plugin) {
      plugin.prompt(
          "p", "", [](int, int) { return "p"; }, mcp::arg("a"), mcp::arg("a"));
    });
    FAIL() << "two arguments of one name were taken";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), R"(setup failed: prompt "p": two arguments are named "a")");
  }
}

TEST(Prompt, ArgumentsMayBeAVectorInAVariable) {
  Harness harness([](mcp::Plugin& plugin) {
    const std::vector<mcp::Arg> arguments{mcp::arg("code")};
    plugin.prompt("p", "", arguments, [](const mcp::Arguments& given) { return given["code"]; });
  });
  EXPECT_EQ(harness.get_prompt("p", {{"code", "1"}}).text(), "1");
}

TEST(Prompt, TextsAreHeldToWhatIsSaidOfThem) {
  Harness harness([](mcp::Plugin& plugin) {
    const std::vector<mcp::Arg> arguments{mcp::arg("tone").default_value("kind").max_length(5),
                                          mcp::arg("n").default_value(3)};
    plugin.prompt("p", "", arguments, [](const mcp::Arguments& given) { return given["tone"] + " " + given["n"]; });
    plugin.prompt_text("t", "", "Be {tone}", {mcp::arg("tone").min_length(3)});
  });
  EXPECT_EQ(harness.get_prompt("p").text(), "kind 3");
  EXPECT_EQ(harness.get_prompt("p", {{"tone", "cruel"}}).text(), "cruel 3");
  const auto too_long = harness.get_prompt("p", {{"tone", "gentle"}});
  EXPECT_EQ(too_long.error_code(), mcp::invalid_params);
  EXPECT_EQ(too_long.text(), R"("tone" must have at most 5 characters, but has 6)");
  EXPECT_EQ(harness.get_prompt("t", {{"tone", "so"}}).error_code(), mcp::invalid_params);
  const auto refusal = [](const mcp::Arg& argument) {
    try {
      Harness([&](mcp::Plugin& plugin) {
        plugin.prompt("p", "", std::vector{argument}, [](const mcp::Arguments&) { return ""; });
      });
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(refusal(mcp::arg("a").pattern("x")),
            "setup failed: prompt \"p\": argument \"a\": an argument of a prompt has no \"pattern\"");
  EXPECT_EQ(refusal(mcp::arg("a").min(1)), "setup failed: prompt \"p\": argument \"a\": a text has no \"minimum\"");
}

TEST(Prompt, Failures) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt("required", "", {mcp::arg("a", "").required()}, [](const mcp::Arguments&) { return ""; });
    plugin.prompt("argument", "", []() -> std::string { throw std::invalid_argument("no such style"); });
    plugin.prompt("failed", "", []() -> std::string { throw std::runtime_error("disk is full"); });
    plugin.prompt("protocol", "", []() -> std::string { throw mcp::ProtocolError(-32000, "custom"); });
    plugin.prompt("unknown", "", []() -> std::string { throw 5; });
  });
  const auto error = [&](const char* name) { return unchecked_prompt(harness, name).json.dump(); };
  EXPECT_EQ(error("required"), R"({"code":-32602,"message":"Missing argument \"a\" of prompt \"required\""})");
  EXPECT_EQ(error("argument"), R"({"code":-32603,"message":"no such style"})") << "its own, and not what was given";
  EXPECT_EQ(error("failed"), R"({"code":-32603,"message":"disk is full"})");
  EXPECT_EQ(error("protocol"), R"({"code":-32000,"message":"custom"})");
  EXPECT_EQ(error("unknown"), R"({"code":-32603,"message":"The prompt failed for an unknown reason."})");
  EXPECT_EQ(error("none"), R"({"code":-32602,"message":"Unknown prompt: none"})");
  EXPECT_EQ(harness.logs().size(), 1U);
}

TEST(PromptText, EachPlaceholderIsOneRequiredArgument) {
  Harness harness(
      [](mcp::Plugin& plugin) { plugin.prompt_text("greet", "Greets", "Dear {title} {last-name}, {title}!"); });
  EXPECT_EQ(harness.describe()["prompts"][0]["arguments"].dump(),
            R"([{"name":"title","required":true},{"name":"last-name","required":true}])");
  EXPECT_EQ(harness.get_prompt("greet", {{"title", "Dr"}, {"last-name", "{title}"}}).text(), "Dear Dr {title}, Dr!");
  EXPECT_EQ(harness.get_prompt("greet", {{"title", "Dr"}}).error_code(), mcp::invalid_params);
}

TEST(PromptText, AnArgumentSaysMoreOfAPlaceholder) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt_text("greet", "Greets", "Dear {title} {name}", {mcp::arg("name", "Whom to greet")});
  });
  EXPECT_EQ(harness.describe()["prompts"][0]["arguments"].dump(),
            R"([{"name":"title","required":true},{"name":"name","description":"Whom to greet","required":true}])");
  const auto refusal = [](const std::vector<mcp::Arg>& arguments) -> std::string {
    try {
      const Harness refused([&](mcp::Plugin& plugin) { plugin.prompt_text("a", "", "{b}", arguments); });
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal({mcp::arg("c", "C")}), R"(setup failed: prompt "a": {c} is described, and not in its text)");
  EXPECT_EQ(refusal({mcp::arg("b", "B"), mcp::arg("b", "B")}), R"(setup failed: prompt "a": {b} is described twice)");
}

TEST(PromptText, OtherBracesStayWhatTheyAre) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt_text("braces", "", R"({{name}} { x } {} {"a": 1} {"b": {"c": 2} } }} {{)");
    plugin.prompt_text("empty", "", "");
  });
  EXPECT_FALSE(harness.describe()["prompts"][0].contains("arguments"));
  EXPECT_EQ(harness.get_prompt("braces").text(), R"({name} { x } {} {"a": 1} {"b": {"c": 2} } } {)");
  EXPECT_EQ(harness.get_prompt("empty").text(), "");
}

TEST(PromptText, APlaceholderMayStandInBraces) {
  Harness harness([](mcp::Plugin& plugin) { plugin.prompt_text("json", "", R"({"a": {a}} {{{b}}})"); });
  EXPECT_EQ(harness.get_prompt("json", {{"a", "1"}, {"b", "2"}}).text(), R"({"a": 1} {2})");
}

std::string refusal_of_text(const std::string& text) {
  try {
    const Harness harness([&](mcp::Plugin& plugin) { plugin.prompt_text("greet", "Greets", text); });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(PromptText, ABraceWithoutItsOtherOneIsRefusedWithItsPlace) {
  EXPECT_EQ(
      refusal_of_text("Hello {name"),
      "setup failed: prompt \"greet\": the { in line 1, column 7 of its text has no }; write {{ and }} for braces "
      "that are no placeholder's");
  EXPECT_EQ(refusal_of_text("Hello name}"),
            "setup failed: prompt \"greet\": the } in line 1, column 11 of its text has no {; write {{ and }} for "
            "braces that are no placeholder's");
  EXPECT_THAT(refusal_of_text("Dear {title},\ngrüße {name and {other}!"), HasSubstr("the { in line 2, column 7 of"));
  EXPECT_THAT(refusal_of_text("{{name}"), HasSubstr("the } in line 1, column 7 of"));
}

TEST(PromptText, NestedJsonThatWouldLoseABraceIsRefused) {
  EXPECT_THAT(refusal_of_text(R"({"a": {"b": 1}})"), HasSubstr("the { in line 1, column 1 of its text has no }"));
}

TEST(Prompt, WhatItsHandlerThrowsIsNoMistakeOfTheClient) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt(
        "p", "", [](int n) { return mcp::user(std::to_string(std::stoi("x") + n)); }, mcp::arg("n"));
    plugin.prompt("told", "", []() -> mcp::Message { throw mcp::ToolError("Ask somebody else."); });
  });
  EXPECT_EQ(harness.get_prompt("p", {{"n", "many"}}).error_code(), mcp::invalid_params);
  EXPECT_EQ(harness.get_prompt("p", {{"n", "1"}}).error_code(), mcp::internal_error);
  const auto told = harness.get_prompt("told");
  EXPECT_NE(told.error_code(), mcp::internal_error) << "hosts mask those";
  EXPECT_EQ(told.text(), "Ask somebody else.");
}

}  // namespace
