#include "files/path_completion.hpp"

#include <cstddef>

#include "shared/file_error.hpp"

namespace plugins::files {
namespace {

constexpr std::size_t max_values = 100;  // a client is told no more

// Without the "/" that the template has already.
std::string value_of(const Location& location) {
  return location.absolute_path().substr(1);
}

void add(mcp::Completion& completion, std::string value) {
  if (completion.values.size() == max_values) {
    completion.has_more = true;
  } else {
    completion.values.push_back(std::move(value));
  }
}

void add_roots(mcp::Completion& completion, const Roots& roots, std::string_view typed) {
  for (const Root& root : roots.all()) {
    const std::string value = value_of({&root, {}}) + '/';
    if (value.starts_with(typed) && value != typed) add(completion, value);
  }
}

void add_entries(mcp::Completion& completion, const Location& folder, std::string_view typed) {
  const auto add_entry = [&](const WalkedEntry& entry) {
    const bool is_folder = S_ISDIR(entry.status.st_mode);
    std::string value = value_of({folder.root, entry.path});
    if (value.starts_with(typed) && (is_folder || S_ISREG(entry.status.st_mode))) {
      add(completion, is_folder ? value + '/' : value);
    }
    return !completion.has_more;
  };
  if (folder.root->directory.walk(folder.path, {.max_depth = 1}, add_entry).any()) completion.has_more = true;
}

}  // namespace

mcp::Completion complete_path(const Roots& roots, std::string_view typed) {
  mcp::Completion completion;
  add_roots(completion, roots, typed);
  const auto last = typed.rfind('/');
  if (last == std::string_view::npos) return completion;
  try {
    add_entries(completion, roots.locate('/' + std::string(typed.substr(0, last))), typed);
  } catch (const PathError&) {
    // Outside of the roots.
  } catch (const FileError&) {
    // Not there, or no folder.
  }
  return completion;
}

}  // namespace plugins::files
