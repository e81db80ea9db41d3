// Tools: results by type, errors, annotations, the context of a call, asking the client.
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

#include "unchecked.hpp"

namespace {

using mcp::Json;
using mcp::testing::Harness;

struct Pair {
  int second = 0;
  std::optional<std::string> first;
  static constexpr auto fields() {
    return std::tuple{mcp::field("second", &Pair::second), mcp::field("first", &Pair::first)};
  }
};

enum class Colour { Red, Green };
constexpr auto mcp_enum(Colour) {
  return mcp::enum_names<Colour>({{Colour::Red, "red"}});
}

struct Box {
  std::string label;
  double width = 0;
  Colour colour = Colour::Red;
};
struct Measured {
  std::string name;
  Json values;
  static constexpr auto fields() {
    return std::tuple{mcp::field("name", &Measured::name), mcp::field("values", &Measured::values)};
  }
};
struct Shelf {
  std::vector<Box> boxes;
  std::map<std::string, std::tuple<bool, double>> sizes;
};

void results(mcp::Plugin& plugin) {
  plugin.tool("string", "", [] { return std::string("a \"b\"\n\xC3\xA4"); });
  plugin.tool("literal", "", [] { return "literal"; });
  plugin.tool("broken", "", [] { return std::string("a\xFF") + "b"; });
  plugin.tool("integer", "", [] { return -7; });
  plugin.tool("number", "", [] { return 0.1; });
  plugin.tool("float", "", [] { return 0.1F; });
  plugin.tool("infinite", "", [] { return std::numeric_limits<double>::infinity(); });
  plugin.tool("bool", "", [] { return true; });
  plugin.tool(
      "enum", "", [](bool named) { return named ? Colour::Red : Colour::Green; }, mcp::arg("named"));
  plugin.tool("struct", "", [] { return Pair{1, {}}; });
  plugin.tool("list", "", [] { return std::vector<Pair>{{1, "a"}, {2, {}}}; });
  plugin.tool("wide", "", [] { return Shelf{{{"a \"b\": [", 1}, {"b", std::nan("")}}, {}}; });
  plugin.tool("unbounded", "", [] {
    return Shelf{{}, {{"a", {true, 1}}, {"b", {true, std::numeric_limits<double>::infinity()}}}};
  });
  const Json measured{{"mean", {1, 2.5}}, {"spread", {1, {{"of b", std::nan("")}}}}};
  plugin.tool("measured", "", [measured] { return measured; });
  plugin.tool("measured_structured", "", [measured] { return mcp::ToolResult().structured(measured); });
  plugin.tool("measured_member", "", [measured] { return Measured{"a", measured}; });
  plugin.tool("measured_meta", "", [measured] { return mcp::text("a").meta(measured); });
  plugin.tool("unmeasured", "", [] { return Json(-std::numeric_limits<double>::infinity()); });
  plugin.tool("colourless", "", [] { return Shelf{{{"a", 1, Colour::Green}}, {}}; });
  plugin.tool("map", "", [] { return std::map<std::string, int>{{"a", 1}}; });
  plugin.tool(
      "optional", "", [](bool full) { return full ? std::optional(1) : std::nullopt; }, mcp::arg("full"));
  plugin.tool("object", "", [] { return Json{{"b", 1}}; });
  plugin.tool("array", "", [] { return Json::array({1, 2}); });
  plugin.tool("nothing", "", [] {});
}

class Result : public testing::Test {
 protected:
  std::string json(const std::string& tool, const Json& arguments = Json::object()) {
    return harness_.call_tool(tool, arguments).json.dump();
  }
  std::string output_schema(const std::string& name) {
    const auto components = harness_.describe();
    for (const auto& tool : components["tools"]) {
      if (tool["name"] == name) return tool.contains("outputSchema") ? tool["outputSchema"].dump() : "none";
    }
    return "no such tool";
  }

  Harness harness_{results};
};

TEST_F(Result, TextIsOneTextContent) {
  EXPECT_EQ(json("string"), "{\"content\":[{\"text\":\"a \\\"b\\\"\\n\xC3\xA4\",\"type\":\"text\"}]}");
  EXPECT_EQ(json("literal"), R"({"content":[{"text":"literal","type":"text"}]})");
  EXPECT_EQ(output_schema("string"), "none");
}

TEST_F(Result, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(harness_.call_tool("broken").text(),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(ReplacedBytes, AreToldOfATool) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("at_once", "", [] { return std::string("a\xFF"); });
    plugin.async_tool("later", "", [](mcp::Call call) { call.complete(std::string("a\xFF")); });
    plugin.tool("right", "", [] { return std::string("\xC3\xA4"); });
  });
  for (const auto* const tool : {"right", "at_once", "later", "at_once", "later"})
    EXPECT_TRUE(harness.call_tool(tool).ok());
  const auto logs = harness.logs();
  ASSERT_EQ(logs.size(), 2U) << "once for each";
  EXPECT_EQ(logs[0].level, mcp::Level::Warning);
  EXPECT_EQ(logs[0].message,
            "tool \"at_once\" answers with the character U+FFFD, which bytes that are not UTF-8 become: make its texts "
            "UTF-8, or base64");
  EXPECT_EQ(logs[1].message.substr(0, 12), "tool \"later\"");
}

TEST_F(Result, NumbersAndBoolsAreStructuredUnderResult) {
  EXPECT_EQ(json("integer"), R"({"content":[{"text":"-7","type":"text"}],"structuredContent":{"result":-7}})");
  EXPECT_EQ(json("number"), R"({"content":[{"text":"0.1","type":"text"}],"structuredContent":{"result":0.1}})");
  EXPECT_EQ(harness_.call_tool("float").text(), "0.1");
  EXPECT_EQ(json("bool"), R"({"content":[{"text":"true","type":"text"}],"structuredContent":{"result":true}})");
  EXPECT_EQ(output_schema("integer"),
            R"({"type":"object","properties":{"result":{"type":"integer"}},"required":["result"]})");
  EXPECT_EQ(output_schema("bool"),
            R"({"type":"object","properties":{"result":{"type":"boolean"}},"required":["result"]})");
}

TEST_F(Result, WhatJsonCannotSayIsAToolError) {
  const auto infinite = harness_.call_tool("infinite");
  EXPECT_FALSE(infinite.ok());
  EXPECT_EQ(infinite.text(), "a number is infinite or not a number, which JSON cannot say");
  EXPECT_EQ(harness_.call_tool("enum", {{"named", false}}).text(), "a value of an enum has no name in its mcp_enum");
}

TEST_F(Result, WhatJsonCannotSayIsNamedByItsPlace) {
  constexpr auto no_number = "a number is infinite or not a number, which JSON cannot say";
  EXPECT_EQ(harness_.call_tool("wide").text(), R"("boxes[1].width": )" + std::string(no_number));
  EXPECT_EQ(harness_.call_tool("unbounded").text(), R"("sizes.b[1]": )" + std::string(no_number));
  EXPECT_EQ(harness_.call_tool("colourless").text(),
            R"("boxes[0].colour": a value of an enum has no name in its mcp_enum)");
}

TEST_F(Result, WhatJsonCannotSayIsNamedByItsPlaceWithinJson) {
  const std::string no_number = "a number is infinite or not a number, which JSON cannot say";
  for (const char* tool : {"measured", "measured_structured", "measured_meta"})
    EXPECT_EQ(harness_.call_tool(tool).text(), R"("spread[1].of b": )" + no_number) << tool;
  EXPECT_EQ(harness_.call_tool("measured_member").text(), R"("values.spread[1].of b": )" + no_number);
  EXPECT_EQ(harness_.call_tool("unmeasured").text(), no_number);
}

TEST_F(Result, NamedEnum) {
  const auto red = harness_.call_tool("enum", {{"named", true}});
  EXPECT_EQ(red.structured().dump(), R"({"result":"red"})");
  EXPECT_EQ(red.text(), "red") << "as a model reads it";
  EXPECT_EQ(output_schema("enum"),
            R"({"type":"object","properties":{"result":{"type":"string","enum":["red"]}},"required":["result"]})");
}

TEST_F(Result, DescribedStructIsTheStructuredContentItself) {
  EXPECT_EQ(json("struct"),
            R"({"content":[{"text":"{\"second\":1}","type":"text"}],"structuredContent":{"second":1}})");
  EXPECT_EQ(output_schema("struct"),
            R"({"type":"object","properties":{"second":{"type":"integer"},"first":{"type":"string"}},)"
            R"("required":["second"]})");
}

TEST_F(Result, ListMapAndOptional) {
  EXPECT_EQ(json("list"), R"({"content":[{"text":"[{\"second\":1,\"first\":\"a\"},{\"second\":2}]","type":"text"}],)"
                          R"("structuredContent":{"result":[{"first":"a","second":1},{"second":2}]}})");
  EXPECT_EQ(harness_.call_tool("map").structured().dump(), R"({"a":1})");
  EXPECT_EQ(output_schema("map"), R"({"type":"object","additionalProperties":{"type":"integer"}})");
  EXPECT_EQ(harness_.call_tool("optional", {{"full", true}}).structured().dump(), R"({"result":1})");
  EXPECT_EQ(harness_.call_tool("optional", {{"full", false}}).structured().dump(), R"({"result":null})");
  EXPECT_EQ(output_schema("optional"),
            R"({"type":"object","properties":{"result":{"anyOf":[{"type":"integer"},{"type":"null"}]}},)"
            R"("required":["result"]})");
}

TEST_F(Result, JsonIsTextAndStructuredIfItIsAnObject) {
  EXPECT_EQ(json("object"), R"({"content":[{"text":"{\"b\":1}","type":"text"}],"structuredContent":{"b":1}})");
  EXPECT_EQ(json("array"), R"({"content":[{"text":"[1,2]","type":"text"}]})");
  EXPECT_EQ(output_schema("object"), "none");
}

TEST_F(Result, NothingIsNoContent) {
  EXPECT_EQ(json("nothing"), R"({"content":[]})");
}

TEST(Contents, EveryKind) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("image", "", [] { return mcp::image(std::vector<unsigned char>{0, 1, 2, 255}, "image/png"); });
    plugin.tool("several", "", [] {
      const std::array<std::byte, 2> bytes{std::byte{1}, std::byte{2}};
      return mcp::Contents{
          mcp::text("a")
              .annotations({.audience = {mcp::Role::User, mcp::Role::Assistant},
                            .priority = 0.5,
                            .last_modified = "2026-01-12T15:00:58Z"})
              .meta({{"k", 1}}),
          mcp::audio(std::string("abcd"), "audio/wav"),
          mcp::resource_link("notes://a", "a", "One", "text/plain"),
          mcp::embedded("notes://b", "text/plain", "B"),
          mcp::embedded_blob("notes://c", "image/png", bytes),
      };
    });
  });
  EXPECT_EQ(harness.call_tool("image").json.dump(),
            R"({"content":[{"data":"AAEC/w==","mimeType":"image/png","type":"image"}]})");
  const Json content = harness.call_tool("several").json["content"];
  ASSERT_EQ(content.size(), 5U);
  EXPECT_EQ(content[0].dump(), R"({"_meta":{"k":1},"annotations":{"audience":["user","assistant"],)"
                               R"("lastModified":"2026-01-12T15:00:58Z","priority":0.5},"text":"a","type":"text"})");
  EXPECT_EQ(content[1].dump(), R"({"data":"YWJjZA==","mimeType":"audio/wav","type":"audio"})");
  EXPECT_EQ(content[2].dump(), R"({"description":"One","mimeType":"text/plain","name":"a","type":"resource_link",)"
                               R"("uri":"notes://a"})");
  EXPECT_EQ(content[3].dump(), R"({"resource":{"mimeType":"text/plain","text":"B","uri":"notes://b"},)"
                               R"("type":"resource"})");
  EXPECT_EQ(content[4].dump(), R"({"resource":{"blob":"AQI=","mimeType":"image/png","uri":"notes://c"},)"
                               R"("type":"resource"})");
}

TEST(Contents, WhatIsSaidTwiceCountsOnce) {
  auto content = mcp::text("x");
  content.meta({{"a", 1}}).meta({{"b", 2}});
  EXPECT_EQ(content.json(), R"({"type":"text","text":"x","_meta":{"b":2}})");
  EXPECT_EQ(mcp::resource_link("res://r", "r").title("T").size(1).title("U").json(),
            R"({"type":"resource_link","uri":"res://r","name":"r","title":"U","size":1})");
}

TEST(Tool, ANumberThatItsTypeCannotHoldIsRefused) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "float", "", [](float number) { return number; }, mcp::arg("number"));
  });
  EXPECT_TRUE(harness.call_tool("float", {{"number", 3e38}}).ok());
  EXPECT_EQ(harness.call_tool("float", {{"number", -1e300}}).text(), R"("number" is out of range: -1e+300)");
}

TEST(Contents, Base64OfEveryLength) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "t", "", [](const std::string& s) { return mcp::image(s, "x/y"); }, mcp::arg("s"));
  });
  // The test vectors of RFC 4648 section 10.
  const std::map<std::string, std::string> vectors{{"", ""},
                                                   {"f", "Zg=="},
                                                   {"fo", "Zm8="},
                                                   {"foo", "Zm9v"},
                                                   {"foob", "Zm9vYg=="},
                                                   {"fooba", "Zm9vYmE="},
                                                   {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, base64] : vectors) {
    EXPECT_EQ(harness.call_tool("t", {{"s", bytes}}).json["content"][0]["data"], base64);
  }
}

TEST(ToolResult, CompleteControl) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin
        .tool("t", "",
              [] {
                return mcp::ToolResult()
                    .text("one")
                    .content(mcp::text("two"))
                    .structured(Pair{3, "x"})
                    .is_error()
                    .meta({{"m", 1}});
              })
        .output_schema(R"({"type": "object"})");
  });
  EXPECT_EQ(harness.call_tool("t").json.dump(),
            R"({"_meta":{"m":1},"content":[{"text":"one","type":"text"},{"text":"two","type":"text"}],"isError":true,)"
            R"("structuredContent":{"first":"x","second":3}})");
  EXPECT_EQ(harness.describe()["tools"][0]["outputSchema"].dump(), R"({"type":"object"})");
}

TEST(Tool, SaysHowLongACallMayTakeAndItsTags) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("t", "", [] {}).timeout(std::chrono::seconds(2)).tags({"beta", "slow"}).meta({{"m", 1}});
    plugin.prompt_text("p", "", "Hello.").tags({"beta"});
  });
  const auto described = harness.describe();
  EXPECT_EQ(described["tools"][0]["execution"].dump(), R"({"timeoutMs":2000})");
  EXPECT_EQ(described["tools"][0]["_meta"].dump(), R"({"m":1,"mcp-plugin-host/tags":["beta","slow"]})");
  EXPECT_EQ(described["prompts"][0]["_meta"].dump(), R"({"mcp-plugin-host/tags":["beta"]})");
}

TEST(Tool, RefusesATimeoutOrATagThatIsNone) {
  EXPECT_THROW(Harness([](mcp::Plugin& plugin) { plugin.tool("t", "", [] {}).timeout(std::chrono::seconds(0)); }),
               std::runtime_error);
  EXPECT_THROW(Harness([](mcp::Plugin& plugin) { plugin.tool("t", "", [] {}).tags({"two words"}); }),
               std::runtime_error);
}

TEST(Error, AnExceptionIsAToolErrorWithAMarkForTheHost) {
  Harness harness(
      [](mcp::Plugin& plugin) { plugin.tool("t", "", []() -> int { throw std::runtime_error("no such city"); }); });
  EXPECT_EQ(unchecked_call(harness, "t").json.dump(),
            R"({"_meta":{"mcp-plugin-host/unexpected":true},"content":[{"text":"no such city","type":"text"}],)"
            R"("isError":true})");
  EXPECT_EQ(harness.call_tool("t").json.dump(),
            R"({"content":[{"text":"no such city","type":"text"}],"isError":true})");
}

TEST(Error, AToolErrorIsMeantForTheModel) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("t", "", []() -> int { throw mcp::ToolError("no such city"); });
    plugin.tool(
        "u", "", [](int) {}, mcp::arg("n"));
  });
  EXPECT_EQ(harness.call_tool("t").json.dump(),
            R"({"content":[{"text":"no such city","type":"text"}],"isError":true})");
  EXPECT_FALSE(harness.call_tool("u", {{"n", "x"}}).json.contains("_meta")) << "it is what the model gave";
}

TEST(Error, AProtocolErrorIsAJsonRpcError) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("t", "", [] { throw mcp::ProtocolError(-32001, "busy", {{"retry", 1}}); });
    plugin.tool("u", "", [] { throw mcp::ProtocolError(mcp::invalid_params, "no"); });
  });
  const auto outcome = harness.call_tool("t");
  EXPECT_EQ(outcome.kind, MCP_OUTCOME_ERROR);
  EXPECT_EQ(outcome.json.dump(), R"({"code":-32001,"data":{"retry":1},"message":"busy"})");
  EXPECT_EQ(harness.call_tool("u").json.dump(), R"({"code":-32602,"message":"no"})");
}

TEST(Error, ANullPointerInPlaceOfATextIsToldAndDoesNotCrash) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("tool", "", [] { return static_cast<const char*>(nullptr); });
    plugin.prompt("prompt", "", [] { return static_cast<char*>(nullptr); });
    plugin.resource("res://r", "r", "", [] { return static_cast<const char*>(nullptr); });
  });
  for (const auto& outcome : {harness.call_tool("tool"), harness.get_prompt("prompt"), harness.read("res://r")}) {
    EXPECT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.text(), "the handler returned a null pointer in place of a text");
  }
}

TEST(Error, AnUnknownExceptionIsLoggedAndTellsTheModelNothing) {
  Harness harness([](mcp::Plugin& plugin) { plugin.tool("t", "", [] { throw 5; }); });
  const auto outcome = harness.call_tool("t");
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.text(), "The tool failed for an unknown reason.");
  ASSERT_EQ(harness.logs().size(), 1U);
  EXPECT_EQ(harness.logs()[0].level, mcp::Level::Error);
  EXPECT_EQ(harness.logs()[0].message, R"(tool "t" threw something that is not a std::exception)");
}

TEST(Error, UnknownToolAndUnknownMethod) {
  Harness harness([](mcp::Plugin&) {});
  EXPECT_EQ(harness.call_tool("t").json.dump(), R"({"code":-32602,"message":"Unknown tool: t"})");
  EXPECT_EQ(harness.invoke("tools/run", Json::object()).error_code(), mcp::method_not_found);
  EXPECT_EQ(harness.invoke("tools/call", Json::object()).error_code(), mcp::invalid_params);
  EXPECT_EQ(harness.invoke("tools/call", {{"name", 5}}).error_code(), mcp::invalid_params);
}

TEST(Tool, DescribesAllThatMcpLetsAToolCarry) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.instructions("Be kind.");
    plugin.tool("t", "Does.", [] {})
        .title("Title")
        .read_only()
        .destructive(false)
        .idempotent()
        .open_world(false)
        .icon("https://example.org/a.png", "image/png", {"48x48", "any"})
        .icon("data:,x")
        .meta({{"k", "v"}});
  });
  EXPECT_EQ(harness.describe().dump(),
            R"({"tools":[{"name":"t","title":"Title","description":"Does.","inputSchema":{"type":"object",)"
            R"("properties":{},"additionalProperties":false},"annotations":{"readOnlyHint":true,)"
            R"("destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"icons":[)"
            R"({"src":"https://example.org/a.png","mimeType":"image/png","sizes":["48x48","any"]},{"src":"data:,x"}],)"
            R"("_meta":{"k":"v"}}],"instructions":"Be kind."})");
}

TEST(Tool, RawToolGetsItsArgumentsAsTheyAre) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.raw_tool("t", "", R"({"type":"object", "properties":{"b":{},"a":{}}})",
                    [](const Json& arguments, mcp::Context&) { return arguments; });
  });
  EXPECT_EQ(harness.describe()["tools"][0]["inputSchema"].dump(), R"({"type":"object","properties":{"b":{},"a":{}}})");
  EXPECT_EQ(harness.call_tool("t", {{"x", {1, nullptr}}}).structured().dump(), R"({"x":[1,null]})");
}

int twice(int value) {
  return 2 * value;
}

TEST(Tool, HandlersMayBeFunctionsAndOwnWhatCannotBeCopied) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("twice", "", twice, mcp::arg("value"));
    plugin.tool("owner", "", [owned = std::make_unique<int>(5)] { return *owned; });
    plugin.tool(
        "mover", "",
        [](std::string&& text, std::vector<int> list) { return std::move(text) + std::to_string(list.size()); },
        mcp::arg("text"), mcp::arg("list"));
  });
  EXPECT_EQ(harness.call_tool("twice", {{"value", 4}}).text(), "8");
  EXPECT_EQ(harness.call_tool("owner").text(), "5");
  EXPECT_EQ(harness.call_tool("mover", {{"text", "n"}, {"list", {1, 2}}}).text(), "n2");
}

TEST(Context, DeadlineTraceAndCallerAreThoseOfTheCall) {
  std::optional<std::chrono::system_clock::time_point> deadline;
  std::optional<mcp::TraceContext> trace;
  mcp::Caller caller;
  Harness harness([&](mcp::Plugin& plugin) {
    plugin.tool("t", "", [&](mcp::Context& context) {
      deadline = context.deadline();
      trace = context.trace();
      caller = context.caller();
    });
  });
  harness.call_tool("t");
  EXPECT_FALSE(deadline);
  EXPECT_FALSE(trace);
  EXPECT_TRUE(caller.is_anonymous());

  harness.set_request_context(
      {{"deadline", 1'790'000'000'123}, {"trace", {{"traceparent", "00-1"}, {"baggage", "a=b"}}}});
  harness.set_caller({.id = "ada", .groups = {"staff"}, .scopes = {"read", "write"}});
  EXPECT_TRUE(harness.call_tool("t").ok());
  ASSERT_TRUE(deadline);
  EXPECT_EQ(deadline->time_since_epoch(), std::chrono::milliseconds(1'790'000'000'123));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->traceparent, "00-1");
  EXPECT_EQ(trace->tracestate, "");
  EXPECT_EQ(trace->baggage, "a=b");
  EXPECT_EQ(caller.id, "ada");
  EXPECT_EQ(caller.groups, std::vector<std::string>{"staff"});
  EXPECT_TRUE(caller.roles.empty());
  EXPECT_EQ(caller.scopes, (std::vector<std::string>{"read", "write"}));

  harness.provide_interface("mcp.caller/1", nullptr);
  harness.call_tool("t");
  EXPECT_TRUE(caller.is_anonymous());
}

TEST(Context, ProgressAndLog) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("t", "", [](mcp::Context& context) {
      context.progress(0.5, "half");
      context.progress(3, 4, "three");
      context.debug("d");
      context.info("i");
      context.warn("w");
      context.error("e");
      context.log(mcp::Level::Critical, "c");
      return context.request_context();
    });
  });
  harness.set_request_context({{"protocolVersion", "2025-11-25"}});
  EXPECT_EQ(harness.call_tool("t").structured().dump(), R"({"protocolVersion":"2025-11-25"})");
  ASSERT_EQ(harness.progress().size(), 2U);
  EXPECT_EQ(harness.progress()[0].value, 0.5);
  EXPECT_EQ(harness.progress()[0].total, 1.0);
  EXPECT_EQ(harness.progress()[0].message, "half");
  EXPECT_EQ(harness.progress()[1].value, 3);
  EXPECT_EQ(harness.progress()[1].total, 4);
  std::string levels;
  for (const auto& entry : harness.logs()) {
    levels += entry.message + std::to_string(static_cast<int>(entry.level)) + ' ';
  }
  EXPECT_EQ(levels, "d0 i1 w3 e4 c5 ");
}

TEST(Context, AHandlerSeesThatItIsCancelled) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("t", "", [](mcp::Context& context) {
      context.info("running");
      while (!context.cancelled()) {
      }
      return static_cast<int>(context.cancel_reason());
    });
  });
  auto call = harness.start_tool("t");
  while (harness.logs().empty()) {
  }
  EXPECT_FALSE(call.done());
  call.cancel(mcp::CancelReason::Shutdown);
  EXPECT_EQ(call.wait().text(), "3");
}

TEST(Context, AHandlerLeavesWithTheReasonWhenItIsCancelled) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("t", "", [](mcp::Context& context) {
      context.info("running");
      for (;;)
        context.throw_if_cancelled();
    });
    plugin.tool("quick", "", [](mcp::Context& context) {
      context.throw_if_cancelled();
      return "done";
    });
  });
  EXPECT_EQ(harness.call_tool("quick").text(), "done");
  std::size_t calls = 0;
  for (const auto& [reason, text] :
       {std::pair{mcp::CancelReason::Client, "The call was cancelled by the client."},
        {mcp::CancelReason::Deadline, "The call was cancelled, because it took too long."},
        {mcp::CancelReason::Shutdown, "The call was cancelled, because the server is stopping."},
        {mcp::CancelReason::Reload, "The call was cancelled, because the plugin was replaced or removed."}}) {
    auto call = harness.start_tool("t");
    ++calls;
    while (harness.logs().size() < calls) {
    }
    call.cancel(reason);
    const auto outcome = call.wait();
    EXPECT_EQ(outcome.text(), text);
    EXPECT_FALSE(outcome.ok());
  }
}

TEST(Context, AskingTheClientTakesTwoRounds) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("greet", "", [](mcp::Context& context) {
      const Json answers = context.input_responses();
      if (!answers.contains("name")) {
        return mcp::input_required({{"name", {{"method", "roots/list"}, {"params", Json::object()}}}});
      }
      return mcp::ToolResult().text("Hello " + answers["name"]["roots"][0]["name"].get<std::string>());
    });
  });
  const auto first = harness.call_tool("greet");
  EXPECT_EQ(first.kind, MCP_OUTCOME_INPUT_REQUIRED);
  EXPECT_FALSE(first.ok());
  EXPECT_EQ(first.json.dump(), R"({"inputRequests":{"name":{"method":"roots/list","params":{}}}})");
  const Json answers{{"name", {{"roots", Json::array({{{"uri", "file:///home/ada"}, {"name", "Ada"}}})}}}};
  EXPECT_EQ(harness.call_tool("greet", Json::object(), answers).text(), "Hello Ada");
}

}  // namespace
