#include "files/listing.hpp"

#include <algorithm>
#include <cerrno>

#include "files/glob.hpp"
#include "shared/text.hpp"

namespace plugins::files {
namespace {

EntryType type_of(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return EntryType::file;
  if (S_ISDIR(status.st_mode)) return EntryType::folder;
  if (S_ISLNK(status.st_mode)) return EntryType::link;
  return EntryType::other;
}

Entry entry_of(const Location& location, const struct stat& status) {
  Entry entry{location.absolute_path(), type_of(status), std::nullopt, utc_text(status.st_mtim.tv_sec)};
  if (entry.type == EntryType::file) entry.size = status.st_size;
  return entry;
}

bool is_hidden(const RelativePath& below) {
  return std::ranges::any_of(below.components(), [](const std::string& name) { return name.starts_with('.'); });
}

// Whether the entry is one that was asked for. `folder` is where the list begins.
bool is_wanted(const RelativePath& path, const RelativePath& folder, const ListQuery& query) {
  const auto below = path.below(folder);
  if (!query.show_hidden && is_hidden(*below)) return false;
  if (!query.pattern) return true;
  const bool is_about_path = query.pattern->find('/') != std::string::npos;
  return glob_matches(*query.pattern, is_about_path ? below->text() : path.name());
}

}  // namespace

Listing list_roots(const Roots& roots) {
  Listing listing;
  for (const Root& root : roots.all()) {
    struct stat status {};
    if (::stat(root.directory.path().c_str(), &status) == 0) {
      listing.entries.push_back(entry_of({&root, {}}, status));
    } else {
      const bool missing = errno == ENOENT || errno == ENOTDIR;
      listing.entries.push_back({root.directory.path(), missing ? EntryType::missing : EntryType::other});
    }
  }
  return listing;
}

Listing list_folder(const Location& folder, const ListQuery& query, const mcp::Context& context) {
  Listing listing;
  const auto limit = static_cast<std::size_t>(std::clamp(query.limit, 1, max_list_entries));
  const auto add = [&](const WalkedEntry& entry) {
    context.throw_if_cancelled();
    if (!is_wanted(entry.path, folder.path, query)) return true;
    if (listing.entries.size() == limit) {
      listing.complete = false;
      return false;
    }
    listing.entries.push_back(entry_of({folder.root, entry.path}, entry.status));
    return true;
  };
  const WalkLimits limits{.max_depth = query.recursive ? max_list_depth : std::clamp(query.depth, 1, max_list_depth)};
  if (folder.root->directory.walk(folder.path, limits, add).any()) listing.complete = false;
  return listing;
}

}  // namespace plugins::files
