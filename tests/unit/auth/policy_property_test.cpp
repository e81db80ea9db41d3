// What is listed is what can be called, read and got: random roles and components, and each use judged by the rights,
// by the view of the catalog, by the decision that is explained, and by an evaluator that does no more than the rules
// say.
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "auth/policy.hpp"
#include "catalog/catalog.hpp"
#include "protocol/calls/component_calls.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using Random = std::mt19937;

// A word of so few letters that words and patterns often meet.
std::string word(Random& random) {
  std::string text;
  for (auto length = 1 + random() % 3; length > 0; --length)
    text += "ab"[random() % 2];
  return text;
}

std::string pattern(Random& random) {
  std::string text;
  for (auto length = 1 + random() % 4; length > 0; --length)
    text += "ab*"[random() % 3];
  return text;
}

OrderedJson random_arguments(Random& random) {
  if (random() % 3 == 0) return OrderedJson{{"required", {"n"}}};
  return OrderedJson{{"properties", {{"n", {{random() % 2 == 0 ? "minimum" : "maximum", random() % 3}}}}}};
}

RuleText random_rule(Random& random) {
  switch (random() % 5) {
    case 0:
      return {.match = random() % 4 == 0 ? "*" : "prompt:" + pattern(random)};
    case 1:
      return {.match = "resource:x://" + pattern(random)};
    default:
      break;
  }
  RuleText rule{.match = "tool:" + pattern(random)};
  if (random() % 3 == 0) rule.read_only = random() % 2 == 0;
  if (random() % 3 == 0) rule.tag = random() % 2 == 0 ? "a" : "b";
  if (random() % 3 == 0) rule.arguments = random_arguments(random);
  return rule;
}

RoleTexts random_roles(Random& random) {
  RoleTexts roles;
  for (const auto* name : {"one", "two", "three"}) {
    auto& role = roles[name];
    for (auto count = random() % 4; count > 0; --count)
      role.allow.push_back(random_rule(random));
    for (auto count = random() % 3; count > 0; --count)
      role.deny.push_back(random_rule(random));
  }
  return roles;
}

// Three tools, prompts and resources, some of the tools read-only, some with tags.
std::string random_document(Random& random) {
  std::set<std::string> tools, prompts, resources;
  while (tools.size() < 3)
    tools.insert(word(random));
  while (prompts.size() < 3)
    prompts.insert(word(random));
  while (resources.size() < 3)
    resources.insert(word(random));
  std::string document = R"({"tools":[)";
  for (const auto& name : tools) {
    document.append(R"({"name":")" + name + R"(","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":)" +
                    (random() % 2 == 0 ? "true" : "false") + R"(},"_meta":{"mcp-plugin-host/tags":)" +
                    std::vector<std::string>{"[]", R"(["a"])", R"(["b","a"])"}.at(random() % 3) + "}},");
  }
  document.back() = ']';
  document.append(R"(,"prompts":[)");
  for (const auto& name : prompts)
    document.append(R"({"name":")" + name + R"("},)");
  document.back() = ']';
  document.append(R"(,"resources":[)");
  for (const auto& name : resources)
    document.append(R"({"name":"r","uri":"x://)" + name + R"("},)");
  document.back() = ']';
  return document + "}";
}

// One by the name that all rules have that ask for any, and one whose name differs from that by its case.
struct CallArguments {
  std::optional<int> n = {};
  bool has_misspelt = false;

  Json json() const {
    auto members = Json::object();
    if (n) members["n"] = *n;
    if (has_misspelt) members["N"] = 1;
    return members;
  }
};

// What the rules say, by their definition and nothing else.
class NaiveEvaluator {
 public:
  NaiveEvaluator(const RoleTexts& roles, const std::set<std::string>& had) : roles_(roles), had_(had) {}

  // `arguments`: null where it is asked whether any would do.
  bool may(const std::string& kind, const std::string& name, const Tool* tool, const CallArguments* arguments) const {
    bool allowed = false;
    bool always = false;
    bool asks = false;
    for (const auto& role : had_) {
      for (const auto& rule : roles_.at(role).deny) {
        if (!is_about(rule, kind, name, tool)) continue;
        if (!rule.arguments || (arguments != nullptr && fits(rule, *arguments))) return false;
        asks = true;
      }
      for (const auto& rule : roles_.at(role).allow) {
        if (!is_about(rule, kind, name, tool)) continue;
        always = always || !rule.arguments;
        allowed = allowed || arguments == nullptr || fits(rule, *arguments);
      }
    }
    // No argument counts where nothing is denied by one and everything allowed without one.
    if (arguments != nullptr && arguments->has_misspelt && (asks || !always)) return false;
    return allowed;
  }

 private:
  static bool matches(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return text.empty();
    if (pattern.front() != '*')
      return !text.empty() && pattern.front() == text.front() && matches(pattern.substr(1), text.substr(1));
    return matches(pattern.substr(1), text) || (!text.empty() && matches(pattern, text.substr(1)));
  }
  static bool is_about(const RuleText& rule, const std::string& kind, const std::string& name, const Tool* tool) {
    if (rule.match == "*") return true;
    const auto colon = rule.match.find(':');
    return rule.match.substr(0, colon) == kind && matches(std::string_view(rule.match).substr(colon + 1), name) &&
           (!rule.read_only || *rule.read_only == tool->read_only) &&
           (rule.tag.empty() || tool->tags.contains(rule.tag));
  }
  static bool fits(const RuleText& rule, const CallArguments& arguments) {
    if (!rule.arguments) return true;
    if (rule.arguments->contains("required")) return arguments.n.has_value();
    if (!arguments.n) return true;
    const auto& bounds = (*rule.arguments)["properties"]["n"];
    return bounds.contains("minimum") ? *arguments.n >= bounds["minimum"].get<int>()
                                      : *arguments.n <= bounds["maximum"].get<int>();
  }

  const RoleTexts& roles_;
  const std::set<std::string>& had_;
};

class PolicyProperty : public ::testing::Test {
 protected:
  void judge(const Catalog& all, const RoleTexts& texts, const RolePolicy& policy, const std::set<std::string>& roles) {
    const NaiveEvaluator naive(texts, roles);
    const Catalog view(all, policy.rights_of(roles));
    const auto& components = *all.plugins().front().components;
    for (const auto& tool : components.tools) {
      const bool visible = naive.may("tool", tool.name, &tool, nullptr);
      EXPECT_EQ(view.find_tool(tool.name) != nullptr, visible);
      for (const auto& given : calls_) {
        const auto arguments = given.json();
        const bool may = visible && naive.may("tool", tool.name, &tool, &given);
        EXPECT_EQ(
            plan_call(PluginMethod::tools_call, view, Json{{"name", tool.name}, {"arguments", arguments}}).has_value(),
            may)
            << tool.name << arguments;
        EXPECT_EQ(policy.decide(roles, {Rule::Kind::tool, tool.name, &tool, arguments}).permitted, may)
            << tool.name << arguments;
        cases_ += 2;
      }
      ++cases_;
    }
    const Json none = Json::object();
    for (const auto& prompt : components.prompts) {
      const bool may = naive.may("prompt", prompt.name, nullptr, nullptr);
      EXPECT_EQ(view.find_prompt(prompt.name) != nullptr, may);
      EXPECT_EQ(plan_call(PluginMethod::prompts_get, view, Json{{"name", prompt.name}}).has_value(), may);
      EXPECT_EQ(policy.decide(roles, {Rule::Kind::prompt, prompt.name, nullptr, none}).permitted, may);
      cases_ += 3;
    }
    for (const auto& resource : components.resources) {
      const bool may = naive.may("resource", resource.uri, nullptr, nullptr);
      EXPECT_EQ(view.find_resource(resource.uri) != nullptr, may) << resource.uri;
      EXPECT_EQ(view.may_read(resource.uri), may);
      EXPECT_EQ(plan_call(PluginMethod::resources_read, view, Json{{"uri", resource.uri}}).has_value(), may);
      EXPECT_EQ(policy.decide(roles, {Rule::Kind::resource, resource.uri, nullptr, none}).permitted, may);
      for (const auto* end : {"/", "?a", "//", "/.."}) {
        const auto uri = resource.uri + end;
        EXPECT_EQ(policy.decide(roles, {Rule::Kind::resource, uri, nullptr, none}).permitted, view.may_read(uri))
            << uri;
      }
      cases_ += 8;
    }
  }

  const std::vector<CallArguments> calls_{{}, {.n = 0}, {.n = 1}, {.n = 2}, {.has_misspelt = true}, {1, true}};
  int cases_ = 0;
};

TEST_F(PolicyProperty, ListsWhatCanBeUsed) {
  constexpr int enough = 1'000'000;
  Random random(20260728);
  while (cases_ < enough && !HasFailure()) {
    const Catalog all(1, {test::served_plugin("a.so", random_document(random))});
    const auto texts = random_roles(random);
    const auto policy = RolePolicy::compile(texts);
    ASSERT_TRUE(policy) << policy.error().message;
    for (const auto& roles : std::vector<std::set<std::string>>{{"one"}, {"one", "two"}, {"one", "two", "three"}, {}})
      judge(all, texts, **policy, roles);
  }
  RecordProperty("cases", cases_);
}

}  // namespace
}  // namespace mcph
