// Which components an operator means: "tool:deploy*", "resource:docs://*", "prompt:*", or "*". A value; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace mcph {

class ComponentPattern {
 public:
  enum class Kind { any, tool, resource, prompt };

  // Everything.
  ComponentPattern() = default;
  static Result<ComponentPattern> read(std::string_view text);

  Kind kind() const { return kind_; }
  // How narrow it is: the characters that it fixes; all, where it has no wildcard; 0, where it matches everything.
  std::size_t precision() const;
  // `name` is the tool's or prompt's, or a resource's normalized URI.
  bool matches(Kind kind, std::string_view name) const;
  // The same for some of the resources whose normalized URIs begin so; and for all of them.
  bool matches_some(std::string_view beginning) const;
  bool matches_all(std::string_view beginning) const;

 private:
  Kind kind_ = Kind::any;
  std::string pattern_ = "*";
};

}  // namespace mcph
