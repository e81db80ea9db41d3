#include "sources/upstream/configured_upstreams.hpp"

#include <algorithm>

#include "base/absolute_path.hpp"

namespace mcph {

ConfiguredUpstreams::ConfiguredUpstreams(const std::filesystem::path& folder, const ByName& upstreams,
                                         const ByName& places) {
  for (const auto& [name, text] : upstreams) {
    const auto file = absolute_path(folder / (name + std::string(upstream_ending))).lexically_normal();
    texts_.emplace(file, text);
    if (const auto place = places.find(name); place != places.end()) places_.emplace(file, place->second);
  }
}

std::optional<PluginFile> ConfiguredUpstreams::find(const std::filesystem::path& file) const {
  const auto found = texts_.find(file);
  if (found == texts_.end()) return std::nullopt;
  return PluginFile{.file = file, .identity = {.size = found->second.size()}, .is_configured = true};
}

ScanResult FolderWithUpstreams::scan() {
  auto result = folder_.scan();
  for (const auto& [file, text] : upstreams_.texts())
    result.plugins.push_back(*upstreams_.find(file));
  std::ranges::sort(result.plugins, {}, &PluginFile::file);
  return result;
}

PluginFile FolderWithUpstreams::look_at(const std::filesystem::path& file) {
  const auto configured = upstreams_.find(file);
  return configured ? *configured : folder_.look_at(file);
}

}  // namespace mcph
