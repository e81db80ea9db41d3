#include "sources/folder/required_sandboxes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>

#include "base/absolute_path.hpp"
#include "base/regular_file.hpp"
#include "base/sha256.hpp"
#include "sources/folder/component_scan.hpp"

namespace mcph {

namespace fs = std::filesystem;

Result<bool> RequiredSandboxes::contains(const fs::path& plugin_file) const {
  if (known_.contains(plugin_file)) return true;
  if (folder_.empty()) return false;
  std::error_code error;
  const bool is_kept = fs::exists(kept_at(plugin_file), error);
  if (!error) return is_kept;
  return fail_for_now("whether its sandbox was \"required\" cannot be read in " + folder_.string() + ": " +
                      error.message() + "; let the host read that folder, or write {} into " +
                      configuration_file(plugin_file).string() + " to run the plugin without a required sandbox");
}

Result<> RequiredSandboxes::set(const fs::path& plugin_file, bool required) {
  if (required) {
    known_.insert(plugin_file);
    return folder_.empty() ? Result<>() : keep(plugin_file);
  }
  known_.erase(plugin_file);
  if (folder_.empty()) return {};
  std::error_code error;
  fs::remove(kept_at(plugin_file), error);
  if (error) return fail(kept_at(plugin_file).string() + " cannot be removed: " + error.message());
  return {};
}

// By its path as the operator knows it, because that is what the next version and the next host have in common. Not by
// the path itself, which may be longer than a name.
fs::path RequiredSandboxes::kept_at(const fs::path& plugin_file) const {
  const auto path = absolute_path(plugin_file).lexically_normal().native();
  Sha256 digest;
  digest.add(path.data(), path.size());
  return folder_ / digest.hex();
}

Result<> RequiredSandboxes::keep(const fs::path& plugin_file) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return fail(folder_.string() + " cannot be made: " + error.message());
  const auto file = kept_at(plugin_file);
  // Whoever has a lease of it is not waited for.
  if (open_file(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR)) return {};
  return fail(file.string() + " cannot be written: " + last_error());
}

}  // namespace mcph
