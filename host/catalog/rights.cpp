#include "catalog/rights.hpp"

#include <utility>

namespace mcph {
namespace {

class CommonRule final : public CallRule {
 public:
  CommonRule(std::shared_ptr<const CallRule> some, std::shared_ptr<const CallRule> others)
      : some_(std::move(some)), others_(std::move(others)) {}

  std::optional<CallRefusal> check(JsonValue arguments) const override {
    auto refusal = some_->check(arguments);
    return refusal ? std::move(refusal) : others_->check(arguments);
  }

 private:
  const std::shared_ptr<const CallRule> some_;
  const std::shared_ptr<const CallRule> others_;
};

Access common_access(Access some, Access others) {
  if (!some.visible || !others.visible) return {};
  auto rule = some.rule == nullptr ? std::move(others.rule) : std::move(some.rule);
  if (others.rule != nullptr) rule = std::make_shared<const CommonRule>(std::move(rule), std::move(others.rule));
  return {.visible = true, .partial = some.partial || others.partial, .rule = std::move(rule)};
}

class CommonRights final : public Rights {
 public:
  CommonRights(std::shared_ptr<const Rights> some, std::shared_ptr<const Rights> others)
      : some_(std::move(some)), others_(std::move(others)) {}

  bool shows(const PluginIdentity& plugin) const override { return some_->shows(plugin) && others_->shows(plugin); }
  Access to(const Tool& tool, std::string_view plugin) const override {
    return common_access(some_->to(tool, plugin), others_->to(tool, plugin));
  }
  Access to(const Prompt& prompt) const override { return common_access(some_->to(prompt), others_->to(prompt)); }
  Access to(const Resource& resource) const override {
    return common_access(some_->to(resource), others_->to(resource));
  }
  Access to(const ResourceTemplate& resource_template) const override {
    return common_access(some_->to(resource_template), others_->to(resource_template));
  }
  bool may_read(std::string_view uri) const override { return some_->may_read(uri) && others_->may_read(uri); }
  bool may_call(std::string_view tool) const override { return some_->may_call(tool) && others_->may_call(tool); }

 private:
  const std::shared_ptr<const Rights> some_;
  const std::shared_ptr<const Rights> others_;
};

}  // namespace

std::shared_ptr<const Rights> common_rights(std::shared_ptr<const Rights> some, std::shared_ptr<const Rights> others) {
  if (some == nullptr || others == nullptr) return some == nullptr ? std::move(others) : std::move(some);
  return std::make_shared<const CommonRights>(std::move(some), std::move(others));
}

}  // namespace mcph
