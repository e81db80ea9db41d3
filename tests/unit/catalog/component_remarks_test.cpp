#include "catalog/component_remarks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> remarks_on(std::string_view document) {
  const auto components = parse_components(document);
  if (!components) ADD_FAILURE() << components.error().message;
  return components ? component_remarks(*components) : std::vector<std::string>{};
}

TEST(ComponentRemarks, AreNoneOnComponentsThatSayWhatTheyAre) {
  EXPECT_THAT(remarks_on(R"({
    "tools": [{"name": "add", "description": "Adds.", "inputSchema": {"type": "object"}, "_meta": {"ui": []}}],
    "resources": [{"uri": "notes://all", "name": "all", "description": "All."}],
    "resourceTemplates": [{"uriTemplate": "notes://{name}", "name": "one", "description": "One."}],
    "prompts": [{"name": "review", "description": "Reviews."}]
  })"),
              IsEmpty());
}

TEST(ComponentRemarks, NameEachComponentWithoutADescription) {
  EXPECT_THAT(
      remarks_on(R"({
    "tools": [{"name": "add", "description": "", "inputSchema": {"type": "object"}}],
    "resources": [{"uri": "notes://all", "name": "all"}],
    "resourceTemplates": [{"uriTemplate": "notes://{name}", "name": "one"}],
    "prompts": [{"name": "review"}]
  })"),
      ElementsAre("tool \"add\" has no description, by which a model chooses it",
                  "resource \"notes://all\" has no description, by which people and models choose it",
                  "resource template \"notes://{name}\" has no description, by which people and models choose it",
                  "prompt \"review\" has no description, by which people choose it"));
}

TEST(ComponentRemarks, NameTheArgumentsWithoutADescription) {
  EXPECT_THAT(remarks_on(R"({
    "tools": [{"name": "add", "description": "Adds.", "inputSchema": {"type": "object", "properties": {
      "a": {"type": "number"}, "b": {"type": "number", "description": "The other."}, "c": {"$ref": "#/$defs/c"},
      "d": {}, "e": true}, "$defs": {"c": {}}}}],
    "prompts": [{"name": "review", "description": "Reviews.", "arguments": [{"name": "code"}]}]
  })"),
              ElementsAre("tool \"add\" has arguments without a description: \"a\", \"d\"",
                          "prompt \"review\" has arguments without a description: \"code\""));
}

TEST(ComponentRemarks, NameTheIconsThatNoClientCanFind) {
  EXPECT_THAT(
      remarks_on(R"({"tools": [{"name": "add", "description": "Adds.", "inputSchema": {"type": "object"},
    "icons": [{"src": "https://example.com/a.png"}, {"src": "data:image/png;base64,AA=="}, {"src": "add.png"},
              {"src": "file:///add.png"}]}]})"),
      ElementsAre("tool \"add\" has the icon \"add.png\", which is no URI such as https://... or data:..., and for "
                  "which a client may refuse the whole list",
                  "tool \"add\" has the icon \"file:///add.png\", which is no URI such as https://... or data:..., and "
                  "for which a client may refuse the whole list"));
}

TEST(ComponentRemarks, NameTimesThatNoClientCanRead) {
  const auto modified = [](const std::string& time) {
    return remarks_on(R"({"resources": [{"uri": "notes://all", "name": "all", "description": "All.",
      "annotations": {"lastModified": ")" +
                      time + "\"}}]}");
  };
  for (const auto* time : {"2026-01-31T12:00:00Z", "2024-02-29t12:00:00.25+05:30", "2025-12-31T15:59:60-08:00"}) {
    EXPECT_THAT(modified(time), IsEmpty()) << time;
  }
  for (const auto* time : {"2026-01-31", "2026-01-31T12:00:00", "2023-02-29T12:00:00Z", "2026-01-31T24:00:00Z",
                           "2026-01-31T12:00:60Z", "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00Z and more"}) {
    EXPECT_THAT(modified(time), SizeIs(1)) << time;
  }
  EXPECT_THAT(
      modified("yesterday"),
      ElementsAre("resource \"notes://all\" has the annotation lastModified \"yesterday\", which is no time such "
                  "as 2026-01-31T12:00:00Z, and for which a client may refuse the whole list"));
}

std::string tool_with_app(const std::string& uri) {
  return R"("tools": [{"name": "roll", "description": "Rolls.", "inputSchema": {"type": "object"},
            "_meta": {"ui": {"resourceUri": ")" +
         uri + "\"}}}]";
}

TEST(ComponentRemarks, NameAnAppThatThePluginDoesNotHave) {
  EXPECT_THAT(
      remarks_on("{" + tool_with_app("ui://nothing") + "}"),
      ElementsAre("tool \"roll\" names the app \"ui://nothing\", but the plugin has no resource with that URI"));
}

TEST(ComponentRemarks, NameAnAppWhoseUriIsTooLongForTheTemplateOfThePlugin) {
  const std::string uri = "ui://" + std::string(UriTemplate::max_uri_size, 'a');
  EXPECT_THAT(
      remarks_on("{" + tool_with_app(uri) + R"(,"resourceTemplates": [{"uriTemplate": "ui://{page}", "name": "view",)" +
                 R"("description": "Shows."}]})"),
      SizeIs(1));
}

TEST(ComponentRemarks, AreNoneOnAnAppHoweverItsUriIsEncoded) {
  EXPECT_THAT(remarks_on("{" + tool_with_app("ui://würfel") +
                         R"(,"resources":[{"uri":"ui://würfel","name":"view","description":"Shows it."}]})"),
              IsEmpty());
}

TEST(ComponentRemarks, AreNoneOnAnAppThatAResourceOrATemplateOfThePluginIs) {
  EXPECT_THAT(remarks_on("{" + tool_with_app("ui://dice/view") +
                         R"(,"resources": [{"uri": "ui://dice/view", "name": "view", "description": "Shows."}]})"),
              IsEmpty());
  EXPECT_THAT(remarks_on("{" + tool_with_app("ui://dice/view") +
                         R"(,"resourceTemplates": [{"uriTemplate": "ui://dice/{page}", "name": "view",)" +
                         R"("description": "Shows."}]})"),
              IsEmpty());
}

}  // namespace
}  // namespace mcph
