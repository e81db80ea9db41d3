// The upstreams of the configuration, beside the files of the components folder: each is looked at as a file would be
// that never changes, NAME.mcp.json in the folder of the configuration. A value but for what it decorates; any thread.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "sources/folder/components_folder.hpp"

namespace mcph {

class ConfiguredUpstreams {
 public:
  using ByName = std::map<std::string, std::string>;
  using ByFile = std::map<std::filesystem::path, std::string>;

  // From names to texts, which say what NAME.mcp.json would, and to the places where the configuration has them.
  // `folder` is that of the configuration.
  ConfiguredUpstreams(const std::filesystem::path& folder, const ByName& upstreams, const ByName& places);

  const ByFile& texts() const { return texts_; }
  const ByFile& places() const { return places_; }
  std::optional<PluginFile> find(const std::filesystem::path& file) const;

 private:
  ByFile texts_;
  ByFile places_;
};

class FolderWithUpstreams final : public ComponentsFolder {
 public:
  // Both outlive it.
  FolderWithUpstreams(ComponentsFolder& folder, const ConfiguredUpstreams& upstreams)
      : folder_(folder), upstreams_(upstreams) {}

  ScanResult scan() override;
  PluginFile look_at(const std::filesystem::path& file) override;

 private:
  ComponentsFolder& folder_;
  const ConfiguredUpstreams& upstreams_;
};

}  // namespace mcph
