#include "protocol/calls/component_calls.hpp"

#include <gtest/gtest.h>

#include "support/json_value.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

class ComponentCallsTest : public ::testing::Test {
 protected:
  CallPlan plan(const Planned& planned) {
    if (planned.has_value()) return *planned;
    ADD_FAILURE() << planned.error().message;
    return {};
  }
  Rejection rejection(const Planned& planned) {
    if (planned.has_error()) return planned.error();
    ADD_FAILURE() << "planned";
    return {};
  }
  Planned call(const char* params) { return plan_tool_call(catalog_, test::json_value(params)); }
  Planned read(const char* params) { return plan_resource_read(catalog_, test::json_value(params)); }
  Planned get(const char* params) { return plan_prompt_get(catalog_, test::json_value(params)); }

  ServedPlugin served_ = test::served_plugin("a.so", R"({
      "tools": [
        {"name": "free", "inputSchema": {"type": "object"}},
        {"name": "repeat", "inputSchema": {"type": "object", "required": ["text"], "properties": {
            "text": {"type": "string"}, "times": {"type": "integer", "maximum": 10, "default": 2}}},
         "outputSchema": {"type": "object"}}],
      "resources": [{"uri": "notes://all", "name": "all"}],
      "resourceTemplates": [{"uriTemplate": "notes://{name}", "name": "one"}],
      "prompts": [{"name": "review", "arguments": [{"name": "code", "required": true}, {"name": "style"}]},
                  {"name": "hello"}]})");
  Catalog catalog_{1, {served_}};
};

TEST(ComponentCalls, AskAPluginForTheUriThatItRegistered) {
  const Catalog catalog(1, {test::served_plugin("a.so", R"({
      "resources": [{"uri": "notes://\u00fcber uns", "name": "about"}],
      "resourceTemplates": [{"uriTemplate": "notes://\u00fc/{name}", "name": "one"}]})")});
  const auto read = [&](const char* uri) {
    return plan_resource_read(catalog, test::json_value(Json{{"uri", uri}}))->params;
  };
  EXPECT_EQ(read("notes://%C3%BCber%20uns"), R"({"uri":"notes://über uns"})");
  EXPECT_EQ(read("notes://über uns"), R"({"uri":"notes://über uns"})");
  EXPECT_EQ(read("notes://%C3%BC/a b"),
            R"({"uri":"notes://%C3%BC/a%20b","uriTemplate":"notes://ü/{name}","variables":{"name":"a b"}})");
  EXPECT_EQ(read("notes://ü/a%20b"),
            R"({"uri":"notes://%C3%BC/a%20b","uriTemplate":"notes://ü/{name}","variables":{"name":"a b"}})");
}

TEST_F(ComponentCallsTest, PlanAToolCallForThePluginThatOwnsTheTool) {
  const auto planned = plan(call(R"({"name":"repeat","arguments":{"text":"a","times":3}})"));
  EXPECT_EQ(planned.plugin, served_.plugin);
  EXPECT_EQ(planned.method, PluginMethod::tools_call);
  EXPECT_EQ(planned.component, "repeat");
  EXPECT_EQ(planned.params, R"({"arguments":{"text":"a","times":3},"name":"repeat"})");
}

TEST_F(ComponentCallsTest, TakeTheToolsOutputSchemaAlong) {
  const auto with_schema = plan(call(R"({"name":"repeat","arguments":{"text":"a"}})"));
  ASSERT_TRUE(with_schema.output_schema);
  EXPECT_TRUE(with_schema.output_schema->validate(Json::array()));
  EXPECT_FALSE(plan(call(R"({"name":"free"})")).output_schema);
}

TEST_F(ComponentCallsTest, FillInDefaultsBeforeThePluginSeesTheArguments) {
  EXPECT_EQ(plan(call(R"({"name":"repeat","arguments":{"text":"a"}})")).params,
            R"({"arguments":{"text":"a","times":2},"name":"repeat"})");
}

TEST_F(ComponentCallsTest, GiveThePluginAnObjectWhereTheClientGaveNoArguments) {
  EXPECT_EQ(plan(call(R"({"name":"free"})")).params, R"({"arguments":{},"name":"free"})");
  EXPECT_EQ(plan(get(R"({"name":"hello"})")).params, R"({"arguments":{},"name":"hello"})");
}

TEST_F(ComponentCallsTest, KeepTheRequestsOwnMetaOutOfTheParams) {
  const auto planned = plan(call(R"({"name":"free","_meta":{"progressToken":1}})"));
  EXPECT_EQ(planned.params, R"({"arguments":{},"name":"free"})");
  EXPECT_EQ(planned.meta.dump(), R"({"progressToken":1})");
  EXPECT_TRUE(plan(call(R"({"name":"free"})")).meta.is_null());
}

// A plugin might take one that differs in case for one that has been checked.
TEST_F(ComponentCallsTest, PassOnNothingElse) {
  EXPECT_EQ(plan(call(R"({"name":"free","other":{"a":1},"NAME":"add","Arguments":{"a":1}})")).params,
            R"({"arguments":{},"name":"free"})");
  EXPECT_EQ(plan(get(R"({"name":"hello","Name":"other"})")).params, R"({"arguments":{},"name":"hello"})");
}

TEST_F(ComponentCallsTest, LeaveOutWhatTheHostItselfTellsThePlugin) {
  EXPECT_EQ(plan(call(R"({"name":"free","inputResponses":{"a":{}},"requestState":"x"})")).params,
            R"({"arguments":{},"name":"free"})");
}

TEST_F(ComponentCallsTest, RefuseAnUnknownTool) {
  const auto refused = rejection(call(R"({"name":"nothing"})"));
  EXPECT_EQ(refused.reason, Rejection::Reason::unknown_tool);
  EXPECT_EQ(refused.message, "Unknown tool: nothing");
}

TEST(ComponentCalls, SayOfWhatWasWithdrawnThatItWas) {
  const Catalog catalog(
      1, {}, {}, nullptr,
      {{.identity = {.file = "a.so", .name = "a", .version = "1", .digest = ""},
        .components = test::components_of(
            R"({"tools":[{"name":"say","inputSchema":{"type":"object"}}],"prompts":[{"name":"p"}]})")}});
  const auto message = [&](PluginMethod method, const char* name) {
    const auto planned = plan_call(method, catalog, Json{{"name", name}});
    return planned.has_error() ? planned.error().message : "planned";
  };
  EXPECT_EQ(message(PluginMethod::tools_call, "say"),
            "Unknown tool: say (it was withdrawn, because its plugin crashed too often)");
  EXPECT_EQ(message(PluginMethod::prompts_get, "p"),
            "Unknown prompt: p (it was withdrawn, because its plugin crashed too often)");
  EXPECT_EQ(message(PluginMethod::tools_call, "p"), "Unknown tool: p");
}

TEST_F(ComponentCallsTest, RefuseArgumentsThatTheSchemaForbidsAndNameTheField) {
  const auto refused = rejection(call(R"({"name":"repeat","arguments":{"text":"a","times":11}})"));
  EXPECT_EQ(refused.reason, Rejection::Reason::invalid_arguments);
  EXPECT_EQ(refused.message, R"(Invalid arguments for tool repeat: "times" must be at most 10, but is 11)");
  EXPECT_EQ(refused.data, Json({{"path", "/times"}, {"keyword", "maximum"}}));

  const auto missing = rejection(call(R"({"name":"repeat"})"));
  EXPECT_EQ(missing.reason, Rejection::Reason::invalid_arguments);
  EXPECT_NE(missing.message.find("\"text\""), std::string::npos);
}

TEST_F(ComponentCallsTest, RefuseArgumentsWhoseDefaultsWouldFillTheMemory) {
  const auto served = test::served_plugin("b.so", R"({"tools": [{"name": "fill", "inputSchema": {
      "type": "object", "properties": {"list": {"type": "array", "items": {"type": "object", "properties": {
          "a": {"type": "string", "default": ")" + std::string(1024, 'x') +
                                                      R"("}}}}}}}]})");
  const Json arguments{{"list", Json(std::size_t{5000}, Json::object())}};
  const auto refused = rejection(
      plan_tool_call(Catalog{1, {served}}, test::json_value(Json{{"name", "fill"}, {"arguments", arguments}})));
  EXPECT_EQ(refused.reason, Rejection::Reason::invalid_arguments);
  EXPECT_EQ(refused.message,
            "Invalid arguments for tool fill: the value has so many absent properties that their defaults would take "
            "more than 4194304 bytes");
  EXPECT_EQ(refused.data, Json({{"path", ""}, {"keyword", "default"}}));
}

TEST_F(ComponentCallsTest, RefuseAMalformedToolCall) {
  for (const auto* params : {"{}", R"({"name":7})", R"({"name":null})"}) {
    const auto refused = rejection(call(params));
    EXPECT_EQ(refused.reason, Rejection::Reason::malformed);
    EXPECT_EQ(refused.message, "params.name must be a string");
  }
  const auto refused = rejection(call(R"({"name":"free","arguments":[]})"));
  EXPECT_EQ(refused.reason, Rejection::Reason::malformed_arguments);
  EXPECT_EQ(refused.message, "params.arguments must be an object");
}

TEST_F(ComponentCallsTest, PlanAReadOfAResource) {
  const auto planned = plan(read(R"({"uri":"notes://all"})"));
  EXPECT_EQ(planned.method, PluginMethod::resources_read);
  EXPECT_EQ(planned.component, "notes://all");
  EXPECT_EQ(planned.params, R"({"uri":"notes://all"})");
}

TEST_F(ComponentCallsTest, PlanAReadThatATemplateMatchesWithItsVariables) {
  const auto planned = plan(read(R"({"uri":"notes://a%20b"})"));
  EXPECT_EQ(planned.component, "notes://a%20b");
  EXPECT_EQ(planned.params, R"({"uri":"notes://a%20b","uriTemplate":"notes://{name}","variables":{"name":"a b"}})");
}

TEST_F(ComponentCallsTest, ReplaceTemplateMembersThatAClientMadeUp) {
  EXPECT_EQ(plan(read(R"({"uri":"notes://x","uriTemplate":"forged","variables":{"name":"forged"}})")).params,
            R"({"uri":"notes://x","uriTemplate":"notes://{name}","variables":{"name":"x"}})");
}

TEST_F(ComponentCallsTest, DoNotPassOnTemplateMembersForAResourceWithoutATemplate) {
  EXPECT_EQ(plan(read(R"({"uri":"notes://all","uriTemplate":"forged","variables":{"name":"forged"}})")).params,
            R"({"uri":"notes://all"})");
}

TEST_F(ComponentCallsTest, RefuseAnUnknownResource) {
  const auto refused = rejection(read(R"({"uri":"other://x"})"));
  EXPECT_EQ(refused.reason, Rejection::Reason::unknown_resource);
  EXPECT_EQ(refused.message, "Resource not found: other://x");
  EXPECT_EQ(refused.data, Json({{"uri", "other://x"}}));
  EXPECT_EQ(rejection(read("{}")).message, "params.uri must be a string");
}

TEST_F(ComponentCallsTest, PlanAPrompt) {
  const auto planned = plan(get(R"({"name":"review","arguments":{"code":"x"}})"));
  EXPECT_EQ(planned.method, PluginMethod::prompts_get);
  EXPECT_EQ(planned.component, "review");
  EXPECT_EQ(planned.params, R"({"arguments":{"code":"x"},"name":"review"})");
}

TEST_F(ComponentCallsTest, RefuseAPrompt) {
  EXPECT_EQ(rejection(get(R"({"name":"nothing"})")).reason, Rejection::Reason::unknown_prompt);
  EXPECT_EQ(rejection(get(R"({"name":"nothing"})")).message, "Unknown prompt: nothing");
  EXPECT_EQ(rejection(get("{}")).message, "params.name must be a string");
  const auto missing = rejection(get(R"({"name":"review"})"));
  EXPECT_EQ(missing.reason, Rejection::Reason::malformed_arguments);
  EXPECT_EQ(missing.message, R"(Prompt review needs the argument "code")");
  EXPECT_EQ(rejection(get(R"({"name":"review","arguments":{"code":7}})")).message,
            R"(Prompt argument "code" must be a string)");
  EXPECT_EQ(rejection(get(R"({"name":"review","arguments":"x"})")).message, "params.arguments must be an object");
}

TEST_F(ComponentCallsTest, RefuseACallThatALimitOfItsComponentDoesNotAdmit) {
  const LimitSetting one{.rate = Rate{.count = 1, .period = std::chrono::hours(1)}};
  const auto limits = *Limits::create({.components = {{"frees", {.match = "tool:free", .limit = one}},
                                                      {"notes", {.match = "resource:notes://%7e*", .limit = one}}}},
                                      Limits::steady_clock());
  const SenderLimits sender(limits, anonymous, "an address");
  const auto ask = [&](Planned planned) { return within_limits(std::move(planned), &sender); };
  EXPECT_TRUE(ask(call(R"({"name":"nothing"})")).has_error());
  plan(ask(call(R"({"name":"free"})")));
  const auto refused = rejection(ask(call(R"({"name":"free"})")));
  EXPECT_EQ(refused.reason, Rejection::Reason::limited);
  EXPECT_EQ(refused.data["limit"], "limits.component.frees");
  ASSERT_TRUE(refused.limit);
  EXPECT_EQ(refused.data["retryAfterMs"], refused.limit->reset.count());
  EXPECT_EQ(refused.message, "Too many requests: limits.component.frees allows 1/h; try again in 3600 s");
  plan(ask(call(R"({"name":"repeat","arguments":{"text":"a"}})")));
  plan(ask(read(R"({"uri":"notes://~a"})")));
  EXPECT_EQ(rejection(ask(read(R"({"uri":"notes://%7Eb"})"))).reason, Rejection::Reason::limited)
      << "however the URI is written";
  plan(within_limits(call(R"({"name":"free"})"), nullptr));
}

}  // namespace
}  // namespace mcph
