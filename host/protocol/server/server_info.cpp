#include "protocol/server/server_info.hpp"

#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/relative_path.hpp"
#include "protocol/legacy/legacy_era.hpp"
#include "protocol/modern/modern_era.hpp"

namespace mcph {
namespace {

template <class Component, class Key>
OrderedJson keys(const std::vector<Component>& components, Key key) {
  auto list = OrderedJson::array();
  for (const auto& component : components)
    list.push_back(key(component));
  return list;
}

OrderedJson plugin_json(const ServedPlugin& served, const std::filesystem::path& root) {
  const auto& identity = served.plugin->identity();
  const auto& components = *served.components;
  const auto calls = served.plugin->status().calls;
  return {{"file", path_within(root, identity.file)},
          {"name", identity.name},
          {"version", identity.version},
          {"digest", identity.digest},
          {"calls", {{"total", calls.calls}, {"errors", calls.errors}, {"inFlight", calls.in_flight}}},
          {"components",
           {{"tools", keys(components.tools, [](const Tool& tool) { return tool.name; })},
            {"resources", keys(components.resources, [](const Resource& resource) { return resource.uri; })},
            {"resourceTemplates",
             keys(components.resource_templates,
                  [](const ResourceTemplate& entry) { return std::string(entry.uri_template.text()); })},
            {"prompts", keys(components.prompts, [](const Prompt& prompt) { return prompt.name; })}}}};
}

}  // namespace

std::string server_info_json(const ServerIdentity& identity, const Catalog& catalog, const std::filesystem::path& root,
                             const NamedLimits& limits, const NamedFeatures& features, std::chrono::seconds uptime) {
  // The oldest first, as plugins have always been told.
  const std::vector<std::string_view> legacy(LegacyEra::revisions.rbegin(), LegacyEra::revisions.rend());
  OrderedJson info{{"name", identity.name},
                   {"version", identity.version},
                   {"protocolVersions", {{"legacy", legacy}, {"modern", OrderedJson::array({ModernEra::revision})}}},
                   {"plugins", OrderedJson::array()},
                   {"limits", limits},
                   {"features", features},
                   {"uptimeSeconds", uptime.count()}};
  for (const auto& served : catalog.plugins())
    info["plugins"].push_back(plugin_json(served, root));
  return dump(info);
}

std::string KeptServerInfo::text(std::uint64_t generation, Time now, const std::function<std::string()>& make) {
  const MutexLock lock(mutex_);
  if (generation_ != generation || now - made_ >= max_age) {
    text_ = make();
    generation_ = generation;
    made_ = now;
  }
  return text_;
}

}  // namespace mcph
