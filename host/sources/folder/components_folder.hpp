// What a folder's source needs of the world: the folder itself. The control thread.
#pragma once

#include <filesystem>
#include <utility>

#include "sources/folder/component_scan.hpp"

namespace mcph {

class ComponentsFolder {
 public:
  virtual ~ComponentsFolder() = default;
  virtual ScanResult scan() = 0;
  // The file as a scan would find it now.
  virtual PluginFile look_at(const std::filesystem::path& file) = 0;
};

class DiskFolder final : public ComponentsFolder {
 public:
  explicit DiskFolder(std::filesystem::path root) : root_(std::move(root)) {}
  ScanResult scan() override { return scan_components(root_); }
  PluginFile look_at(const std::filesystem::path& file) override { return plugin_file_at(file); }

 private:
  const std::filesystem::path root_;
};

}  // namespace mcph
