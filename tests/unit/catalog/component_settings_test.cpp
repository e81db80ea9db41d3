#include "catalog/component_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class ComponentSettingsTest : public ::testing::Test {
 protected:
  std::string refusal() const {
    const auto checked = check_settings(settings_, *components_);
    return checked.has_value() ? "accepted" : checked.error().message;
  }
  Components applied() const {
    return with_settings(*components_, std::make_shared<const ComponentSettings>(settings_));
  }
  static std::vector<std::string> names_of(const auto& components) {
    std::vector<std::string> names;
    for (const auto& each : components)
      names.push_back(component_name(each));
    return names;
  }

  const std::shared_ptr<const Components> components_ = test::components_of(R"({
      "tools": [{"name": "add", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}],
      "resources": [{"uri": "notes://all", "name": "all"}],
      "resourceTemplates": [{"uriTemplate": "notes://{name}", "name": "one"}],
      "prompts": [{"name": "review"}]})");
  const std::shared_ptr<const Price> price_ = std::make_shared<const Price>(Price{"https://example.com", "[]"});
  ComponentSettings settings_;
};

TEST_F(ComponentSettingsTest, AnAliasIsAComponentMore) {
  settings_.aliases = {{"sum", {"add"}}, {"check", {"review"}}, {"help://all", {"notes://all"}}};
  EXPECT_EQ(refusal(), "accepted");
  const auto with = applied();
  EXPECT_THAT(names_of(with.tools), ElementsAre("add", "sum"));
  EXPECT_EQ(with.tools[1].alias_of, "add");
  EXPECT_THAT(with.tools[1].json, HasSubstr(R"("name":"sum")"));
  EXPECT_THAT(names_of(with.prompts), ElementsAre("review", "check"));
  EXPECT_THAT(names_of(with.resources), ElementsAre("notes://all", "help://all"));
  EXPECT_EQ(with.resources[1].original_uri, "notes://all");
  EXPECT_THAT(aliases_in(with),
              ElementsAre(Pair("check", "review"), Pair("help://all", "notes://all"), Pair("sum", "add")));
  EXPECT_THAT(settings_.other_uris("notes://all"), ElementsAre("help://all"));
}

TEST_F(ComponentSettingsTest, ItMayTakeThePlaceOfWhatItIsAnAliasOf) {
  settings_.aliases = {{"sum", {"add", true}}, {"plus", {"add"}}};
  EXPECT_THAT(names_of(applied().tools), ElementsAre("plus", "sum"));
}

TEST_F(ComponentSettingsTest, WhatIsNotThereHasNoAlias) {
  settings_.aliases = {{"sum", {"ad"}}};
  EXPECT_THAT(refusal(), HasSubstr(R"(has no tool, prompt or resource "ad"; did you mean "add"?)"));
  EXPECT_THAT(names_of(applied().tools), ElementsAre("add"));
  settings_.aliases = {{"help://x", {"notes://{name}"}}};
  EXPECT_THAT(refusal(), HasSubstr("is a resource template"));
  settings_.aliases = {{"help://x", {"notes://later"}}};
  EXPECT_THAT(check_settings(settings_, *components_).value(), ElementsAre(HasSubstr("waits")));
}

TEST_F(ComponentSettingsTest, ItTakesNobodysName) {
  settings_.aliases = {{"add", {"add"}}};
  EXPECT_THAT(refusal(), HasSubstr("has \"add\" itself"));
  EXPECT_THAT(names_of(applied().tools), ElementsAre("add"));
}

TEST_F(ComponentSettingsTest, AnAliasCostsWhatItsToolCosts) {
  settings_.aliases = {{"sum", {"add"}}};
  settings_.prices = {{"add", price_}};
  const auto with = applied();
  EXPECT_EQ(with.tools[0].price, price_);
  EXPECT_EQ(with.tools[1].price, price_);
  EXPECT_THAT(with.tools[0].json, ::testing::Not(HasSubstr("outputSchema")));
  EXPECT_TRUE(with.tools[0].output_schema);
  settings_.prices = {{"sum", price_}};
  EXPECT_THAT(refusal(), HasSubstr(R"(give the price of "add", which counts for both)"));
  settings_.prices = {{"sub", price_}};
  EXPECT_THAT(refusal(), HasSubstr("the plugin has no such tool"));
}

TEST_F(ComponentSettingsTest, WithoutAnyNothingIsChanged) {
  EXPECT_THAT(aliases_in(applied()), IsEmpty());
  EXPECT_EQ(applied().settings, nullptr);
}

}  // namespace
}  // namespace mcph
