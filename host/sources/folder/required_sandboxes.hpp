// Which plugin files have had a configuration that says of their sandbox that it is required. When such a configuration
// is gone, nothing is left in the components folder that says so, and its plugin must not run without. A configuration
// that says otherwise ends it, and nothing else: not that the library goes and comes back, and not that the host ends,
// because there is a folder with an empty file for each of them, named by the digest of its path. Owned by the
// loader, and used under its mutex. Several hosts may share the folder.
#pragma once

#include <filesystem>
#include <set>

#include "base/result.hpp"

namespace mcph {

class RequiredSandboxes {
 public:
  // The folder is made when there is something to remember. Without one, it is remembered as long as this object lives.
  explicit RequiredSandboxes(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // An error where the folder cannot be read, so that nobody knows; it may pass.
  Result<bool> contains(const std::filesystem::path& plugin_file) const;

  // What the configuration of the file says. An error says what cannot be kept in the folder, each time until it can;
  // until the end of this object it is known all the same.
  Result<> set(const std::filesystem::path& plugin_file, bool required);

 private:
  std::filesystem::path kept_at(const std::filesystem::path& plugin_file) const;
  Result<> keep(const std::filesystem::path& plugin_file) const;

  const std::filesystem::path folder_;
  std::set<std::filesystem::path> known_;
};

}  // namespace mcph
