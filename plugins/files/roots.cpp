#include "files/roots.hpp"

#include <algorithm>
#include <utility>

#include "shared/text.hpp"

namespace plugins::files {
namespace {

std::string names_of(const std::vector<Root>& roots) {
  std::string names;
  for (const Root& root : roots) {
    if (!names.empty()) names += ", ";
    names += root.name + " (" + root.directory.path() + ')';
  }
  return names;
}

}  // namespace

std::string Location::absolute_path() const {
  const std::string& folder = root->directory.path();
  if (path.is_empty()) return folder;
  return (folder == "/" ? "" : folder) + '/' + path.text();
}

PathError::PathError(std::string_view path, std::string_view reason)
    : mcp::ToolError('"' + std::string(path) + "\" " + std::string(reason)) {}

bool Roots::add(Root root) {
  const auto same = [&](const Root& other) { return other.name == root.name; };
  if (std::any_of(roots_.begin(), roots_.end(), same)) return false;
  roots_.push_back(std::move(root));
  return true;
}

Location Roots::locate(std::string_view path) const {
  if (path.find('\0') != std::string_view::npos) throw PathError("", "is no path: it contains a NUL");
  return path.starts_with('/') ? locate_absolute(path) : locate_by_name(path);
}

Location Roots::locate_absolute(std::string_view path) const {
  const auto place = RelativePath::parse(path);
  auto innermost = place ? innermost_at(*place) : std::nullopt;
  if (!innermost) throw PathError(path, "is outside of the folders that may be used: " + names_of(roots_));
  return *std::move(innermost);
}

Location Roots::locate_by_name(std::string_view path) const {
  const std::string_view name = path.substr(0, path.find('/'));
  const auto root = std::find_if(roots_.begin(), roots_.end(), [name](const Root& each) { return each.name == name; });
  if (root == roots_.end()) {
    throw PathError(path, "must be an absolute path or begin with the name of a root: " + names_of(roots_));
  }
  auto below = RelativePath::parse(path.substr(name.size()));
  if (!below) throw PathError(path, "leads out of its root through \"..\"");
  Location named{&*root, *std::move(below)};
  auto innermost = innermost_at(root->place / named.path);
  // Of roots at the same place, it is the one that was named.
  const bool is_deeper = innermost && innermost->path.components().size() < named.path.components().size();
  return is_deeper ? *std::move(innermost) : named;
}

std::optional<Location> Roots::innermost_at(const RelativePath& place) const {
  std::optional<Location> innermost;
  for (const Root& root : roots_) {
    auto below = place.below(root.place);
    if (below && (!innermost || below->components().size() < innermost->path.components().size())) {
      innermost = Location{&root, *std::move(below)};
    }
  }
  return innermost;
}

std::string file_uri(const Location& location) {
  return "file://" + percent_encoded_path(location.absolute_path());
}

}  // namespace plugins::files
