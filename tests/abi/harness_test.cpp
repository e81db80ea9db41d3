// The Harness refuses what a host refuses, with the host's words, so that a test of a plugin fails as its host would.
#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

namespace {

using mcp::Json;
using mcp::testing::Harness;
using ::testing::ElementsAre;

/// A plugin without the C++ API: describes itself by one text and answers each call with another.
struct Written {
  static std::string description;
  static std::string answer;
  static std::int32_t outcome;
  const mcp_host* host;

  static mcp_string borrowed(const std::string& text) { return {text.data(), text.size()}; }
  static mcp_plugin plugin() {
    mcp_plugin table = mcp::detail::plugin_table("written", {}, nullptr);
    table.create = [](const mcp_host* host, const mcp_sink*) -> void* { return new Written{host}; };
    table.start = nullptr;
    table.stop = [](void* instance) { delete static_cast<Written*>(instance); };
    table.cancel = nullptr;
    table.describe = [](void*, const mcp_sink* sink, const mcp_sink*) -> std::int32_t {
      sink->write(sink->context, borrowed(description));
      return 0;
    };
    table.invoke = [](void* instance, mcp_call_id call, mcp_string, mcp_string) {
      const mcp_host* host = static_cast<Written*>(instance)->host;
      host->complete(host, call, outcome, borrowed(answer));
    };
    return table;
  }
};
std::string Written::description;
std::string Written::answer;
std::int32_t Written::outcome = MCP_OUTCOME_RESULT;

template <class Plugin>
std::string refusal(const Plugin& plugin) {
  try {
    const Harness harness(plugin);
    return "served";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

std::string refusal_of_description(const std::string& description) {
  Written::description = description;
  return refusal(Written::plugin());
}

/// What a client hears of a plugin with a tool, a prompt and a resource that answers so.
struct Answers {
  explicit Answers(const std::string& json, std::int32_t outcome = MCP_OUTCOME_RESULT) {
    Written::answer = json;
    Written::outcome = outcome;
    Written::description = R"({"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":)"
                           R"({"type":"object","properties":{"sum":{"type":"integer"}}}}],)"
                           R"("resources":[{"uri":"r://","name":"r"}],"prompts":[{"name":"p"}]})";
    Harness harness(Written::plugin());
    const auto told = harness.call_tool("t");
    code_of_tool = told.error_code();
    of_tool = told.text();
    of_resource = harness.read("r://").text();
    of_prompt = harness.get_prompt("p").text();
  }
  int code_of_tool;
  std::string of_tool;
  std::string of_resource;
  std::string of_prompt;
};

struct Reservation {
  int people = 0;
  std::string note;
  static constexpr auto fields() {
    return std::tuple{mcp::field("people", &Reservation::people).max(9),
                      mcp::field("note", &Reservation::note).max_length(5)};
  }
};

/// Tools that ask.
void asking(mcp::Plugin& plugin) {
  plugin.tool("reserve", "", [](mcp::Context& context) -> std::string {
    const auto reservation = context.elicit<Reservation>("For how many?");
    return reservation ? std::to_string(reservation->people) : "nobody";
  });
  plugin.tool("write", "", [](mcp::Context& context) { return context.sample(mcp::Sampling(10).user("Hi")).text(); });
  plugin.tool("count", "", [](mcp::Context& context) { return context.roots().size(); });
  plugin.tool("look", "", [](mcp::Context& context) { return context.read_resource("r://").at(0).text; });
}

/// What comes of it when the client gives this answer.
std::string text_after(const char* tool, const Json& answer) {
  Harness harness(asking);
  try {
    return harness.call_tool(tool, Json::object(), [&](const Json&) { return answer; }).text();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(HarnessDescription, AToolNeedsANameThatClientsCanUse) {
  EXPECT_EQ(refusal([](mcp::Plugin& plugin) { plugin.tool("my tool", "", [] {}); }),
            R"(a host would refuse it: tools[0]: name "my tool" is not 1 to 128 characters of A-Za-z0-9_.-)");
}

TEST(HarnessDescription, NoTwoOfAKindHaveOneName) {
  EXPECT_EQ(refusal_of_description(R"({"prompts":[{"name":"p"},{"name":"p"}]})"),
            R"(a host would refuse it: prompts[1]: "p" is described twice)");
}

TEST(HarnessDescription, ASchemaMustBeOne) {
  EXPECT_EQ(
      refusal_of_description(R"({"tools":[{"name":"t","inputSchema":)"
                             R"({"type":"object","properties":{"x":{"type":"text"}}}}]})"),
      R"(a host would refuse it: tools[0] "t": inputSchema is invalid: /properties/x/type: "text" is not a JSON Schema type)");
  EXPECT_EQ(
      refusal([](mcp::Plugin& plugin) {
        plugin.tool(
            "t", "", [](const std::string& x) { return x; }, mcp::arg("x").pattern("("));
      }),
      R"(a host would refuse it: tools[0] "t": inputSchema is invalid: /properties/x/pattern: "(" is no usable regular )"
      "expression: a group has no end, at byte 1");
}

TEST(HarnessDescription, AUriMustBeOne) {
  EXPECT_EQ(refusal([](mcp::Plugin& plugin) { plugin.resource("notes", "notes", "", [] { return ""; }); }),
            R"(a host would refuse it: resources[0] "notes": uri is not an absolute URI such as "scheme://path")");
  EXPECT_EQ(
      refusal([](mcp::Plugin& plugin) { plugin.resource("notes://50%", "n", "", [] { return ""; }); }),
      R"(a host would refuse it: resources[0] "notes://50%": uri has a "%" that is not followed by two hexadecimal )"
      R"(digits; write it as "%25")");
}

TEST(HarnessDescription, IsLookedAtAgainWhenThePluginSaysThatItChanged) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "change", "",
        [&plugin](const std::string& name) {
          plugin.tool(name, "", [] { return "new"; });
          plugin.components_changed();
        },
        mcp::arg("name"));
  });
  EXPECT_EQ(harness.call_tool("added").text(), "Unknown tool: added");
  harness.call_tool("change", {{"name", "added"}});
  EXPECT_EQ(harness.call_tool("added").text(), "new");
  harness.call_tool("change", {{"name", "not good"}});
  EXPECT_THROW(harness.call_tool("added"), std::runtime_error);
}

TEST(HarnessCall, ArgumentsMustFitTheSchema) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "t", "", [](int x) { return x; }, mcp::arg("x").min(5));
  });
  EXPECT_EQ(harness.call_tool("t", {{"x", 5}}).text(), "5");
  const auto refused = harness.call_tool("t", {{"x", 1}});
  EXPECT_EQ(refused.kind, MCP_OUTCOME_RESULT);
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(refused.text(), R"(Invalid arguments for tool t: "x" must be at least 5, but is 1)");
  EXPECT_EQ(harness.start_tool("t", {{"x", 1}}).wait().text(), refused.text());
  EXPECT_TRUE(harness.invoke("tools/call", {{"name", "t"}, {"arguments", {{"x", 5}}}}).ok());
}

TEST(HarnessCall, APromptNeedsItsArguments) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt("p", "", {mcp::arg("topic", "").required()},
                  [](const mcp::Arguments& given) { return given["topic"]; });
  });
  EXPECT_EQ(harness.get_prompt("p").text(), R"(Prompt p needs the argument "topic")");
  EXPECT_EQ(harness.get_prompt("q").text(), "Unknown prompt: q");
}

TEST(HarnessCall, AUriIsReadByTheTemplateThatItMatches) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.resource_template("users://{id}/name", "n", "", [](int id) { return "user " + std::to_string(id); });
  });
  EXPECT_EQ(harness.read("users://7/name").text(), "user 7");
  EXPECT_EQ(harness.read("users://7/age").text(), "Resource not found: users://7/age");
}

TEST(HarnessCall, AResourceThatIsNotThereHasOneCodeWhoeverSaysSo) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.resource_template("users://{id}", "n", "", [](int) -> std::optional<std::string> { return std::nullopt; });
  });
  EXPECT_EQ(harness.read("users://7").error_code(), mcp::resource_not_found) << "the plugin";
  EXPECT_EQ(harness.read("notes://7").error_code(), mcp::resource_not_found) << "the host";
}

TEST(HarnessCall, OfASerialPluginBeginsWhenTheOneBeforeHasReturned) {
  static std::atomic<int> running;
  static std::atomic<bool> overlapped;
  running = 0;
  overlapped = false;
  Written::description = R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})";
  mcp_plugin plugin = Written::plugin();
  plugin.flags = MCP_PLUGIN_SERIAL;
  plugin.invoke = [](void* instance, mcp_call_id call, mcp_string, mcp_string) {
    if (++running > 1) overlapped = true;
    for (int i = 0; i < 1000; ++i)
      std::this_thread::yield();  // to a call that would begin meanwhile
    --running;
    const mcp_host* host = static_cast<Written*>(instance)->host;
    host->complete(host, call, MCP_OUTCOME_RESULT, Written::borrowed(R"({"content":[]})"));
  };
  Harness harness(plugin);
  std::vector<mcp::testing::PendingCall> calls;
  for (int i = 0; i < 4; ++i)
    calls.push_back(harness.start_tool("t"));
  for (auto& call : calls)
    EXPECT_TRUE(call.wait().ok());
  EXPECT_FALSE(overlapped);
}

TEST(HarnessAnswer, OfAUserFitsTheForm) {
  const std::string refused = "the client of this test answers what no client may: elicitation/create: ";
  const auto accepted = [](const Json& content) {
    return text_after("reserve", {{"action", "accept"}, {"content", content}});
  };
  EXPECT_EQ(accepted({{"people", 9}, {"note", "quiet"}}), "9");
  EXPECT_EQ(accepted({{"people", 9}, {"note", ""}, {"more", 1}}), "9") << "a form allows other members";
  EXPECT_EQ(accepted({{"people", 100}, {"note", ""}}),
            refused + R"("content": "people" must be at most 9, but is 100)");
  EXPECT_EQ(accepted({{"people", 1}, {"note", "in the garden"}}),
            refused + R"("content": "note" must have at most 5 characters, but has 13)");
  EXPECT_EQ(accepted({{"people", "9"}, {"note", ""}}),
            refused + R"("content": "people" must be an integer, but is "9")");
  EXPECT_EQ(accepted("yes"), refused + R"("content" is not an object, although the form was accepted)");
  EXPECT_EQ(text_after("reserve", {{"action", "decline"}}), "nobody");
  EXPECT_EQ(text_after("reserve", Json::object()), refused + R"("action" is none of accept, decline and cancel)");
  EXPECT_EQ(text_after("reserve", {{"action", "yes"}}), refused + R"("action" is none of accept, decline and cancel)");
  EXPECT_EQ(text_after("reserve", "yes"), refused + "it is not an object");
}

TEST(HarnessAnswer, IsOneThatTheRequestHas) {
  const std::string refused = "the client of this test answers what no client may: ";
  const Json message = {{"role", "assistant"}, {"model", "m"}, {"content", {{"type", "text"}, {"text", "Hello"}}}};
  EXPECT_EQ(text_after("write", message), "Hello");
  EXPECT_EQ(text_after("write", {{"role", "assistant"}, {"content", message["content"]}}),
            refused + R"(sampling/createMessage: "model" is not a string)");
  EXPECT_EQ(text_after("count", {{"roots", Json::array({{{"uri", "file:///a"}}})}}), "1");
  EXPECT_EQ(text_after("count", {{"roots", Json::array({{{"uri", "https://a"}}})}}),
            refused + R"(roots/list: an element of "roots" has no "uri" that begins with file://, or its "name" is no )"
                      "string");
  EXPECT_EQ(text_after("look", {{"contents", Json::array({{{"uri", "r://"}, {"text", "seen"}}})}}), "seen");
  EXPECT_EQ(text_after("look", {{"error", {{"code", -32603}, {"message", "not now"}}}}), "not now");
  EXPECT_EQ(text_after("look", {{"contents", Json::array({{{"uri", "r://"}}})}}),
            refused + R"(resources/read: contents[0] has neither a "text" nor a "blob" string)");
}

TEST(HarnessAnswer, OfASecondRoundIsCheckedByWhatTheToolAsked) {
  Harness harness(asking);
  const auto name = harness.call_tool("reserve").json["inputRequests"].begin().key();
  const auto answered = [&](int people) {
    return Json{{name, {{"action", "accept"}, {"content", {{"people", people}, {"note", ""}}}}}};
  };
  EXPECT_EQ(harness.call_tool("reserve", Json::object(), answered(2)).text(), "2");
  EXPECT_THROW(harness.call_tool("reserve", Json::object(), answered(10)), std::runtime_error);
  EXPECT_THROW(harness.call_tool("reserve", Json::object(), Json("yes")), std::runtime_error);
}

TEST(HarnessCall, HandsBackTheAnswersAndTheStateThatAToolGave) {
  static std::vector<std::string> heard;
  heard.clear();
  Written::description = R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})";
  mcp_plugin plugin = Written::plugin();
  plugin.invoke = [](void* instance, mcp_call_id call, mcp_string, mcp_string params) {
    heard.emplace_back(params.data, params.size);
    const mcp_host* host = static_cast<Written*>(instance)->host;
    const auto ask = [&](const std::string& json) {
      host->complete(host, call, MCP_OUTCOME_INPUT_REQUIRED, Written::borrowed(json));
    };
    if (heard.size() == 1) return ask(R"({"inputRequests":{"a":{"method":"roots/list"}},"inputState":"one \"two\""})");
    if (heard.size() == 2) return ask(R"({"inputRequests":{"b":{"method":"roots/list"}}})");
    host->complete(host, call, MCP_OUTCOME_RESULT, Written::borrowed(R"({"content":[]})"));
  };
  Harness harness(plugin);
  EXPECT_TRUE(harness.call_tool("t", Json::object(), [](const Json&) { return Json{{"roots", Json::array()}}; }).ok());
  EXPECT_THAT(heard,
              ElementsAre(R"({"arguments":{},"name":"t"})",
                          R"({"arguments":{},"name":"t","inputResponses":{"a":{"roots":[]}},)"
                          R"("inputState":"one \"two\""})",
                          R"({"arguments":{},"name":"t","inputResponses":{"a":{"roots":[]},"b":{"roots":[]}}})"));
}

TEST(HarnessResult, StructuredContentMustFitTheOutputSchema) {
  const Answers wrong(R"({"content":[],"structuredContent":{"sum":"7"}})");
  EXPECT_EQ(wrong.code_of_tool, mcp::internal_error);
  EXPECT_EQ(
      wrong.of_tool,
      "Plugin written answered tools/call of t with something invalid: structuredContent/sum does not fit the tool's "
      R"(outputSchema (type): "sum" must be an integer, but is "7")");
  EXPECT_EQ(Answers(R"({"content":[]})").of_tool,
            "Plugin written answered tools/call of t with something invalid: the tool has an outputSchema, but the "
            "result has "
            R"(no "structuredContent")");
}

TEST(HarnessResult, OfAnUnexpectedFailureIsWithoutTheMarkForTheHost) {
  const std::string mark = R"("mcp-plugin-host/unexpected":true)";
  const auto outcome_of = [](const std::string& meta) {
    Written::description = R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})";
    Written::answer = R"({"content":[],"isError":true,"_meta":{)" + meta + "}}";
    Written::outcome = MCP_OUTCOME_RESULT;
    return Harness(Written::plugin()).call_tool("t").json.dump();
  };
  EXPECT_EQ(outcome_of(mark), R"({"content":[],"isError":true})");
  EXPECT_EQ(outcome_of(mark + R"(,"own":1)"), R"({"_meta":{"own":1},"content":[],"isError":true})");
}

TEST(HarnessResult, AContentBlockMustBeWhole) {
  const Answers wrong(R"({"content":[{"type":"image","data":"AA=="}],"messages":[{"role":"model"}],"contents":[{}]})");
  EXPECT_EQ(
      wrong.of_tool,
      R"(Plugin written answered tools/call of t with something invalid: content[0] lacks the string "mimeType")");
  EXPECT_EQ(
      wrong.of_resource,
      R"(Plugin written answered resources/read of r:// with something invalid: contents[0] lacks the string "uri")");
  EXPECT_EQ(
      wrong.of_prompt,
      "Plugin written answered prompts/get of p with something invalid: messages[0] has a \"role\" that is neither "
      R"("user" nor "assistant")");
}

TEST(HarnessResult, ItsOutcomeMustBeOneThatThereIs) {
  for (const std::int32_t outcome : {7, -1}) {
    const Answers unknown(R"({"content":[]})", outcome);
    EXPECT_EQ(unknown.code_of_tool, mcp::internal_error);
    EXPECT_EQ(unknown.of_tool, "plugin written completed the call with the unknown outcome " + std::to_string(outcome));
  }
}

TEST(HarnessResult, ItsJsonMustBeRight) {
  EXPECT_EQ(
      Answers("{").of_tool,
      "Plugin written answered tools/call of t with something invalid: it is not valid JSON: not valid JSON at line 1, "
      "column 2: unexpected end of input; expected string literal");
  EXPECT_EQ(
      Answers(R"({"message":"no"})", MCP_OUTCOME_ERROR).of_tool,
      R"(Plugin written answered tools/call of t with something invalid: the error lacks the whole number "code")");
  EXPECT_EQ(
      Answers(R"({"inputRequests":{}})", MCP_OUTCOME_INPUT_REQUIRED).of_tool,
      R"(Plugin written answered tools/call of t with something invalid: it lacks "inputRequests", an object with at )"
      "least one request");
}

}  // namespace
