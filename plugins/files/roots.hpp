// Roots: the folders that this plugin may use, and where in them a path leads. Filled in setup and never changed after,
// so any number of threads may ask.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin/error.hpp>

#include "shared/relative_path.hpp"
#include "shared/rooted_directory.hpp"

namespace plugins::files {

struct Root {
  std::string name;
  RelativePath place;  // below "/"
  RootedDirectory directory;
  bool writable;
};

// A file or folder below a root. Lives no longer than the Roots that it came from.
struct Location {
  const Root* root;
  RelativePath path;

  std::string absolute_path() const;
};

// The path is none that this plugin serves, or cannot be used; what() begins with the path as it was given.
class PathError : public mcp::ToolError {
 public:
  PathError(std::string_view path, std::string_view reason);
};

class Roots {
 public:
  // False if there is one with this name.
  bool add(Root root);

  const std::vector<Root>& all() const { return roots_; }

  // `path` is absolute or begins with the name of a root. Where roots lie in one another, the innermost has the path,
  // whichever of them it names. Looks at text only; what is there, using it finds out: a symbolic link in an outer root
  // that leads into an inner one is followed as the outer root allows. Throws PathError.
  Location locate(std::string_view path) const;

 private:
  Location locate_absolute(std::string_view path) const;
  Location locate_by_name(std::string_view path) const;
  // `place` is below "/". Nothing if no root has it.
  std::optional<Location> innermost_at(const RelativePath& place) const;

  std::vector<Root> roots_;
};

// file:///srv/docs/a%20b.md
std::string file_uri(const Location& location);

}  // namespace plugins::files
