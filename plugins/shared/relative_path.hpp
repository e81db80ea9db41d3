// RelativePath: a path below a directory that cannot name anything above it. "." and ".." are resolved by the text
// alone, before the file system is asked, and ".." past the beginning is no path at all. An immutable value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plugins {

class RelativePath {
 public:
  // The directory itself.
  RelativePath() = default;

  // Nothing if `text` leads above the beginning, or contains a NUL. A leading "/" counts for nothing.
  static std::optional<RelativePath> parse(std::string_view text);

  bool is_empty() const { return components_.empty(); }
  const std::vector<std::string>& components() const { return components_; }

  // "a/b", or "." for the directory itself.
  std::string text() const;

  // The last component. Expects one.
  const std::string& name() const { return components_.back(); }
  // Without the last component. Expects one.
  RelativePath parent() const;
  RelativePath operator/(const std::string& name) const;
  RelativePath operator/(const RelativePath& rest) const;

  // What remains below `ancestor`, or nothing if this is not below it. A path is below itself.
  std::optional<RelativePath> below(const RelativePath& ancestor) const;

 private:
  std::vector<std::string> components_;
};

}  // namespace plugins
