#include "catalog/components.hpp"

#include <string>

#include <gtest/gtest.h>

namespace mcph {
namespace {

std::string refusal_of(std::string_view document) {
  const auto components = parse_components(document);
  return components ? "accepted" : components.error().message;
}

Components accepted(std::string_view document) {
  auto components = parse_components(document);
  if (!components) ADD_FAILURE() << components.error().message;
  return components ? *std::move(components) : Components{};
}

std::string refusal_of_tool(const std::string& tool) {
  return refusal_of(R"({"tools":[)" + tool + "]}");
}
std::string refusal_of_resource(const std::string& resource) {
  return refusal_of(R"({"resources":[)" + resource + "]}");
}
std::string refusal_of_template(const std::string& resource_template) {
  return refusal_of(R"({"resourceTemplates":[)" + resource_template + "]}");
}
std::string refusal_of_prompt(const std::string& prompt) {
  return refusal_of(R"({"prompts":[)" + prompt + "]}");
}

TEST(Components, OfAnEmptyObjectAreNone) {
  const auto components = accepted("{}");
  EXPECT_EQ(components.size(), 0U);
  EXPECT_EQ(components.instructions, "");
}

TEST(Components, OfEveryKindAreRead) {
  const auto components = accepted(R"({
    "tools": [{"name": "add", "inputSchema": {"type": "object"}}],
    "resources": [{"uri": "notes://all", "name": "all", "mimeType": "text/plain", "size": 7}],
    "resourceTemplates": [{"uriTemplate": "notes://{name}", "name": "one"}],
    "prompts": [{"name": "review", "arguments": [{"name": "code", "required": true}, {"name": "style"}]}],
    "instructions": "Adds and notes."
  })");
  ASSERT_EQ(components.size(), 4U);
  EXPECT_EQ(components.tools[0].name, "add");
  EXPECT_EQ(components.resources[0].uri, "notes://all");
  EXPECT_EQ(components.resources[0].name, "all");
  EXPECT_EQ(components.resource_templates[0].uri_template.text(), "notes://{name}");
  EXPECT_EQ(components.resource_templates[0].name, "one");
  EXPECT_EQ(components.prompts[0].name, "review");
  EXPECT_EQ(components.prompts[0].required_arguments, std::vector<std::string>{"code"});
  EXPECT_EQ(components.instructions, "Adds and notes.");
}

TEST(Components, AreCompletedWhereThePluginAsksForIt) {
  constexpr auto lists = R"("resourceTemplates": [{"uriTemplate": "notes://{name}", "name": "one"}],
      "prompts": [{"name": "review", "arguments": [{"name": "code"}, {"name": "style"}]}])";
  const auto asked = accepted("{\"completions\": true," + std::string(lists) + "}");
  EXPECT_TRUE(asked.resource_templates[0].completes);
  EXPECT_TRUE(asked.prompts[0].completes);
  EXPECT_EQ(asked.prompts[0].arguments, (std::vector<std::string>{"code", "style"}));
  const auto silent = accepted("{" + std::string(lists) + "}");
  EXPECT_FALSE(silent.resource_templates[0].completes);
  EXPECT_FALSE(silent.prompts[0].completes);
}

TEST(Components, KeepEveryMemberInThePluginsOrder) {
  const auto components = accepted(
      R"({"tools":[{"title":"T","name":"t","_meta":{"z":1,"a":2},"inputSchema":{"type":"object"},"x-own":[1.5, null]}]})");
  EXPECT_EQ(components.tools[0].json,
            R"({"title":"T","name":"t","_meta":{"z":1,"a":2},"inputSchema":{"type":"object"},"x-own":[1.5,null]})");
}

TEST(Components, OfALegacyClientHaveNoOutputSchemaThatIsNotAnObject) {
  const auto components = accepted(R"({"tools":[
      {"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}},
      {"name":"b","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}},
      {"name":"c","inputSchema":{"type":"object"}}]})");
  EXPECT_EQ(components.tools[0].json,
            R"({"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}})");
  EXPECT_EQ(components.tools[0].legacy_json, R"({"name":"a","inputSchema":{"type":"object"}})");
  EXPECT_EQ(components.tools[1].legacy_json, components.tools[1].json);
  EXPECT_EQ(components.tools[2].legacy_json, components.tools[2].json);
}

TEST(Components, OfALegacyClientHaveNoPropertiesWhoseSchemaIsABoolean) {
  const auto components = accepted(R"({"tools":[{"name":"a",
      "inputSchema":{"type":"object","properties":{"any":true,"none":false,"text":{"type":"string"}}},
      "outputSchema":{"type":"object","properties":{"value":true}}}]})");
  EXPECT_EQ(components.tools[0].legacy_json,
            R"({"name":"a","inputSchema":{"type":"object","properties":{"any":{},"none":{"not":{}},)"
            R"("text":{"type":"string"}}},"outputSchema":{"type":"object","properties":{"value":{}}}})");
}

TEST(Components, OfTemplatesHaveNoMoreThanAUriCanBeMatchedWith) {
  const auto templates = [](std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
      const auto path = std::string(1000, 'x') + std::to_string(i);
      all +=
          (i == 0 ? R"({"name":"t","uriTemplate":"t://)" : R"(,{"name":"t","uriTemplate":"t://)") + path + R"(/{a}"})";
    }
    return all;
  };
  EXPECT_EQ(refusal_of_template(templates(30)), "accepted");
  EXPECT_NE(refusal_of_template(templates(40)).find("uriTemplate is one too many"), std::string::npos);
}

TEST(Components, OfSchemasHaveNoPatternsThatTakeTooMuchMemory) {
  const auto patterns = [](std::size_t count) {
    std::string properties;
    for (std::size_t i = 0; i < count; ++i) {
      const auto name = "\"p" + std::to_string(i) + '"';
      properties += (i == 0 ? "" : ",") + name + R"(:{"pattern":"(?:abc){500}"})";
    }
    return R"({"name":"t","inputSchema":{"type":"object","properties":{)" + properties + "}}}";
  };
  EXPECT_EQ(refusal_of_tool(patterns(10)), "accepted");
  EXPECT_NE(refusal_of_tool(patterns(3000)).find("takes too much memory"), std::string::npos);
}

TEST(Components, AreRefusedAsAWhole) {
  EXPECT_EQ(refusal_of("{").find("its description is not valid JSON: "), 0U);
  EXPECT_EQ(refusal_of("[]"), "its description is not a JSON object");
  EXPECT_EQ(refusal_of(R"({"tools":{}})"), "tools is not an array");
  EXPECT_EQ(refusal_of(R"({"resources":1})"), "resources is not an array");
  EXPECT_EQ(refusal_of(R"({"resourceTemplates":""})"), "resourceTemplates is not an array");
  EXPECT_EQ(refusal_of(R"({"prompts":null})"), "prompts is not an array");
  EXPECT_EQ(refusal_of(R"({"instructions":1})"), "instructions is not a string");
  EXPECT_EQ(refusal_of(R"({"completions":{}})"), "completions is not true or false");
  EXPECT_EQ(refusal_of(R"({"tools":[1]})"), "tools[0]: is not an object");
}

TEST(Components, AreRefusedForTheName) {
  EXPECT_EQ(refusal_of_tool("{}"), "tools[0]: name is missing");
  EXPECT_EQ(refusal_of_tool(R"({"name":1})"), "tools[0]: name is not a string");
  EXPECT_EQ(refusal_of_tool(R"({"name":""})"), "tools[0]: name is empty");
  EXPECT_EQ(refusal_of_tool(R"({"name":"two words"})"),
            "tools[0]: name \"two words\" is not 1 to 128 characters of A-Za-z0-9_.-");
  const auto named = [](const std::string& name) {
    return R"({"inputSchema":{"type":"object"},"name":")" + name + "\"}";
  };
  const auto longest = std::string(128, 'n');
  EXPECT_EQ(refusal_of_tool(named(longest)), "accepted");
  EXPECT_EQ(refusal_of_tool(named("n" + longest)),
            "tools[0]: name \"n" + longest + "\" is not 1 to 128 characters of A-Za-z0-9_.-");
}

TEST(Components, AreRefusedForThePromptsName) {
  EXPECT_EQ(refusal_of_prompt("{}"), "prompts[0]: name is missing");
  EXPECT_EQ(refusal_of_prompt(R"({"name":""})"), "prompts[0]: name is empty");
  constexpr auto refused = "prompts[0]: name is not 1 to 128 bytes of text without control characters";
  for (const auto* name : {"a\\nb", "a\\u0000b", "\\u007f", "\\u0085"})
    EXPECT_EQ(refusal_of_prompt(R"({"name":")" + std::string(name) + "\"}"), refused) << name;
  const auto longest = std::string(128, 'n');
  EXPECT_EQ(refusal_of_prompt(R"({"name":")" + longest + "\"}"), "accepted");
  EXPECT_EQ(refusal_of_prompt(R"({"name":"n)" + longest + "\"}"), refused);
}

TEST(Components, LetAPromptBeCalledWhateverPeopleCanRead) {
  for (const auto* name : {"a/b", "two words", "Überprüfung", "要約", "team: review (short)"})
    EXPECT_EQ(refusal_of_prompt(R"({"name":")" + std::string(name) + "\"}"), "accepted") << name;
}

TEST(Components, AreRefusedForTheInputSchema) {
  EXPECT_EQ(refusal_of_tool(R"({"name":"t"})"), "tools[0] \"t\": inputSchema is missing");
  EXPECT_EQ(refusal_of_tool(R"({"name":"t","inputSchema":true})"), "tools[0] \"t\": inputSchema is not an object");
  EXPECT_EQ(refusal_of_tool(R"({"name":"t","inputSchema":{}})"),
            "tools[0] \"t\": inputSchema must have \"type\": \"object\"");
  EXPECT_EQ(refusal_of_tool(R"({"name":"t","inputSchema":{"type":"objct"}})"),
            "tools[0] \"t\": inputSchema must have \"type\": \"object\", but has \"type\": \"objct\"");
  const auto refusal =
      refusal_of_tool(R"({"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"integre"}}}})");
  EXPECT_EQ(refusal.substr(0, refusal.find("/type:")), "tools[0] \"t\": inputSchema is invalid: /properties/a");
}

TEST(Components, SayHowLongACallOfAToolMayTake) {
  const auto components =
      parse_components(R"({"tools":[{"name":"t","inputSchema":{"type":"object"},"execution":{"timeoutMs":1500}}]})");
  ASSERT_TRUE(components.has_value());
  EXPECT_EQ(components->tools[0].time_limit, std::chrono::milliseconds(1500));
  EXPECT_EQ(components->tools[0].json.find("execution"), std::string::npos) << "it is for the host";
  for (const auto* time : {"0", "-1", "1.5", R"("1s")", "31536000001"}) {
    EXPECT_EQ(refusal_of_tool(R"({"name":"t","inputSchema":{"type":"object"},"execution":{"timeoutMs":)" +
                              std::string(time) + "}}"),
              "tools[0] \"t\": execution.timeoutMs is not a whole number from 1 to 31536000000")
        << time;
  }
}

TEST(Components, HaveTags) {
  const auto with_tags = [](const std::string& tags) {
    return R"({"name":"t","inputSchema":{"type":"object"},"_meta":{"mcp-plugin-host/tags":)" + tags + "}}";
  };
  const auto components = parse_components(R"({"tools":[)" + with_tags(R"(["beta","a.b"])") + "]}");
  ASSERT_TRUE(components.has_value());
  EXPECT_EQ(components->tools[0].tags, (std::set<std::string, std::less<>>{"a.b", "beta"}));
  for (const auto* tags : {R"("beta")", "[5]", R"(["a b"])", R"([""])"}) {
    EXPECT_EQ(refusal_of_tool(with_tags(tags)),
              "tools[0] \"t\": _meta[\"mcp-plugin-host/tags\"] is not an array of texts of 1 to 128 characters of "
              "A-Za-z0-9_.-");
  }
}

TEST(Components, AreRefusedForTheOutputSchema) {
  const std::string head = R"({"name":"t","inputSchema":{"type":"object"},"outputSchema":)";
  EXPECT_EQ(refusal_of_tool(head + "[]}"), "tools[0] \"t\": outputSchema is not an object");
  EXPECT_EQ(refusal_of_tool(head + R"({"minimum":"x"}})").find("tools[0] \"t\": outputSchema is invalid: /minimum: "),
            0U);
}

TEST(Components, AreRefusedForFieldsThatAllKindsShare) {
  const auto refusal = [](const std::string& field) { return refusal_of_prompt(R"({"name":"p",)" + field + "}"); };
  EXPECT_EQ(refusal(R"("title":1)"), "prompts[0] \"p\": title is not a string");
  EXPECT_EQ(refusal(R"("description":{})"), "prompts[0] \"p\": description is not a string");
  EXPECT_EQ(refusal(R"("_meta":[])"), "prompts[0] \"p\": _meta is not an object");
  EXPECT_EQ(refusal(R"("annotations":"x")"), "prompts[0] \"p\": annotations is not an object");
  EXPECT_EQ(refusal(R"("icons":{})"), "prompts[0] \"p\": icons is not an array");
}

TEST(Components, AreRefusedForAnIcon) {
  const auto refusal = [](const std::string& icons) {
    return refusal_of_prompt(R"({"name":"p","icons":)" + icons + "}");
  };
  EXPECT_EQ(refusal(R"([{"src":"data:,"},7])"), "prompts[0] \"p\": icons[1] is not an object");
  EXPECT_EQ(refusal(R"([{"sizes":["any"]}])"), "prompts[0] \"p\": icons[0].src is missing");
  EXPECT_EQ(refusal(R"([{"src":1}])"), "prompts[0] \"p\": icons[0].src is not a string");
  EXPECT_EQ(refusal(R"([{"src":""}])"), "prompts[0] \"p\": icons[0].src is empty");
  EXPECT_EQ(refusal(R"([{"src":"data:,","mimeType":1}])"), "prompts[0] \"p\": icons[0].mimeType is not a string");
  EXPECT_EQ(refusal(R"([{"src":"data:,","sizes":"48x48"}])"),
            "prompts[0] \"p\": icons[0].sizes is not an array of strings");
  EXPECT_EQ(refusal(R"([{"src":"data:,","sizes":[48]}])"),
            "prompts[0] \"p\": icons[0].sizes is not an array of strings");
  EXPECT_EQ(refusal(R"([{"src":"data:,","theme":"blue"}])"),
            "prompts[0] \"p\": icons[0].theme is not \"light\" or \"dark\"");
  EXPECT_EQ(refusal(R"([{"src":"https://a.org/i.png","mimeType":"image/png","sizes":["any"],"theme":"dark"}])"),
            "accepted");
}

TEST(Components, AreRefusedForAToolsAnnotations) {
  const auto refusal = [](const std::string& annotations) {
    return refusal_of_tool(R"({"name":"t","inputSchema":{"type":"object"},"annotations":)" + annotations + "}");
  };
  EXPECT_EQ(refusal(R"({"title":7})"), "tools[0] \"t\": annotations.title is not a string");
  for (const std::string hint : {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}) {
    EXPECT_EQ(refusal("{\"" + hint + R"(":"yes"})"), "tools[0] \"t\": annotations." + hint + " is not true or false");
    EXPECT_EQ(refusal("{\"" + hint + R"(":true})"), "accepted");
  }
  EXPECT_EQ(refusal(R"({"title":"T","x-own":[1]})"), "accepted");
}

TEST(Components, AreRefusedForAResourcesAnnotations) {
  const auto refusal = [](const std::string& annotations) {
    const auto of_template =
        refusal_of_template(R"({"uriTemplate":"a://b","name":"n","annotations":)" + annotations + "}");
    auto of_resource = refusal_of_resource(R"({"uri":"a://b","name":"n","annotations":)" + annotations + "}");
    EXPECT_EQ(of_template == "accepted", of_resource == "accepted");
    return of_resource;
  };
  const std::string place = "resources[0] \"a://b\": ";
  EXPECT_EQ(refusal(R"({"lastModified":2026})"), place + "annotations.lastModified is not a string");
  for (const auto* audience : {"\"user\"", "[\"system\"]", "[1]"}) {
    EXPECT_EQ(refusal(R"({"audience":)" + std::string(audience) + "}"),
              place + "annotations.audience is not an array of \"user\" and \"assistant\"");
  }
  for (const auto* priority : {"-0.1", "1.5", "\"1\"", "null"}) {
    EXPECT_EQ(refusal(R"({"priority":)" + std::string(priority) + "}"),
              place + "annotations.priority is not a number from 0 to 1");
  }
  EXPECT_EQ(refusal(R"({"audience":["user","assistant"],"priority":0})"), "accepted");
  EXPECT_EQ(refusal(R"({"audience":[],"priority":1,"lastModified":"2026-01-12T15:00:58Z"})"), "accepted");
}

TEST(Components, AreRefusedForAResource) {
  EXPECT_EQ(refusal_of_resource("{}"), "resources[0]: uri is missing");
  EXPECT_EQ(refusal_of_resource(R"({"uri":"notes","name":"n"})"),
            "resources[0] \"notes\": uri is not an absolute URI such as \"scheme://path\"");
  EXPECT_EQ(refusal_of_resource(R"({"uri":"a://b\nc","name":"n"})"),
            "resources[0] \"a://b\nc\": uri is not an absolute URI such as \"scheme://path\"");
  for (const auto* uri : {"a://100%", "a://%4", "a://%zz"}) {
    EXPECT_EQ(refusal_of_resource(R"({"name":"n","uri":")" + std::string(uri) + "\"}"),
              "resources[0] \"" + std::string(uri) +
                  R"(": uri has a "%" that is not followed by two hexadecimal digits; write it as "%25")");
  }
  EXPECT_EQ(refusal_of_resource(R"({"uri":"a://b"})"), "resources[0] \"a://b\": name is missing");
  EXPECT_EQ(refusal_of_resource(R"({"uri":"a://b","name":"n","mimeType":1})"),
            "resources[0] \"a://b\": mimeType is not a string");
  for (const auto* size : {"\"1\"", "-1", "1.5", "null"}) {
    EXPECT_EQ(refusal_of_resource(R"({"uri":"a://b","name":"n","size":)" + std::string(size) + "}"),
              "resources[0] \"a://b\": size is not a number of bytes: an integer of 0 or more");
  }
  EXPECT_EQ(refusal_of_resource(R"({"uri":"a://b","name":"n","size":0})"), "accepted");
  EXPECT_EQ(refusal_of_resource(R"({"uri":"a://b","name":"n","title":1})"),
            "resources[0] \"a://b\": title is not a string");
  EXPECT_EQ(refusal_of_resource(R"({"uri":"a://b","name":"any words, for people"})"), "accepted");
}

TEST(Components, AreRefusedForAResourceTemplate) {
  EXPECT_EQ(refusal_of_template("{}"), "resourceTemplates[0]: uriTemplate is missing");
  const auto refusal = refusal_of_template(R"({"uriTemplate":"a://{b","name":"n"})");
  EXPECT_EQ(refusal.substr(0, 54), "resourceTemplates[0] \"a://{b\": uriTemplate is invalid:");
  EXPECT_EQ(refusal_of_template(R"({"uriTemplate":"a://{b}"})"), "resourceTemplates[0] \"a://{b}\": name is missing");
  EXPECT_EQ(refusal_of_template(R"({"uriTemplate":"a://{b}","name":"n","mimeType":null})"),
            "resourceTemplates[0] \"a://{b}\": mimeType is not a string");
  EXPECT_EQ(refusal_of_template(R"({"uriTemplate":"a://{b}","name":"n","_meta":1})"),
            "resourceTemplates[0] \"a://{b}\": _meta is not an object");
}

TEST(Components, AreRefusedForAPromptsArguments) {
  const auto refusal = [](const std::string& arguments) {
    return refusal_of_prompt(R"({"name":"p","arguments":)" + arguments + "}");
  };
  EXPECT_EQ(refusal("{}"), "prompts[0] \"p\": arguments is not an array");
  EXPECT_EQ(refusal("[1]"), "prompts[0] \"p\": arguments has an entry without a \"name\" string");
  EXPECT_EQ(refusal(R"([{"required":true}])"), "prompts[0] \"p\": arguments has an entry without a \"name\" string");
  EXPECT_EQ(refusal(R"([{"name":"a"},{"name":"a"}])"), "prompts[0] \"p\": arguments names \"a\" twice");
  EXPECT_EQ(refusal(R"([{"name":"a","title":1}])"), "prompts[0] \"p\": arguments \"a\": title is not a string");
  EXPECT_EQ(refusal(R"([{"name":"a","description":[]}])"),
            "prompts[0] \"p\": arguments \"a\": description is not a string");
  EXPECT_EQ(refusal(R"([{"name":"a","required":"yes"}])"),
            "prompts[0] \"p\": arguments \"a\": required is not true or false");
}

TEST(Components, OfOneKeyAreRefusedTheSecondTime) {
  EXPECT_EQ(refusal_of_prompt(R"({"name":"a"},{"name":"b"},{"name":"a"})"), "prompts[2]: \"a\" is described twice");
  EXPECT_EQ(refusal_of_resource(R"({"uri":"a://b","name":"n"},{"uri":"a://b","name":"m"})"),
            "resources[1]: \"a://b\" is described twice");
  EXPECT_EQ(refusal_of_template(R"({"uriTemplate":"a://*","name":"n"},{"uriTemplate":"a://*","name":"m"})"),
            "resourceTemplates[1]: \"a://*\" is described twice");
  EXPECT_EQ(refusal_of_resource(R"({"uri":"a://b%20c","name":"n"},{"uri":"a://b c","name":"m"})"),
            "resources[1]: \"a://b%20c\" is described twice");
  EXPECT_EQ(refusal_of_template(R"({"uriTemplate":"a://%7e/{x}","name":"n"},{"uriTemplate":"a://~/{x}","name":"m"})"),
            "resourceTemplates[1]: \"a://~/{x}\" is described twice");
}

TEST(Components, OfDifferentKindsMayShareAName) {
  EXPECT_EQ(refusal_of(R"({"tools":[{"name":"x","inputSchema":{"type":"object"}}],"prompts":[{"name":"x"}]})"),
            "accepted");
}

}  // namespace
}  // namespace mcph
