#include "files/file_access.hpp"

#include <algorithm>

namespace plugins::files {
namespace {

// Runs `use`, with the path in front of what goes wrong.
template <class Use>
auto about(std::string_view path, const Use& use, std::string_view if_not_found = {}) {
  try {
    return use();
  } catch (const FileError& error) {
    if (!error.is_not_found()) throw PathError(path, error.what());
    throw FileNotFound(path, if_not_found.empty() ? error.what() : if_not_found);
  }
}

}  // namespace

FileAccess::File FileAccess::read(std::string_view path, std::optional<std::int64_t> max_size) const {
  Location location = roots_.locate(path);
  const auto limit = max_size
                         ? std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(*max_size, 0)), max_file_bytes_)
                         : max_file_bytes_;
  std::string content = about(path, [&] { return location.root->directory.read(location.path, limit); });
  return {std::move(location), std::move(content)};
}

Location FileAccess::write(std::string_view path, std::string_view content, Folders folders) const {
  Location location = locate_writable(path);
  require_size(path, content);
  const RootedDirectory& directory = location.root->directory;
  about(
      path,
      [&] {
        if (folders == Folders::are_made && !location.path.is_empty()) directory.make_folders(location.path.parent());
        directory.write(location.path, content);
      },
      "is in a folder that does not exist: create_folders makes it");
  return location;
}

Location FileAccess::append(std::string_view path, std::string_view content, Folders folders) const {
  Location location = locate_writable(path);
  require_size(path, content);
  const RootedDirectory& directory = location.root->directory;
  about(
      path,
      [&] {
        if (folders == Folders::are_made && !location.path.is_empty()) directory.make_folders(location.path.parent());
        directory.append(location.path, content, max_file_bytes_);
      },
      "is in a folder that does not exist");
  return location;
}

Listing FileAccess::list(const ListQuery& query, const mcp::Context& context) const {
  if (!query.path) return list_roots(roots_);
  const Location folder = roots_.locate(*query.path);
  return about(*query.path, [&] { return list_folder(folder, query, context); });
}

Location FileAccess::locate_writable(std::string_view path) const {
  Location location = roots_.locate(path);
  if (!location.root->writable) {
    throw PathError(path, "is below the root \"" + location.root->name + "\", which is read-only");
  }
  return location;
}

void FileAccess::require_size(std::string_view path, std::string_view content) const {
  if (content.size() <= max_file_bytes_) return;
  throw PathError(
      path, "would have " + std::to_string(content.size()) + " bytes; the limit is " + std::to_string(max_file_bytes_));
}

}  // namespace plugins::files
