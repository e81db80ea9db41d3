#include "catalog/catalog.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using test::served_plugin;
using test::tool;
using test::tools;

Catalog catalog_of(std::vector<ServedPlugin> plugins) {
  return Catalog(1, std::move(plugins));
}

std::string file_of(const Plugin& plugin) {
  return plugin.identity().file.filename().string();
}

std::string all_of(const ComponentList& list) {
  return list.page(std::nullopt, 100)->items;
}

// Which template a URI is given to.
std::string matched(const Catalog& catalog, std::string_view uri) {
  const auto match = catalog.match_template(uri);
  return match ? std::string(match->served->component->uri_template.text()) : "none";
}

TEST(Catalog, WithoutPluginsHasNothing) {
  const Catalog catalog;
  EXPECT_EQ(catalog.generation(), 0U);
  EXPECT_EQ(catalog.find_tool("a"), nullptr);
  EXPECT_EQ(catalog.find_prompt("a"), nullptr);
  EXPECT_EQ(catalog.find_resource("a://b"), nullptr);
  EXPECT_FALSE(catalog.match_template("a://b"));
  EXPECT_EQ(all_of(catalog.tools()), "");
}

TEST(Catalog, FindsAComponentAndWhoOwnsIt) {
  const auto catalog = catalog_of(
      {served_plugin("a.so", tools(tool("add"))), served_plugin("b.so", R"({"resources":[{"uri":"x://y","name":"y"}],
                                                            "prompts":[{"name":"ask"}]})")});
  ASSERT_NE(catalog.find_tool("add"), nullptr);
  EXPECT_EQ(file_of(*catalog.find_tool("add")->plugin), "a.so");
  ASSERT_NE(catalog.find_resource("x://y"), nullptr);
  EXPECT_EQ(catalog.find_resource("x://y")->component->name, "y");
  ASSERT_NE(catalog.find_prompt("ask"), nullptr);
  EXPECT_EQ(file_of(*catalog.find_prompt("ask")->plugin), "b.so");
  EXPECT_EQ(catalog.find_tool("ask"), nullptr);
}

TEST(Catalog, FindsAResourceHoweverItsUriIsEncoded) {
  const auto catalog = catalog_of({served_plugin("a.so", R"({"resources":[{"uri":"notes://\u00fcber uns","name":"raw"},
                                                                          {"uri":"notes://caf%c3%a9","name":"encoded"}],
                                             "resourceTemplates":[{"uriTemplate":"notes://\u00fc/{x}","name":"t"}]})")});
  for (const auto* uri : {"notes://über uns", "notes://%C3%BCber%20uns", "notes://%c3%bcber%20%75ns"}) {
    ASSERT_NE(catalog.find_resource(uri), nullptr) << uri;
    EXPECT_EQ(catalog.find_resource(uri)->component->name, "raw");
  }
  for (const auto* uri : {"notes://café", "notes://caf%C3%A9", "notes://caf%c3%a9"}) {
    ASSERT_NE(catalog.find_resource(uri), nullptr) << uri;
    EXPECT_EQ(catalog.find_resource(uri)->component->name, "encoded");
  }
  EXPECT_EQ(catalog.find_resource("notes://uber uns"), nullptr);
  for (const auto* text : {"notes://ü/{x}", "notes://%C3%BC/{x}", "notes://%C3%BC/%7Bx%7D"})
    EXPECT_NE(catalog.find_template(text), nullptr) << text;
}

TEST(Catalog, ListsUrisAsTheyMayBeWritten) {
  const auto catalog = catalog_of({served_plugin("a.so", R"({"resources":[{"uri":"notes://\u00fcber uns","name":"raw"},
                                                                          {"uri":"notes://caf%c3%a9","name":"encoded"}],
                                             "resourceTemplates":[{"uriTemplate":"notes://\u00fc/{x}","name":"t"}]})")});
  EXPECT_EQ(all_of(catalog.resources()),
            R"({"uri":"notes://%C3%BCber%20uns","name":"raw"},{"uri":"notes://caf%c3%a9","name":"encoded"})");
  EXPECT_EQ(all_of(catalog.resource_templates()), R"({"uriTemplate":"notes://%C3%BC/{x}","name":"t"})");
}

TEST(Catalog, HidesAResourceWhoseUriIsServedInAnotherForm) {
  const auto catalog = catalog_of({served_plugin("a.so", R"({"resources":[{"uri":"notes://\u00fc","name":"a"}]})"),
                                   served_plugin("b.so", R"({"resources":[{"uri":"notes://%c3%bc","name":"b"}]})")});
  EXPECT_EQ(all_of(catalog.resources()), R"({"uri":"notes://%C3%BC","name":"a"})");
  const std::vector<Conflict> conflicts = {
      {"resource", "notes://%C3%BC", "/components/tools/a.so", "/components/tools/b.so"}};
  EXPECT_EQ(catalog.conflicts(), conflicts);
  EXPECT_EQ(file_of(*catalog.find_owner("resource", "notes://%C3%BC")), "a.so");
}

TEST(Catalog, ListsComponentsByNameWhateverTheOrderOfPlugins) {
  const auto catalog =
      catalog_of({served_plugin("1.so", tools(tool("c") + "," + tool("a"))), served_plugin("2.so", tools(tool("b")))});
  EXPECT_EQ(all_of(catalog.tools()), tool("a") + "," + tool("b") + "," + tool("c"));
}

TEST(Catalog, ServesTheFirstPluginByPathAndReportsTheOther) {
  const auto catalog = catalog_of({served_plugin("a.so", tools(tool("same", R"(,"title":"A")"))),
                                   served_plugin("b.so", tools(tool("same", R"(,"title":"B")") + "," + tool("own")))});
  EXPECT_EQ(file_of(*catalog.find_tool("same")->plugin), "a.so");
  EXPECT_EQ(file_of(*catalog.find_tool("own")->plugin), "b.so");
  EXPECT_EQ(all_of(catalog.tools()), tool("own") + "," + tool("same", R"(,"title":"A")"));
  const std::vector<Conflict> conflicts = {{"tool", "same", "/components/tools/a.so", "/components/tools/b.so"}};
  EXPECT_EQ(catalog.conflicts(), conflicts);
}

TEST(Catalog, ReportsConflictsOfEveryKind) {
  const auto* document = R"({"resources":[{"uri":"x://y","name":"y"}],
                             "resourceTemplates":[{"uriTemplate":"x://{z}","name":"z"}],
                             "prompts":[{"name":"p"}]})";
  const auto catalog = catalog_of({served_plugin("a.so", document), served_plugin("b.so", document)});
  std::vector<std::string> reported;
  for (const auto& conflict : catalog.conflicts())
    reported.push_back(conflict.kind + " " + conflict.key);
  EXPECT_EQ(reported, (std::vector<std::string>{"resource x://y", "resource template x://{z}", "prompt p"}));
}

TEST(Catalog, LetsTheOtherTakeOverWhenTheFirstIsGone) {
  const auto b = served_plugin("b.so", tools(tool("same")));
  const auto catalog = catalog_of({b});
  EXPECT_EQ(catalog.find_tool("same")->plugin, b.plugin);
  EXPECT_TRUE(catalog.conflicts().empty());
}

TEST(Catalog, GivesAUriToTheMostSpecificTemplate) {
  const auto catalog = catalog_of({served_plugin("a.so", R"({"resourceTemplates":[
      {"uriTemplate":"*","name":"anything"},
      {"uriTemplate":"notes://{+path}","name":"below"},
      {"uriTemplate":"notes://{name}","name":"one"},
      {"uriTemplate":"notes://work/{name}","name":"work"}]})")});
  EXPECT_EQ(matched(catalog, "notes://work/today"), "notes://work/{name}");
  EXPECT_EQ(matched(catalog, "notes://today"), "notes://{name}");
  EXPECT_EQ(matched(catalog, "notes://home/today"), "notes://{+path}");
  EXPECT_EQ(matched(catalog, "other://today"), "*");
}

TEST(Catalog, GivesAUriThatTemplatesMatchAlikeToTheFirstByTheirText) {
  const auto catalog = catalog_of({served_plugin("a.so", R"({"resourceTemplates":[
      {"uriTemplate":"notes://{b}","name":"b"}, {"uriTemplate":"notes://{a}","name":"a"}]})")});
  EXPECT_EQ(matched(catalog, "notes://today"), "notes://{a}");
}

ServedPlugin upstream(const std::string& file, std::string_view document) {
  auto served = served_plugin(file, document);
  static_cast<test::FakePlugin&>(*served.plugin).become_upstream();
  return served;
}

TEST(Catalog, GivesNothingToAnUpstreamThatATemplateOfAPluginStandsFor) {
  const auto catalog = catalog_of(
      {served_plugin("files.so", R"({"resourceTemplates":[{"uriTemplate":"file:///{+path}","name":"files"}]})"),
       upstream("other.mcp.json", R"({"resourceTemplates":[{"uriTemplate":"file:///srv/{+a}","name":"more specific"},
                                                           {"uriTemplate":"other://{+a}","name":"own"}],
                                      "resources":[{"uri":"file:///srv/policy.md","name":"theirs"},
                                                   {"uri":"other://x","name":"own"}]})")});
  EXPECT_EQ(matched(catalog, "file:///srv/policy.md"), "file:///{+path}");
  EXPECT_EQ(matched(catalog, "other://y"), "other://{+a}");
  EXPECT_EQ(catalog.find_resource("file:///srv/policy.md"), nullptr);
  EXPECT_NE(catalog.find_resource("other://x"), nullptr);
  ASSERT_EQ(catalog.conflicts().size(), 1U);
  EXPECT_EQ(catalog.conflicts()[0].key, "file:///srv/policy.md");
  EXPECT_EQ(catalog.conflicts()[0].served.filename(), "files.so");
  EXPECT_EQ(catalog.conflicts()[0].hidden.filename(), "other.mcp.json");
  EXPECT_EQ(catalog.conflicts()[0].advice(),
            "resources of an upstream keep their URIs, so there is only one; \"exclude\" leaves out that of the "
            "upstream");
}

TEST(Catalog, GivesNothingToATemplateThatTheOperatorHasTakenAway) {
  auto docs = served_plugin("docs.so", R"({"resourceTemplates":[{"uriTemplate":"docs://{+path}","name":"docs"}],
                                           "resources":[{"uri":"docs://secret.md","name":"secret"}]})");
  docs.components = std::make_shared<const Components>(without(*docs.components, {"docs://secret.md"}));
  const auto catalog = catalog_of({docs});
  EXPECT_EQ(catalog.find_resource("docs://secret.md"), nullptr);
  EXPECT_EQ(matched(catalog, "docs://s%65cret.md"), "none");
  EXPECT_EQ(matched(catalog, "docs://open.md"), "docs://{+path}");
}

TEST(Catalog, MatchesATemplateWithItsVariables) {
  const auto catalog =
      catalog_of({served_plugin("a.so", R"({"resourceTemplates":[{"uriTemplate":"a://{b}/{c}","name":"n"}]})")});
  const auto match = catalog.match_template("a://x%20y/z");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->variables, (std::map<std::string, std::string>{{"b", "x y"}, {"c", "z"}}));
  EXPECT_EQ(file_of(*match->served->plugin), "a.so");
  EXPECT_FALSE(catalog.match_template("a://x"));
}

TEST(Catalog, JoinsTheInstructionsOfTheOperatorAndThePlugins) {
  const Catalog catalog(1,
                        {served_plugin("a.so", R"({"instructions":"Of a."})"), served_plugin("b.so", "{}"),
                         served_plugin("c.so", R"({"instructions":"Of c."})")},
                        "Of the operator.");
  EXPECT_EQ(catalog.instructions(), "Of the operator.\n\nOf a.\n\nOf c.");
}

TEST(Catalog, DiffersFromAnotherInTheKindsThatChangedOnly) {
  const auto with = [](const std::string& document) { return catalog_of({served_plugin("a.so", document)}); };
  const auto none = Catalog();
  EXPECT_EQ(with("{}").differences(none), ListKinds{});
  EXPECT_EQ(with(tools(tool("a"))).differences(none), ListKinds{.tools = true});
  EXPECT_EQ(with(R"({"resources":[{"uri":"a://b","name":"n"}]})").differences(none), ListKinds{.resources = true});
  EXPECT_EQ(with(R"({"resourceTemplates":[{"uriTemplate":"a://*","name":"n"}]})").differences(none),
            ListKinds{.resources = true});
  EXPECT_EQ(with(R"({"prompts":[{"name":"p"}]})").differences(none), ListKinds{.prompts = true});
}

TEST(Catalog, DoesNotDifferWhenOnlyTheVersionBehindAListChanged) {
  const auto document = tools(tool("a"));
  EXPECT_EQ(Catalog(2, {served_plugin("b.so", document)}).differences(Catalog(1, {served_plugin("a.so", document)})),
            ListKinds{});
  EXPECT_EQ(catalog_of({served_plugin("a.so", tools(tool("a", R"(,"title":"new")")))})
                .differences(catalog_of({served_plugin("a.so", document)})),
            ListKinds{.tools = true});
}

TEST(Catalog, HoldsALeaseOnItsPlugins) {
  auto served = served_plugin("a.so", tools(tool("a")));
  const std::weak_ptr<Plugin> plugin = served.plugin;
  auto catalog = std::make_unique<Catalog>(1, std::vector<ServedPlugin>{std::move(served)});
  EXPECT_FALSE(plugin.expired());
  catalog.reset();
  EXPECT_TRUE(plugin.expired());
}

// What is listed of "a" to "e" and the tool that searches.
std::string listed(ToolListing listing, bool with_search = true) {
  std::string all;
  for (const auto* name : {"a", "b", "c", "d", "e"})
    all += (all.empty() ? "" : ",") + tool(name);
  if (with_search) all += "," + tool("find_tools");
  const Catalog catalog(1, {served_plugin("a.so", tools(all))}, {}, std::make_shared<const ToolListing>(listing));
  EXPECT_NE(catalog.find_tool("e"), nullptr) << "whatever is listed";
  EXPECT_EQ(catalog.tools().size(), catalog.legacy_tools().size());
  std::string names;
  for (const auto& each : nlohmann::json::parse("[" + all_of(catalog.tools()) + "]"))
    names += each["name"].get<std::string>() + " ";
  return names;
}

TEST(Catalog, ListsAllToolsUnlessThereAreMoreThanClientsCanTake) {
  EXPECT_EQ(listed({}), "a b c d e find_tools ");
  EXPECT_EQ(listed({.at_most = 6, .pinned = {}}), "a b c d e find_tools ");
  EXPECT_EQ(listed({.at_most = 3, .pinned = {}}), "a b find_tools ");
  EXPECT_EQ(listed({.at_most = 1, .pinned = {}}), "find_tools ");
}

TEST(Catalog, ListsPinnedToolsBeforeOthers) {
  const auto pattern = [](const char* text) { return ComponentPattern::read(text).value(); };
  EXPECT_EQ(listed({.at_most = 3, .pinned = {pattern("tool:d")}}), "a d find_tools ");
  EXPECT_EQ(listed({.at_most = 3, .pinned = {pattern("tool:e"), pattern("tool:*")}}), "a e find_tools ");
  EXPECT_EQ(listed({.at_most = 2, .pinned = {pattern("tool:e"), pattern("tool:d")}}), "e find_tools ");
  EXPECT_EQ(listed({.at_most = 3, .pinned = {pattern("prompt:e")}}), "a b find_tools ");
}

TEST(Catalog, ListsToolsThatWantHeadersInAnyCase) {
  const auto with_header = [](const std::string& name) {
    return R"({"name":")" + name +
           R"(","inputSchema":{"type":"object","properties":{"at":{"type":"string","x-mcp-header":"At"}}}})";
  };
  const auto all =
      tool("a") + "," + with_header("b") + "," + with_header("c") + "," + tool("d") + "," + tool("find_tools");
  const auto pinned = ComponentPattern::read("tool:d").value();
  for (const std::size_t at_most : {1, 3}) {
    const Catalog catalog(1, {served_plugin("a.so", tools(all))}, {},
                          std::make_shared<const ToolListing>(ToolListing{.at_most = at_most, .pinned = {pinned}}));
    std::string names;
    for (const auto& each : nlohmann::json::parse("[" + all_of(catalog.tools()) + "]"))
      names += each["name"].get<std::string>() + " ";
    EXPECT_EQ(names, at_most == 1 ? "b c find_tools " : "b c d find_tools ");
  }
}

TEST(Catalog, ListsAllToolsToThoseWhoCannotSearch) {
  EXPECT_EQ(listed({.at_most = 3, .pinned = {}}, false), "a b c d e ");
}

}  // namespace
}  // namespace mcph
