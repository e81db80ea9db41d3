#include "protocol/calls/completion.hpp"

#include <gtest/gtest.h>

#include "protocol/calls/plugin_result.hpp"
#include "support/server_fixture.hpp"

namespace mcph {
namespace {

constexpr std::string_view components = R"({
    "completions": true,
    "resources": [{"uri": "notes://all", "name": "all"}],
    "resourceTemplates": [{"uriTemplate": "notes://{year}/{+name}", "name": "one"},
                          {"uriTemplate": "docs://*", "name": "doc"}],
    "prompts": [{"name": "review", "arguments": [{"name": "language"}, {"name": "code", "required": true}]}]})";

class CompletionTest : public ::testing::Test {
 protected:
  std::optional<Planned> plan(std::string_view params) const { return plan_completion(catalog_, Json::parse(params)); }
  std::string rejection(std::string_view params) const {
    const auto planned = plan(params);
    return planned && planned->has_error() ? planned->error().message : "planned";
  }

  ServedPlugin served_ = test::served_plugin("a.so", components);
  Catalog catalog_{1, {served_}};
};

TEST_F(CompletionTest, AsksThePluginOfThePromptWithWhatHasBeenChosen) {
  const auto planned = plan(R"({"ref":{"type":"ref/prompt","name":"review","title":"x"},
      "argument":{"name":"language","value":"py","more":1},"context":{"arguments":{"code":"x = 1"}},
      "_meta":{"m":1},"unknown":true})");
  const auto& call = **planned;
  EXPECT_EQ(call.plugin, served_.plugin);
  EXPECT_EQ(call.method, PluginMethod::completion_complete);
  EXPECT_EQ(call.component, "review");
  EXPECT_EQ(call.meta.dump(), R"({"m":1})");
  EXPECT_EQ(call.params, R"({"argument":{"name":"language","value":"py"},"context":{"arguments":{"code":"x = 1"}},)"
                         R"("ref":{"name":"review","type":"ref/prompt"}})");
}

TEST_F(CompletionTest, AsksThePluginOfTheTemplate) {
  const auto planned =
      plan(R"({"ref":{"type":"ref/resource","uri":"notes://{year}/{+name}"},"argument":{"name":"name","value":""}})");
  EXPECT_EQ((**planned).params, R"({"argument":{"name":"name","value":""},"context":{"arguments":{}},)"
                                R"("ref":{"type":"ref/resource","uri":"notes://{year}/{+name}"}})");
  EXPECT_TRUE(plan(R"({"ref":{"type":"ref/resource","uri":"docs://*"},"argument":{"name":"*","value":"a"}})"));
}

TEST(Completion, AsksForATemplateAsItsPluginWroteItHoweverTheClientEncodesIt) {
  const Catalog catalog(1, {test::served_plugin("a.so", R"({"completions": true,
      "resourceTemplates": [{"uriTemplate": "notes://\u00fcber uns/{name}", "name": "one"}]})")});
  for (const auto* uri :
       {"notes://über uns/{name}", "notes://%C3%BCber%20uns/{name}", "notes://%C3%BCber%20uns/%7Bname%7D"}) {
    const auto planned = plan_completion(
        catalog, {{"ref", {{"type", "ref/resource"}, {"uri", uri}}}, {"argument", {{"name", "name"}, {"value", ""}}}});
    EXPECT_EQ((**planned).params, R"({"argument":{"name":"name","value":""},"context":{"arguments":{}},)"
                                  R"("ref":{"type":"ref/resource","uri":"notes://über uns/{name}"}})")
        << uri;
  }
}

TEST_F(CompletionTest, OffersNothingForAConcreteUri) {
  for (const auto* uri : {"notes://all", "notes://2026/a", "docs://a/b"}) {
    EXPECT_FALSE(plan(R"({"ref":{"type":"ref/resource","uri":")" + std::string(uri) +
                      R"("},"argument":{"name":"x","value":""}})"))
        << uri;
  }
}

TEST_F(CompletionTest, OffersNothingWhereThePluginDidNotAskForIt) {
  const Catalog silent(1, {test::served_plugin("a.so", R"({"resourceTemplates":[{"uriTemplate":"n://{a}","name":"n"}],
      "prompts":[{"name":"p","arguments":[{"name":"a"}]}]})")});
  EXPECT_FALSE(plan_completion(silent, Json::parse(R"({"ref":{"type":"ref/prompt","name":"p"},
      "argument":{"name":"a","value":""}})")));
  EXPECT_FALSE(plan_completion(silent, Json::parse(R"({"ref":{"type":"ref/resource","uri":"n://{a}"},
      "argument":{"name":"a","value":""}})")));
}

TEST_F(CompletionTest, SaysWhatIsUnknown) {
  EXPECT_EQ(rejection(R"({"ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"a","value":""}})"),
            "Unknown prompt: none");
  EXPECT_EQ(rejection(R"({"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"a","value":""}})"),
            "Prompt review has no argument \"a\"");
  EXPECT_EQ(rejection(R"({"ref":{"type":"ref/resource","uri":"docs://{x}"},"argument":{"name":"x","value":""}})"),
            "Unknown resource template: docs://{x}");
  EXPECT_EQ(rejection(R"({"ref":{"type":"ref/resource","uri":"none://a"},"argument":{"name":"x","value":""}})"),
            "Unknown resource template: none://a");
  EXPECT_EQ(rejection(R"({"ref":{"type":"ref/resource","uri":"docs://*"},"argument":{"name":"x","value":""}})"),
            "Resource template docs://* has no variable \"x\"");
}

TEST_F(CompletionTest, SaysWhatIsMalformed) {
  constexpr auto of_type = R"(params.ref.type must be "ref/prompt" or "ref/resource")";
  EXPECT_EQ(rejection("{}"), of_type);
  EXPECT_EQ(rejection(R"({"ref":{"type":"ref/tool"}})"), of_type);
  EXPECT_EQ(rejection(R"({"ref":"ref/prompt"})"), of_type);
  EXPECT_EQ(rejection(R"({"ref":{"type":"ref/prompt"}})"), "params.ref.name must be a string");
  EXPECT_EQ(rejection(R"({"ref":{"type":"ref/resource","uri":1}})"), "params.ref.uri must be a string");
  const std::string ref = R"({"ref":{"type":"ref/prompt","name":"review"},)";
  constexpr auto of_argument = "params.argument must have the strings name and value";
  EXPECT_EQ(rejection(ref + R"("argument":{"name":"code"}})"), of_argument);
  EXPECT_EQ(rejection(ref + R"("argument":{"name":"code","value":1}})"), of_argument);
  const auto with_context = ref + R"("argument":{"name":"code","value":""},"context":)";
  constexpr auto of_context = "params.context.arguments must be an object of strings";
  EXPECT_EQ(rejection(with_context + "1}"), of_context);
  EXPECT_EQ(rejection(with_context + R"({"arguments":[]}})"), of_context);
  EXPECT_EQ(rejection(with_context + R"({"arguments":{"a":1}}})"), of_context);
  EXPECT_EQ(rejection(with_context + "{}}"), "planned");
}

std::string wrong(std::string_view json) {
  const auto read = read_plugin_result(PluginMethod::completion_complete, json);
  return read ? "accepted" : read.error().message;
}

TEST(CompletionResult, IsChecked) {
  EXPECT_EQ(wrong(R"({"completion":{"values":["a"],"total":3,"hasMore":true}})"), "accepted");
  EXPECT_EQ(wrong(R"({"completion":{"values":[]}})"), "accepted");
  EXPECT_EQ(wrong("{}"), "it lacks the object \"completion\"");
  EXPECT_EQ(wrong(R"({"completion":{}})"), "completion lacks the array \"values\"");
  EXPECT_EQ(wrong(R"({"completion":{"values":["a",1]}})"), "completion.values[1] is not a string");
  EXPECT_EQ(wrong(R"({"completion":{"values":[],"total":-1}})"),
            "completion.total is not a whole number of at least 0");
  EXPECT_EQ(wrong(R"({"completion":{"values":[],"hasMore":1}})"), "completion.hasMore is not true or false");
}

Json cut(std::size_t count, Json more = Json::object()) {
  more["values"] = Json::array_t(count, "v");
  Json result = {{"completion", std::move(more)}};
  cut_completion(result);
  auto completion = result["completion"];
  completion["values"] = completion["values"].size();
  return completion;
}

TEST(CompletionResult, IsCutToAHundredValuesWithAnHonestTotal) {
  EXPECT_EQ(cut(100).dump(), R"({"values":100})");
  EXPECT_EQ(cut(101).dump(), R"({"hasMore":true,"total":101,"values":100})");
  EXPECT_EQ(cut(150, {{"total", 900}, {"hasMore", false}}).dump(), R"({"hasMore":true,"total":900,"values":100})");
  EXPECT_EQ(cut(150, {{"total", 3}}).dump(), R"({"hasMore":true,"total":150,"values":100})");
  EXPECT_EQ(cut(150, {{"hasMore", true}}).dump(), R"({"hasMore":true,"values":100})");
}

class CompletionServerTest : public test::ServerFixture {
 protected:
  CompletionServerTest() { publish(components); }

  const std::string asking_ =
      R"("ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":"p"})";
};

TEST_F(CompletionServerTest, AnswersBothErasWithWhatThePluginOffers) {
  plugin_->on_invoke = [](Call& call) {
    call.complete(Outcome::result, R"({"completion":{"values":["python"],"hasMore":false}})");
  };
  const auto id = open_session("2024-11-05");
  EXPECT_EQ(post(test::request("1", "completion/complete", "{" + asking_ + "}"), in_session(id))->body(),
            R"({"jsonrpc":"2.0","id":1,"result":{"completion":{"values":["python"],"hasMore":false}}})");
  EXPECT_EQ(
      post_modern("completion/complete", asking_ + ",")->body(),
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"host","title":"Host","version":"1.0"}},"completion":{"values":["python"],"hasMore":false}}})");
}

TEST_F(CompletionServerTest, AnswersWithoutThePluginWhereItDidNotAskForIt) {
  publish(test::usual_components);
  const std::string asking = R"("ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"code","value":""})";
  const auto id = open_session("2025-11-25");
  EXPECT_EQ(post(test::request("1", "completion/complete", "{" + asking + "}"), in_session(id))->body(),
            R"({"jsonrpc":"2.0","id":1,"result":{"completion":{"values":[],"total":0,"hasMore":false}}})");
  EXPECT_EQ(
      post_modern("completion/complete", asking + ",")->body(),
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"host","title":"Host","version":"1.0"}},"completion":{"values":[],"total":0,"hasMore":false}}})");
  EXPECT_TRUE(plugin_->calls.empty());
}

TEST_F(CompletionServerTest, RefusesAnUnknownComponentInBothEras) {
  const std::string asking = R"("ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""})";
  const std::string refused = R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown prompt: x"}})";
  const auto id = open_session("2025-06-18");
  EXPECT_EQ(post(test::request("1", "completion/complete", "{" + asking + "}"), in_session(id))->body(), refused);
  EXPECT_EQ(post_modern("completion/complete", asking + ",")->body(), refused);
}

TEST_F(CompletionServerTest, TellsAClientNoMoreThanAHundredValues) {
  plugin_->on_invoke = [](Call& call) {
    call.complete(Outcome::result, Json{{"completion", {{"values", Json::array_t(250, "v")}}}}.dump());
  };
  const auto result = Json::parse(post_modern("completion/complete", asking_ + ",")->body())["result"];
  EXPECT_EQ(result["completion"]["values"].size(), 100U);
  EXPECT_EQ(result["completion"]["total"], 250);
  EXPECT_EQ(result["completion"]["hasMore"], true);
  EXPECT_EQ(result["resultType"], "complete");
}

TEST_F(CompletionServerTest, RefusesAPluginsInputRequest) {
  plugin_->on_invoke = [](Call& call) {
    call.complete(Outcome::input_required, R"({"inputRequests":{"a":{"method":"roots/list"}}})");
  };
  const auto reply = Json::parse(post_modern("completion/complete", asking_ + ",")->body());
  EXPECT_EQ(reply["error"]["code"], -32603);
  EXPECT_EQ(reply["error"]["message"],
            "Plugin sums answered completion/complete of review with something invalid: it asks the client, which a "
            "completion cannot");
}

}  // namespace
}  // namespace mcph
