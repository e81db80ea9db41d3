#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

#include "mock/setup.hpp"
#include "support/temporary_folder.hpp"

namespace plugins::mock {
namespace {

using mcp::Json;
using mcp::testing::Harness;
using testing::HasSubstr;

Json weather() {
  return mcp::parse_json(R"({"tools": [{
    "name": "get_weather", "description": "The weather of a place.",
    "inputSchema": {"type": "object", "properties": {"location": {"type": "string"}}, "required": ["location"]},
    "scenarios": [{"condition": {"field": "location", "operator": "equals", "value": "San Francisco"},
                   "response": {"temperature": 18, "condition": "fog"}}],
    "default": {"response": "Sunny."}}]})");
}

// A tool that says "yes" where the condition holds, and "no" elsewhere.
Json tool_with(const Json& scenario) {
  Json with = scenario;
  with["response"] = "yes";
  return {
      {"tools", {{{"name", "t"}, {"description", "T."}, {"scenarios", {with}}, {"default", {{"response", "no"}}}}}}};
}

std::string answer(const Json& scenario, const Json& arguments) {
  Harness harness(setup, tool_with(scenario));
  return harness.call_tool("t", arguments).text();
}

std::string compared(const char* field, const char* comparison, const Json& value, const Json& arguments) {
  Json condition{{"field", field}, {"operator", comparison}};
  if (!value.is_null()) condition["value"] = value;
  return answer({{"condition", condition}}, arguments);
}

std::string mistake_in(const Json& configuration) {
  try {
    const Harness harness(setup, configuration);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

bool comes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

TEST(Mock, AnswersForSanFranciscoAndByDefaultForOtherPlaces) {
  Harness harness(setup, weather());
  const auto fog = harness.call_tool("get_weather", {{"location", "San Francisco"}});
  EXPECT_EQ(fog.structured(), Json({{"temperature", 18}, {"condition", "fog"}}));
  EXPECT_EQ(harness.call_tool("get_weather", {{"location", "Paris"}}).text(), "Sunny.");
  EXPECT_FALSE(harness.call_tool("get_weather", Json::object()).ok());
}

TEST(Mock, ExportsNothingWithoutAConfiguration) {
  const Harness harness(setup);
  const auto described = harness.describe();
  for (const char* const kind : {"tools", "resources", "resourceTemplates", "prompts"})
    EXPECT_TRUE(!described.contains(kind) || described[kind].empty()) << kind;
  EXPECT_TRUE(harness.logs().empty());
}

TEST(MockCondition, ComparesInEachWay) {
  struct Case {
    const char* comparison;
    Json value;
    Json found;
    const char* answer;
  };
  const std::vector<Case> cases{
      {"equals", 1, 1.0, "yes"},
      {"equals", {{"a", {1}}}, {{"a", {1}}}, "yes"},
      {"equals", "1", 1, "no"},
      {"notEquals", "a", "b", "yes"},
      {"notEquals", "a", "a", "no"},
      {"contains", "ran", "San Francisco", "yes"},
      {"contains", 2, {1, 2}, "yes"},
      {"contains", 2, "2", "no"},
      {"startsWith", "San", "San Francisco", "yes"},
      {"startsWith", "Fran", "San Francisco", "no"},
      {"endsWith", "cisco", "San Francisco", "yes"},
      {"endsWith", "San", 7, "no"},
      {"matches", "^S\\w+ F", "San Francisco", "yes"},
      {"matches", "^s", "San Francisco", "no"},
      {"matches", "^\\p{Lu}..$", "\xC3\x84rm", "yes"},
      {"gt", 5, 6, "yes"},
      {"gt", 5, 5, "no"},
      {"gt", "2026-01-01", "2026-01-02", "yes"},
      {"gte", 5, 5, "yes"},
      {"gte", 5, "x", "no"},
      {"lt", 5, "4.5", "yes"},
      {"lt", 5, 5, "no"},
      {"lte", 5, 5, "yes"},
      {"lte", 5, true, "no"},
      {"in", {"a", "b"}, "b", "yes"},
      {"in", {"a", "b"}, "c", "no"},
      {"exists", nullptr, false, "yes"},
      {"exists", false, 1, "no"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(compared("x", each.comparison, each.value, {{"x", each.found}}), each.answer)
        << each.comparison << ' ' << each.value << ' ' << each.found;
  }
}

TEST(MockCondition, LooksIntoObjectsAndArrays) {
  const Json arguments{{"user", {{"address", {{"city", "Oslo"}}}, {"tags", {"a", "b"}}}}};
  EXPECT_EQ(compared("user.address.city", "equals", "Oslo", arguments), "yes");
  EXPECT_EQ(compared("user.tags.1", "equals", "b", arguments), "yes");
  EXPECT_EQ(compared("user.tags.2", "exists", nullptr, arguments), "no");
  EXPECT_EQ(compared("user.tags.-1", "exists", nullptr, arguments), "no");
  EXPECT_EQ(compared("user.name", "notEquals", "Ada", arguments), "yes");
  EXPECT_EQ(compared("user.name", "exists", false, arguments), "yes");
}

TEST(MockCondition, AllAndAnyMayLieInOneAnother) {
  const auto is = [](const char* field, int value) {
    return Json{{"field", field}, {"operator", "equals"}, {"value", value}};
  };
  const Json both{{"all", {is("a", 1), Json{{"any", {is("b", 2), is("b", 3)}}}}}};
  EXPECT_EQ(answer(both, {{"a", 1}, {"b", 3}}), "yes");
  EXPECT_EQ(answer(both, {{"a", 1}, {"b", 4}}), "no");
  EXPECT_EQ(answer(both, {{"b", 2}}), "no");
  EXPECT_EQ(answer({{"any", {is("a", 1), is("b", 2)}}}, {{"b", 2}}), "yes");
}

TEST(MockCondition, TheFirstThatHoldsWins) {
  auto configuration = weather();
  auto& scenarios = configuration["tools"][0]["scenarios"];
  scenarios.push_back(scenarios[0]);
  scenarios[1]["response"] = "never";
  Harness harness(setup, configuration);
  EXPECT_THAT(harness.call_tool("get_weather", {{"location", "San Francisco"}}).text(), HasSubstr("fog"));
}

TEST(MockCondition, APatternThatTakesTooLongIsAnErrorAndNoHang) {
  const auto said = compared("x", "matches", "^(a+)+$", {{"x", std::string(100, 'a') + "b"}});
  EXPECT_EQ(said, "The expression \"^(a+)+$\" cannot be looked for in this text: match limit exceeded.");
}

// Each place of this text takes few steps, and there are many of them.
TEST(MockCondition, APatternThatTakesTooLongInAllIsAnErrorAndNoHang) {
  std::string text;
  for (int i = 0; i < 60'000; ++i)
    text += std::string(17, 'a') + "b";
  text += 'c';
  EXPECT_EQ(compared("x", "matches", "(a+)+c", {{"x", text}}),
            "The expression \"(a+)+c\" cannot be looked for in this text: match limit exceeded.");
}

TEST(Mock, AnswersWithContentsErrorsAndNothing) {
  Harness harness(setup, mcp::parse_json(R"({"tools": [
    {"name": "contents", "description": "C.", "default": {"content": [{"type": "text", "text": "a"},
      {"type": "image", "data": "AAAA", "mimeType": "image/png"},
      {"type": "resource_link", "uri": "a://b", "name": "b"}]}},
    {"name": "error", "description": "E.", "default": {"error": "No luck."}},
    {"name": "protocol_error", "description": "E.", "default": {"error": {"code": -32000, "message": "m", "data": [1]}}},
    {"name": "none", "description": "N.", "scenarios":
      [{"condition": {"field": "x", "operator": "exists"}, "response": [1, 2]}]}]})"));
  const auto contents = harness.call_tool("contents").json["content"];
  ASSERT_EQ(contents.size(), 3U);
  EXPECT_EQ(contents[1], Json({{"type", "image"}, {"data", "AAAA"}, {"mimeType", "image/png"}}));
  const auto error = harness.call_tool("error");
  EXPECT_FALSE(error.ok());
  EXPECT_EQ(error.text(), "No luck.");
  EXPECT_EQ(harness.call_tool("protocol_error").error_code(), -32000);
  EXPECT_EQ(harness.call_tool("none").text(), "No scenario fits these arguments, and there is no default.");
  EXPECT_EQ(harness.call_tool("none", {{"x", 1}}).text(), "[1,2]");
}

TEST(Mock, ADelayedAnswerCanBeCancelled) {
  auto configuration = weather();
  configuration["tools"][0]["default"]["delayMs"] = 20;
  configuration["tools"][0]["scenarios"][0]["delayMs"] = 600'000;
  Harness harness(setup, configuration);
  EXPECT_EQ(harness.call_tool("get_weather", {{"location", "Paris"}}).text(), "Sunny.");
  auto call = harness.start_tool("get_weather", {{"location", "San Francisco"}});
  call.cancel();
  EXPECT_FALSE(call.wait().ok());
}

TEST(Mock, HasResourcesAndTemplates) {
  Harness harness(setup, mcp::parse_json(R"({"resources": [
    {"uri": "weather://cities", "name": "cities", "mimeType": "application/json", "default": {"response": ["Oslo"]}},
    {"uri": "data://shore", "name": "shore", "mimeType": "application/geo+json", "default": {"response": {}}},
    {"uri": "data://picture", "name": "picture", "mimeType": "image/png", "default": {"blob": "AAAA"}},
    {"uriTemplate": "data://users/{userId}", "name": "user", "scenarios": [
      {"condition": {"field": "userId", "operator": "lte", "value": 9}, "response": {"name": "Ada"}},
      {"condition": {"field": "userId", "operator": "equals", "value": "root"}, "error": "Not this one."}]}]})"));
  EXPECT_EQ(harness.read("weather://cities").text(), R"(["Oslo"])");
  EXPECT_EQ(harness.read("weather://cities").json["contents"][0]["mimeType"], "application/json");
  EXPECT_EQ(harness.read("data://shore").json["contents"][0]["mimeType"], "application/geo+json");
  EXPECT_EQ(harness.read("data://picture").json["contents"][0]["blob"], "AAAA");
  EXPECT_EQ(harness.read("data://users/7").text(), R"({"name":"Ada"})");
  EXPECT_EQ(harness.read("data://users/10").error_code(), -32002);
  EXPECT_EQ(harness.read("data://users/root").text(), "Not this one.");
}

TEST(Mock, HasPromptsWithArguments) {
  Harness harness(setup, mcp::parse_json(R"({"prompts": [{
    "name": "weather_query", "description": "Asks.", "arguments": [{"name": "location", "required": true}, {"name": "when"}],
    "scenarios": [{"condition": {"field": "when", "operator": "exists"},
                   "messages": [{"role": "user", "text": "How will it be in {location}, {when}?"}]}],
    "default": {"messages": [{"role": "user", "text": "{{How}} is it in {location}?"},
                             {"role": "assistant", "content": {"type": "text", "text": "Fine."}}]}}]})"));
  EXPECT_EQ(harness.get_prompt("weather_query", {{"location", "Oslo"}}).text(), "{How} is it in Oslo?\nFine.");
  EXPECT_EQ(harness.get_prompt("weather_query", {{"location", "{when}"}, {"when", "soon"}}).text(),
            "How will it be in {when}, soon?");
  EXPECT_FALSE(harness.get_prompt("weather_query").ok());
}

TEST(MockConfiguration, MistakesAreToldWithTheirPlace) {
  const auto with = [](const char* pointer, const Json& value) {
    auto configuration = weather();
    configuration[Json::json_pointer(pointer)] = value;
    return mistake_in(configuration);
  };
  const std::string place = "\"configuration.tools[0].scenarios[0]";
  EXPECT_THAT(with("/tools/0/scenarios/0/condition/operator", "eq"),
              HasSubstr(place + ".condition.operator\" is \"eq\", not one of equals, notEquals, contains"));
  EXPECT_THAT(with("/tools/0/scenarios/0/condition", Json::object()),
              HasSubstr(place + ".condition\" must have one of field (with operator and value), all and any"));
  EXPECT_THAT(with("/tools/0/scenarios/0/condition/field", "a..b"),
              HasSubstr(place + ".condition.field\" must be a name"));
  EXPECT_THAT(with("/tools/0/scenarios/0/condition", {{"field", "x"}, {"operator", "matches"}, {"value", "a("}}),
              HasSubstr(place + ".condition.value\" must be a regular expression: missing closing parenthesis"));
  EXPECT_THAT(with("/tools/0/scenarios/0/condition", {{"field", "x"}, {"operator", "in"}, {"value", 1}}),
              HasSubstr(place + ".condition.value\" must be an array of what the field may be"));
  EXPECT_THAT(with("/tools/0/scenarios/0/all", Json::array()),
              HasSubstr(place + "\" must have one of condition, all and any"));
  EXPECT_THAT(with("/tools/0/scenarios/0/error", "e"),
              HasSubstr(place + "\" must have one of response, content and error"));
  EXPECT_THAT(with("/tools/0/scenarios/0/delayMs", -1), HasSubstr(place + ".delayMs\" must be at least 0, but is -1"));
  EXPECT_THAT(with("/tools/0/default", {{"content", {{{"type", "text"}}}}}),
              HasSubstr("\"configuration.tools[0].default.content[0].text\" is missing"));
  EXPECT_THAT(with("/tools/0/default", {{"content", {{{"type", "image"}, {"data", "#"}, {"mimeType", "image/png"}}}}}),
              HasSubstr("\"configuration.tools[0].default.content[0].data\""));
  EXPECT_THAT(with("/tools/0/default",
                   {{"content", {{{"type", "resource"}, {"resource", {{"uri", "a://b"}, {"blob", "#"}}}}}}}),
              HasSubstr("\"configuration.tools[0].default.content[0].resource.blob\""));
  EXPECT_THAT(with("/tools/0/name", "get weather"),
              HasSubstr("\"configuration.tools[0].name\" must be 1 to 128 characters"));
  EXPECT_THAT(with("/tools/0/inputSchema", {{"properties", Json::object()}}),
              HasSubstr("\"configuration.tools[0].inputSchema\" must have \"type\": \"object\""));
  EXPECT_THAT(with("/tools/0/scenario", Json::array()),
              HasSubstr("\"configuration.tools[0].scenario\" is not one of name"));
  EXPECT_THAT(with("/resources", {{{"name", "r"}, {"default", {{"response", "x"}}}}}),
              HasSubstr("\"configuration.resources[0]\" must have one of uri and uriTemplate"));
  EXPECT_THAT(
      with(
          "/prompts",
          {{{"name", "p"}, {"description", "P."}, {"default", {{"messages", {{{"role", "user"}, {"text", "{x}"}}}}}}}}),
      HasSubstr("\"configuration.prompts[0].default.messages[0].text\" has {x}, which is no argument of the prompt"));
  EXPECT_THAT(with("/file", "/srv/mock.json"), HasSubstr("\"configuration\" must have either file, or tools"));
  EXPECT_THAT(mistake_in({{"file", "mock.json"}}), HasSubstr("\"configuration.file\" must be an absolute path"));
}

class MockFile : public testing::Test {
 protected:
  Json configuration() const { return {{"file", (folder_.path() / "mock.json").string()}}; }
  // As most editors do: another file takes the name.
  void write(const std::string& text) const {
    std::filesystem::rename(folder_.write("new", text), folder_.path() / "mock.json");
  }
  static std::string said(Harness& harness) { return harness.call_tool("get_weather", {{"location", "Paris"}}).text(); }

  mcph::test::TemporaryFolder folder_;
};

TEST_F(MockFile, IsServedAnewWhenItChanges) {
  write(weather().dump());
  Harness harness(setup, configuration());
  EXPECT_EQ(said(harness), "Sunny.");
  auto changed = weather();
  changed["tools"][0]["default"]["response"] = "Rain.";
  changed["tools"].push_back({{"name", "more"}, {"description", "M."}, {"default", {{"response", "more"}}}});
  const int before = harness.components_changed();
  write(changed.dump());
  EXPECT_TRUE(comes_true([&] { return harness.components_changed() > before; }));
  EXPECT_EQ(harness.describe()["tools"].size(), 2U);
  EXPECT_EQ(said(harness), "Rain.");
  EXPECT_EQ(harness.call_tool("more").text(), "more");
}

TEST_F(MockFile, AMistakeInItLeavesWhatWasServed) {
  write(weather().dump());
  Harness harness(setup, configuration());
  const int before = harness.components_changed();
  write("{\"tools\": [{\"name\": \"x\"}]}");
  EXPECT_TRUE(comes_true([&] { return harness.components_changed() > before; }));
  try {
    harness.describe();
    ADD_FAILURE() << "the mistake was not told";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr((folder_.path() / "mock.json").string() +
                                        " is not as it should be: \"tools[0].description\" is missing"));
  }
  write(weather().dump());
  EXPECT_TRUE(comes_true([&] { return harness.components_changed() > before + 1; }));
  EXPECT_EQ(said(harness), "Sunny.");
}

TEST_F(MockFile, IsRefusedWhereItIsMissingNoJsonOrNestedWithoutEnd) {
  EXPECT_THAT(mistake_in(configuration()), HasSubstr("mock.json does not exist"));
  write("{");
  EXPECT_THAT(mistake_in(configuration()), HasSubstr("not valid JSON"));
  write(std::string(100'000, '['));
  EXPECT_THAT(mistake_in(configuration()), HasSubstr("is nested deeper than 64 arrays and objects"));
}

}  // namespace
}  // namespace plugins::mock
