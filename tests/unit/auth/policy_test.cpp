#include "auth/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/components.hpp"
#include "support/json_value.hpp"
#include "support/principals.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

Tool tool(const std::string& name, bool read_only = false, const std::string& tag = "any") {
  auto components = parse_components(
      R"({"tools":[{"name":")" + name + R"(","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":)" +
      (read_only ? "true" : "false") + R"(},"_meta":{"mcp-plugin-host/tags":[")" + tag + R"("]}}]})");
  return std::move(components->tools.front());
}

ResourceTemplate resource_template(const std::string& text) {
  auto components = parse_components(R"({"resourceTemplates":[{"name":"t","uriTemplate":")" + text + R"("}]})");
  return std::move(components->resource_templates.front());
}

std::shared_ptr<const RolePolicy> policy(const RoleTexts& roles) {
  auto compiled = RolePolicy::compile(roles);
  EXPECT_TRUE(compiled) << compiled.error().message;
  return *compiled;
}

std::vector<RuleText> rules(std::initializer_list<const char*> patterns) {
  std::vector<RuleText> texts;
  for (const auto* pattern : patterns)
    texts.push_back({.match = pattern});
  return texts;
}

bool may_call(const RoleText& role, const std::string& name) {
  return policy({{"user", role}})->rights_of({"user"})->to(tool(name), "sums").visible;
}

bool may_read(const RoleText& role, const std::string& uri) {
  return policy({{"user", role}})->rights_of({"user"})->may_read(uri);
}

TEST(RolePolicy, AllowsWhatOneOfItsPatternsMatches) {
  const RoleText role{.allow = rules({"tool:calculate", "tool:read_*", "tool:*_all", "tool:a*b*c"})};
  for (const auto* name : {"calculate", "read_", "read_notes", "list_all", "abc", "axxbxxc", "abbcc"})
    EXPECT_TRUE(may_call(role, name)) << name;
  for (const auto* name : {"calculate2", "Calculate", "xread_", "all", "ab", "acb"})
    EXPECT_FALSE(may_call(role, name)) << name;
}

TEST(RolePolicy, ARuleTellsAllThatItAsksFor) {
  const auto text = [](const RuleText& rule) { return Rule::compile(rule)->text(); };
  EXPECT_EQ(text({.match = "tool:*"}), "tool:*");
  EXPECT_EQ(text({.match = "tool:*", .read_only = false}), "tool:* with read_only false");
  EXPECT_EQ(text({.match = "tool:*", .tag = "beta"}), "tool:* with tag beta");
  EXPECT_EQ(text({.match = "tool:*", .read_only = true, .tag = "beta", .arguments = OrderedJson{{"required", {"x"}}}}),
            R"(tool:* with read_only true, tag beta, arguments {"required":["x"]})");
}

TEST(RolePolicy, DeniesWhateverElseAllows) {
  const auto both = policy({{"user", {.allow = rules({"*"})}}, {"careful", {.deny = rules({"tool:delete_*"})}}});
  EXPECT_TRUE(both->rights_of({"user"})->to(tool("delete_all"), "sums").visible);
  EXPECT_FALSE(both->rights_of({"user", "careful"})->to(tool("delete_all"), "sums").visible);
  EXPECT_TRUE(both->rights_of({"user", "careful"})->to(tool("list_all"), "sums").visible);
}

TEST(RolePolicy, AllowsNothingByItself) {
  EXPECT_FALSE(may_call({}, "calculate"));
  EXPECT_FALSE(may_read({.deny = rules({"tool:*"})}, "docs://a"));
  EXPECT_FALSE(policy({})->rights_of({})->to(tool("calculate"), "sums").visible);
}

TEST(RolePolicy, HasPatternsOfOneKind) {
  EXPECT_FALSE(may_call({.allow = rules({"prompt:*", "resource:*"})}, "calculate"));
  EXPECT_TRUE(may_call({.allow = rules({"*"})}, "calculate"));
  EXPECT_TRUE(may_read({.allow = rules({"resource:*"})}, "docs://a/b"));
  EXPECT_FALSE(may_read({.allow = rules({"tool:*"})}, "docs://a/b"));
}

TEST(RolePolicy, ComparesUrisHoweverTheyAreWritten) {
  const RoleText role{.allow = rules({"resource:notes://%7eada/*"}), .deny = rules({"resource:notes://~ada/secret*"})};
  EXPECT_TRUE(may_read(role, "notes://~ada/a"));
  EXPECT_TRUE(may_read(role, "notes://%7Eada/a"));
  EXPECT_FALSE(may_read(role, "notes://~ada/s%65cret"));
  EXPECT_FALSE(may_read(role, "notes://~ada/%73ecret/1"));
}

TEST(RolePolicy, DoesNotLetAPathLeadOutOfWhatItAllows) {
  const RoleText role{.allow = rules({"resource:docs://public/*", "resource:file:*"})};
  for (const auto* uri :
       {"docs://public/../secret", "docs://public/%2e%2e/secret", "docs://public/..%2Fsecret", "docs://public/a/..",
        "docs://public/..\\secret", "docs://public/..?x", "docs://public/%", "file:///../secret", "file:///a/../secret",
        "docs://public/x?/../secret", "docs://public/x#/../secret", "docs://public/x?a#b/./c",
        "docs://public/.\t./secret", "docs://public/.%0a./secret", "docs://public/a%7F"})
    EXPECT_FALSE(may_read(role, uri)) << uri;
  for (const auto* uri : {"docs://public/a..b", "docs://public/.../c", "docs://public/a/", "docs://public/a?b=../c",
                          "file:///a/b", "file:///a", "file:///", "file://docs/a", "file://docs"})
    EXPECT_TRUE(may_read(role, uri)) << uri;
}

// The plugin may take one way to write a path for another.
TEST(RolePolicy, DeniesAPathHoweverItIsWritten) {
  for (const auto* all : {"*", "resource:*", "resource:file:*"}) {
    const RoleText role{.allow = rules({all}), .deny = rules({"resource:file:///srv/secret/*"})};
    EXPECT_TRUE(may_read(role, "file:///srv/open/key")) << all;
    for (const auto* uri :
         {"file:///srv/secret/key",    "file:///srv%2Fsecret%2Fkey",  "file:///srv//secret/key",
          "file:///srv/./secret/key",  "file:///srv/x/../secret/key", "file:////srv/secret/key",
          "file:///srv/secret%2fkey",  "file:///%73rv/secret/key",    "file:///srv%5Csecret/key",
          "file:///srv\\secret/key",   "file:/srv/secret/key",        "file://localhost/srv/secret/key",
          "file://a/srv/secret/key",   "FILE:/srv/secret/key",        "File:///srv/secret/key",
          "file:srv/secret/key",       " file:///srv/secret/key",     "file://A/srv/open/key",
          "file://a/srv/secret/key?x", "\u00a0file:///srv/open/key"})
      EXPECT_FALSE(may_read(role, uri)) << uri << " with " << all;
  }
}

TEST(RolePolicy, DeniesAHostHoweverItIsWritten) {
  const RoleText role{.allow = rules({"*"}), .deny = rules({"resource:https://hr.example/*"})};
  for (const auto* uri :
       {"https://hr.example/a", "https://HR.example/a", "HTTPS://hr.example/a", "https://hr.example:443/a",
        "https://x@hr.example/a", "https:/hr.example/a", "https:hr.example/a", "https:///hr.example/a",
        "https://hr.example:0443/a", "https://hr.example:/a", "https://hr.example./a", "https://hr.example%2E/a",
        "https://hr.example.:443/a", "https://\xEF\xBD\x88r.example/a", " https://hr.example/a"})
    EXPECT_FALSE(may_read(role, uri)) << uri;
  for (const auto* uri : {"https://it.example/a", "https://hr.example:8443/a", "http://[2001:db8::1]:8080/a"})
    EXPECT_TRUE(may_read(role, uri)) << uri;
  const RoleText address{.allow = rules({"*"}), .deny = rules({"resource:http://192.0.2.1/*"})};
  for (const auto* uri :
       {"http://192.0.2.1/a", "http://192.0.513/a", "http://3221225985/a", "http://[::ffff:192.0.2.1]/"})
    EXPECT_FALSE(may_read(address, uri)) << uri;
  const RoleText capitals{.allow = rules({"*"}), .deny = rules({"resource:HTTPS://HR.Example:443/*"})};
  EXPECT_FALSE(may_read(capitals, "https://hr.example/a"));
  EXPECT_FALSE(may_read(capitals, "https://hr.example%2Fa"));
  EXPECT_FALSE(may_read({.allow = rules({"resource:https://*:443/*"})}, "https://a:4443/x"));
}

TEST(RolePolicy, DeniesAlsoWithAnEmptyEnd) {
  const RoleText role{.allow = rules({"resource:*"}), .deny = rules({"resource:file:///*.pem", "resource:docs://a"})};
  for (const auto* uri : {"file:///srv/a.pem", "file:///srv/a.pem/", "file:///srv/a.pem?", "file:///srv/a.pem/?#",
                          "file:///srv/a.pem#", "docs://a/", "docs://a?", "docs://a?x=1", "docs://a#x", "docs://a%20"})
    EXPECT_FALSE(may_read(role, uri)) << uri;
  for (const auto* uri : {"file:///srv/a.pems/", "docs://a/b", "docs://b/"})
    EXPECT_TRUE(may_read(role, uri)) << uri;
}

TEST(RolePolicy, LooksAtNoPathWhereAllMayBeRead) {
  EXPECT_TRUE(may_read({.allow = rules({"*"})}, "memory:///a//b"));
  EXPECT_FALSE(may_read({.allow = rules({"*"}), .deny = rules({"resource:docs://*"})}, "memory:///a//b"));
}

TEST(RolePolicy, KnowsWhetherATemplateStandsForWhatIsHidden) {
  const auto is_partial = [](const RoleText& role, const std::string& text) {
    return policy({{"user", role}})->rights_of({"user"})->to(resource_template(text)).partial;
  };
  EXPECT_FALSE(is_partial({.allow = rules({"*"})}, "docs://{+path}"));
  EXPECT_FALSE(is_partial({.allow = rules({"resource:docs://a/*"})}, "docs://a/{name}"));
  EXPECT_TRUE(is_partial({.allow = rules({"resource:docs://a/*"})}, "docs://{+path}"));
  EXPECT_TRUE(is_partial({.allow = rules({"*"}), .deny = rules({"resource:docs://a/b*"})}, "docs://a/{name}"));
}

TEST(RolePolicy, KnowsOfAToolThatIsGoneWhatNeedsNoLookAtIt) {
  const auto may_call = [](const RoleText& role) {
    return policy({{"user", role}})->rights_of({"user"})->may_call("a");
  };
  EXPECT_TRUE(may_call({.allow = rules({"tool:a"})}));
  EXPECT_FALSE(may_call({.allow = {{.match = "tool:a", .read_only = true}}}));
  EXPECT_FALSE(may_call({.allow = rules({"tool:a"}), .deny = {{.match = "tool:a", .read_only = true}}}));
}

TEST(RolePolicy, ShowsATemplateThatStandsForSomethingThatIsAllowed) {
  const auto sees = [](const RoleText& role, const std::string& text) {
    return policy({{"user", role}})->rights_of({"user"})->to(resource_template(text)).visible;
  };
  const RoleText role{.allow = rules({"resource:docs://public/*"}), .deny = rules({"resource:docs://public/old/*"})};
  EXPECT_TRUE(sees(role, "docs://{+path}"));
  EXPECT_TRUE(sees(role, "docs://public/{name}"));
  EXPECT_FALSE(sees(role, "docs://secret/{name}"));
  EXPECT_FALSE(sees(role, "docs://public/old/{name}"));
  EXPECT_FALSE(sees({.allow = rules({"tool:*"})}, "docs://{+path}"));
}

TEST(RolePolicy, LooksAtWhatAToolSaysOfItself) {
  const auto readers = policy({{"reader", {.allow = {{.match = "tool:*", .read_only = true}}}}});
  EXPECT_TRUE(readers->rights_of({"reader"})->to(tool("look", true), "sums").visible);
  EXPECT_FALSE(readers->rights_of({"reader"})->to(tool("change", false), "sums").visible);
}

TEST(RolePolicy, LooksAtTheTagsOfATool) {
  const auto user = policy({{"user", {.allow = {{.match = "tool:*", .tag = "internal"}}}}});
  EXPECT_TRUE(user->rights_of({"user"})->to(tool("look", false, "internal"), "sums").visible);
  EXPECT_FALSE(user->rights_of({"user"})->to(tool("look", false, "intern"), "sums").visible);
  EXPECT_FALSE(user->rights_of({"user"})->may_call("look")) << "of one that is gone nobody knows the tags";
}

TEST(RolePolicy, LooksAtTheArgumentsOfACall) {
  const auto staging = OrderedJson::parse(R"({"properties":{"to":{"const":"staging"}},"required":["to"]})");
  const auto production = OrderedJson::parse(R"({"properties":{"to":{"const":"production"}},"required":["to"]})");
  const auto roles = policy({{"user", {.allow = {{.match = "tool:deploy", .arguments = staging}}}},
                             {"all", {.allow = rules({"tool:deploy"})}},
                             {"careful", {.deny = {{.match = "tool:deploy", .arguments = production}}}}});
  const auto answer = [&](const std::set<std::string>& names, const char* arguments) -> std::string {
    const auto access = roles->rights_of(names)->to(tool("deploy"), "sums");
    if (!access.visible) return "hidden";
    if (access.rule == nullptr) return "permitted";
    return access.rule->check(test::json_value(arguments)).value_or(CallRefusal{"permitted"}).words;
  };
  EXPECT_EQ(answer({"user"}, R"({"to":"staging"})"), "permitted");
  EXPECT_EQ(answer({"user"}, R"({"to":"production"})"),
            R"(with these arguments: "to" must be "staging", but is "production")");
  EXPECT_EQ(answer({"user", "all"}, R"({"to":"production"})"), "permitted");
  EXPECT_EQ(answer({"all", "careful"}, R"({"to":"production"})"), "with these arguments, which a rule denies");
  EXPECT_EQ(answer({"all", "careful"}, R"({"to":"staging"})"), "permitted");
  EXPECT_EQ(answer({"careful"}, R"({"to":"staging"})"), "hidden");
  // Some take names for the same that differ in case, and the last of them counts.
  const auto* const misspelt = R"(with the argument "TO", which a rule spells otherwise)";
  EXPECT_EQ(answer({"user"}, R"({"to":"staging","TO":"production"})"), misspelt);
  EXPECT_EQ(answer({"all", "careful"}, R"({"TO":"production"})"), misspelt);
  EXPECT_EQ(answer({"user"}, R"({"to":"staging","too":"production"})"), "permitted");
}

// Whoever serves the call may take the names that a client writes for those that the rule has.
TEST(RolePolicy, DeniesArgumentsHoweverTheCaseOfTheirNamesIs) {
  const auto is_denied = [](const char* schema, const char* arguments) {
    const RoleText role{.allow = rules({"*"}),
                        .deny = {{.match = "tool:run", .arguments = OrderedJson::parse(schema)}}};
    return policy({{"user", role}})
        ->rights_of({"user"})
        ->to(tool("run"), "sums")
        .rule->check(test::json_value(arguments))
        .has_value();
  };
  const auto* const forced = R"({"required":["force"]})";
  for (const auto* arguments :
       {R"({"force":1})", R"({"Force":1})", R"({"FOR\u0043E":1})", R"({"a":1,"force":2,"FORCE":1})"})
    EXPECT_TRUE(is_denied(forced, arguments)) << arguments;
  EXPECT_FALSE(is_denied(forced, R"({"forced":1,"in":{"Force":1}})"));
  const auto* const production =
      R"({"properties":{"target":{"properties":{"env":{"const":"production"}},"required":["env"]}},"required":["target"]})";
  EXPECT_TRUE(is_denied(production, R"({"target":{"Env":"production"}})"));
  EXPECT_TRUE(is_denied(production, R"({"Target":{"env":"production"}})"));
  EXPECT_FALSE(is_denied(production, R"({"target":{"env":"staging"},"Env":"production"})"));
}

// Whoever makes the arguments can make them so that looking at them takes too long.
TEST(RolePolicy, DeniesWhereItCannotBeFoundOutWhetherADenialIsAboutTheArguments) {
  const auto command = OrderedJson::parse(R"({"properties":{"command":{"pattern":"rm -rf"}},"required":["command"]})");
  const auto roles = policy({{"user", {.allow = rules({"tool:run"})}},
                             {"careful", {.deny = {{.match = "tool:run", .arguments = command}}}},
                             {"only", {.allow = {{.match = "tool:run", .arguments = command}}}}});
  const auto arguments = R"({"command":")" + std::string(3'000'000, 'r') + R"(m -rf /"})";
  const auto is_refused = [&](const std::set<std::string>& names) {
    const auto access = roles->rights_of(names)->to(tool("run"), "sums");
    return access.rule->check(test::json_value(arguments)).has_value();
  };
  EXPECT_TRUE(is_refused({"user", "careful"}));
  EXPECT_TRUE(is_refused({"only"}));
  const auto json = Json::parse(arguments);
  const Use use{.kind = Rule::Kind::tool, .name = "run", .tool = nullptr, .arguments = json};
  EXPECT_FALSE(roles->decide({"user", "careful"}, use).permitted);
}

TEST(RolePolicy, ExplainsThatAnyOfItsRulesSpellsAnArgumentOtherwise) {
  const auto staging = OrderedJson::parse(R"({"properties":{"to":{"const":"staging"}},"required":["to"]})");
  const auto forced = OrderedJson::parse(R"({"properties":{"force":true}})");
  const auto forbidden = OrderedJson::parse(R"({"required":["wipe"]})");
  const auto roles = policy({{"a", {.allow = {{.match = "tool:deploy", .arguments = forced}}}},
                             {"b", {.allow = {{.match = "tool:deploy", .arguments = staging}}}},
                             {"c", {.deny = {{.match = "tool:deploy", .arguments = forbidden}}}},
                             {"d", {.allow = rules({"tool:deploy"})}}});
  const auto deploy = tool("deploy");
  const auto decide = [&](const std::set<std::string>& names, const Json& arguments) {
    const auto rule = roles->rights_of(names)->to(deploy, "sums").rule;
    auto decision = roles->decide(names, {Rule::Kind::tool, "deploy", &deploy, arguments});
    EXPECT_EQ(decision.permitted, rule == nullptr || !rule->check(test::json_value(arguments))) << arguments;
    return decision;
  };
  const Json in_capitals{{"To", "staging"}};
  const auto by_another = decide({"a", "b"}, in_capitals);
  EXPECT_FALSE(by_another.permitted);
  EXPECT_EQ(by_another.role, "b");
  EXPECT_EQ(by_another.mismatch, R"(these arguments: "To" differs by its case from what the rule names)");
  EXPECT_TRUE(decide({"a"}, in_capitals).permitted);
  EXPECT_TRUE(decide({"a", "b", "d"}, in_capitals).permitted) << "one rule allows it whatever its arguments are";
  EXPECT_FALSE(decide({"b", "c", "d"}, in_capitals).permitted);
  const auto denied = decide({"a", "c"}, Json{{"Wipe", true}});
  EXPECT_TRUE(denied.by_denial);
  EXPECT_EQ(denied.mismatch, R"(these arguments: "Wipe" differs by its case from what the rule names)");
  EXPECT_EQ(decide({"a", "c"}, Json{{"wipe", true}}).mismatch, "");
}

TEST(RolePolicy, ExplainsWhyAResourceIsNotRead) {
  const auto roles = policy({{"user", {.allow = rules({"resource:*"}), .deny = rules({"resource:docs://a"})}}});
  const Json none = Json::object();
  const auto decide = [&](const char* uri) {
    auto decision = roles->decide({"user"}, {Rule::Kind::resource, uri, nullptr, none});
    EXPECT_EQ(decision.permitted, roles->rights_of({"user"})->may_read(uri)) << uri;
    return decision;
  };
  for (const auto* uri : {"docs://a", "docs://a/", "docs://a?x=1", "docs://%61#b"}) {
    const auto decision = decide(uri);
    EXPECT_TRUE(decision.by_denial) << uri;
    EXPECT_EQ(decision.pattern, "resource:docs://a") << uri;
  }
  for (const auto* uri : {"docs://b/../a", "https:/hr.example", "file:/a"}) {
    const auto decision = decide(uri);
    EXPECT_FALSE(decision.permitted) << uri;
    EXPECT_EQ(decision.role, "user") << uri;
    EXPECT_EQ(decision.mismatch, "a URI that may be taken for another one") << uri;
  }
  EXPECT_TRUE(decide("docs://b/a").permitted);
}

TEST(RolePolicy, FindsTheRolesOfAPrincipal) {
  const auto roles = policy({{"user", {}},
                             {"team", {.groups = {"engineering"}}},
                             {"writer", {.scopes = {"notes:write"}}},
                             {"boss", {.principals = {"test#ada"}}},
                             {"anonymous", {}}});
  EXPECT_THAT(roles->roles_of(test::principal("ada")), UnorderedElementsAre("boss"));
  EXPECT_THAT(roles->roles_of(anonymous), UnorderedElementsAre("anonymous"));
  const Principal bob({.issuer = "other",
                       .subject = "ada",
                       .groups = {"engineering"},
                       .claimed_roles = {"user", "unheard of"},
                       .scopes = {"notes:write"}});
  EXPECT_THAT(roles->roles_of(bob), UnorderedElementsAre("user", "team", "writer"));
}

TEST(RolePolicy, GivesTheUsersOfAnIssuerNoRoleThatIsWithheldFromIt) {
  const RoleText admin{.allow = rules({"tool:*"}),
                       .groups = {"admins"},
                       .scopes = {"admin"},
                       .principals = {"partner#ada"},
                       .issuers = {"partner"},
                       .withheld_from = {"partner"}};
  const auto roles = policy({{"admin", admin}, {"guest", {.groups = {"admins"}}}});
  const auto ada = [](const char* issuer) {
    return Principal(
        {.issuer = issuer, .subject = "ada", .groups = {"admins"}, .claimed_roles = {"admin"}, .scopes = {"admin"}});
  };
  EXPECT_THAT(roles->roles_of(ada("company")), UnorderedElementsAre("admin", "guest"));
  EXPECT_THAT(roles->roles_of(ada("partner")), UnorderedElementsAre("guest"));
  // Nor is it told of a scope that would not help.
  EXPECT_TRUE(roles->rights_of({"guest"}, true, "company")->to(tool("deploy"), "sums").visible);
  EXPECT_FALSE(roles->rights_of({"guest"}, true, "partner")->to(tool("deploy"), "sums").visible);
}

TEST(RolePolicy, GivesTheSameRightsForTheSameRoles) {
  const auto roles = policy({{"a", {}}, {"b", {}}});
  EXPECT_EQ(roles->rights_of({"a", "b"}), roles->rights_of({"b", "a"}));
  EXPECT_NE(roles->rights_of({"a"}), roles->rights_of({"b"}));
}

TEST(RolePolicy, RefusesWhatIsNoRule) {
  const auto mistake_in = [](const RuleText& text) {
    const auto rule = Rule::compile(text);
    return rule ? std::string("none") : rule.error().message;
  };
  for (const auto* pattern : {"", "calculate", "tool", "tool:", "tools:calculate", "Tool:a", "**"})
    EXPECT_THAT(mistake_in({.match = pattern}), HasSubstr("is no pattern of components")) << pattern;
  EXPECT_THAT(mistake_in({.match = "*", .read_only = true}), HasSubstr("must be about tools"));
  EXPECT_THAT(mistake_in({.match = "prompt:*", .tag = "internal"}), HasSubstr("must be about tools"));
  EXPECT_THAT(mistake_in({.match = "resource:*", .arguments = OrderedJson::object()}), HasSubstr("tools or prompts"));
  EXPECT_THAT(mistake_in({.match = "tool:a", .arguments = OrderedJson::parse(R"({"type":"number or so"})")}),
              HasSubstr("has a schema for arguments that is none"));
}

// 2026-07-28, basic/authorization, "Scope Challenge Handling".
TEST(RolePolicy, ShowsWhatAFurtherScopeWouldPermit) {
  const auto roles =
      policy({{"user", {.allow = rules({"tool:read"}), .scopes = {"use"}}},
              {"admin", {.allow = rules({"tool:*"}), .deny = rules({"tool:never"}), .scopes = {"admin"}}},
              {"staff", {.allow = rules({"tool:staff"}), .groups = {"staff"}}},
              {"held", {.deny = rules({"tool:drop"})}}});
  const auto lacks = [&](const std::set<std::string>& names, const char* name) -> std::string {
    const auto access = roles->rights_of(names, true)->to(tool(name), "sums");
    if (!access.visible) return "hidden";
    if (access.rule == nullptr) return "nothing";
    const auto refused = access.rule->check(test::json_value("{}"));
    return refused && refused->scopes.size() == 1 ? refused->scopes.front() : "?";
  };
  EXPECT_EQ(lacks({"user"}, "read"), "nothing");
  EXPECT_EQ(lacks({"user"}, "write"), "admin");
  EXPECT_EQ(lacks({"user", "admin"}, "write"), "nothing");
  // What would be denied all the same is not spoken of.
  EXPECT_EQ(lacks({"user"}, "never"), "hidden");
  EXPECT_EQ(lacks({"user", "held"}, "drop"), "hidden");
  // Nor is it to those who cannot get a scope.
  EXPECT_FALSE(roles->rights_of({"user"})->to(tool("write"), "sums").visible);
}

// The same, "Runtime Insufficient Scope Errors".
TEST(RolePolicy, NamesTheScopeThatGivesLeastBesides) {
  const auto roles = policy({{"admin", {.allow = rules({"tool:note_read", "*"}), .scopes = {"everything"}}},
                             {"callers", {.allow = rules({"tool:*", "prompt:*"}), .scopes = {"calls"}}},
                             {"notes", {.allow = rules({"tool:note_*"}), .scopes = {"notes"}}},
                             {"reader", {.allow = rules({"tool:note_read"}), .scopes = {"everything", "read"}}},
                             {"tools", {.allow = rules({"tool:*"}), .scopes = {"tools"}}}});
  const auto scope_for = [&](const char* name) {
    return roles->rights_of({}, true)->to(tool(name), "sums").rule->check(test::json_value("{}"))->scopes;
  };
  EXPECT_THAT(scope_for("note_read"), ElementsAre("read"));
  EXPECT_THAT(scope_for("note_write"), ElementsAre("notes"));
  EXPECT_THAT(scope_for("deploy"), ElementsAre("tools"));
}

TEST(RolePolicy, NamesAScopeOnlyWhereItWouldHelpWithTheArguments) {
  const auto to = [](const char* where) {
    return OrderedJson({{"properties", {{"to", {{"const", where}}}}}, {"required", {"to"}}});
  };
  const auto roles =
      policy({{"user",
               {.allow = {{.match = "tool:deploy", .arguments = to("staging")}},
                .deny = {{.match = "tool:deploy", .arguments = to("nowhere")}},
                .scopes = {"use"}}},
              {"tester", {.allow = {{.match = "tool:deploy", .arguments = to("test")}}, .scopes = {"test"}}}});
  const auto access = roles->rights_of({"user"}, true)->to(tool("deploy"), "sums");
  ASSERT_TRUE(access.visible && access.rule != nullptr);
  const auto scopes = [&](const char* where) {
    return access.rule->check(test::json_value(Json{{"to", where}})).value_or(CallRefusal{"none", {"none"}}).scopes;
  };
  EXPECT_THAT(scopes("staging"), ElementsAre("none"));
  EXPECT_THAT(scopes("test"), ElementsAre("test"));
  EXPECT_THAT(scopes("nowhere"), ElementsAre());
  EXPECT_THAT(scopes("production"), ElementsAre());
}

// What a scope would allow, and a rule of the same role denies with these arguments.
TEST(RolePolicy, RefusesWhatAFurtherScopeWouldNotPermitEither) {
  RoleText deployer{.allow = rules({"tool:deploy"}), .scopes = {"deploy"}};
  deployer.deny = {{.match = "tool:deploy",
                    .arguments = OrderedJson{{"properties", {{"env", {{"const", "prod"}}}}}, {"required", {"env"}}}}};
  const auto roles = policy({{"deployer", deployer}, {"user", {.allow = rules({"tool:look"})}}});
  const auto access = roles->rights_of({"user"}, true)->to(tool("deploy"), "sums");
  ASSERT_TRUE(access.visible);
  const auto denied = access.rule->check(test::json_value(Json{{"env", "prod"}}));
  ASSERT_TRUE(denied);
  EXPECT_EQ(denied->words, "with these arguments");
  EXPECT_TRUE(denied->scopes.empty());
  EXPECT_THAT(access.rule->check(test::json_value(Json{{"env", "test"}}))->scopes, ElementsAre("deploy"));
}

}  // namespace
}  // namespace mcph
