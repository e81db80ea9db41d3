#include "files/settings.hpp"

#include <stdexcept>

namespace plugins::files {
namespace {

Root root_of(const RootSettings& settings) {
  const std::string about = "roots: \"" + settings.name + "\": ";
  if (settings.name.empty() || settings.name.find('/') != std::string::npos || settings.name.starts_with('.')) {
    throw std::invalid_argument(about + "a name is not empty, has no \"/\" and does not begin with \".\"");
  }
  const auto place = RelativePath::parse(settings.path);
  if (!settings.path.starts_with('/') || !place) {
    throw std::invalid_argument(about + "the path must be absolute, not \"" + settings.path + "\"");
  }
  return {settings.name, *place, RootedDirectory('/' + (place->is_empty() ? "" : place->text())), settings.writable};
}

}  // namespace

Roots roots_of(const Settings& settings) {
  Roots roots;
  for (const RootSettings& each : settings.roots.value_or(std::vector<RootSettings>())) {
    if (!roots.add(root_of(each))) throw std::invalid_argument("roots: the name \"" + each.name + "\" is given twice");
  }
  return roots;
}

std::uint64_t max_file_bytes_of(const Settings& settings) {
  if (settings.max_file_bytes < 1) throw std::invalid_argument("maxFileBytes must be at least 1");
  return static_cast<std::uint64_t>(settings.max_file_bytes);
}

}  // namespace plugins::files
