// The stores of all plugins, each a file in one folder, named after the place of the plugin's file. Owned by who
// assembles the program; outlived by the stores that it has given, but not by the log. Any thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/mutex.hpp"
#include "stores/file_store.hpp"

namespace mcph {

class FileStores final : public PluginStores {
 public:
  // The folder is made when something is kept.
  FileStores(std::filesystem::path folder, Log& log) : folder_(std::move(folder)), log_(log) {}

  std::shared_ptr<PluginStore> open(const std::string& plugin, const StoreLimits& limits) override;

 private:
  const std::filesystem::path folder_;
  Log& log_;
  Mutex mutex_;
  std::map<std::string, std::weak_ptr<FileStore>> open_ GUARDED_BY(mutex_);
};

}  // namespace mcph
