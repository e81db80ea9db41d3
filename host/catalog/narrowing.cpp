#include "catalog/narrowing.hpp"

#include "catalog/components.hpp"
#include "plugin/plugin.hpp"

namespace mcph {

bool Narrowing::shows(const PluginIdentity& plugin) const {
  return wishes_.upstream.empty() || (plugin.is_upstream && plugin.name == wishes_.upstream);
}

Access Narrowing::to(const Tool& tool, std::string_view plugin) const {
  if (wishes_.excluded.contains(tool.name) || (wishes_.read_only && !tool.read_only)) return {};
  const bool all = wishes_.plugins.empty() && wishes_.tools.empty();
  return {.visible = all || wishes_.plugins.contains(plugin) || wishes_.tools.contains(tool.name)};
}

Access Narrowing::to(const Prompt& /*prompt*/) const {
  return {.visible = true};
}

Access Narrowing::to(const Resource& /*resource*/) const {
  return {.visible = true};
}

Access Narrowing::to(const ResourceTemplate& /*resource_template*/) const {
  return {.visible = true};
}

bool Narrowing::may_read(std::string_view /*uri*/) const {
  return true;
}

bool Narrowing::may_call(std::string_view tool) const {
  return !wishes_.excluded.contains(tool);
}

std::string_view upstream_for(const Principal& principal) {
  const auto& narrowing = principal.narrowing();
  return narrowing == nullptr ? std::string_view() : narrowing->wishes().upstream;
}

}  // namespace mcph
