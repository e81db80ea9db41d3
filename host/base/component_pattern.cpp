#include "base/component_pattern.hpp"

#include <algorithm>
#include <iterator>

#include "base/uri.hpp"
#include "base/wildcard.hpp"

namespace mcph {
namespace {

struct KindName {
  std::string_view name;
  ComponentPattern::Kind kind;
};
constexpr KindName kinds[] = {{"tool", ComponentPattern::Kind::tool},
                              {"resource", ComponentPattern::Kind::resource},
                              {"prompt", ComponentPattern::Kind::prompt}};

}  // namespace

Result<ComponentPattern> ComponentPattern::read(std::string_view text) {
  ComponentPattern read;
  if (text == "*") return read;
  const auto colon = text.find(':');
  const auto* const found = std::ranges::find(kinds, text.substr(0, colon), &KindName::name);
  if (colon == std::string_view::npos || found == std::end(kinds) || colon + 1 == text.size()) {
    return fail("is no pattern of components; write tool:calculate, tool:read_*, resource:docs://*, prompt:* or *");
  }
  read.kind_ = found->kind;
  read.pattern_ = text.substr(colon + 1);
  if (read.kind_ == Kind::resource) read.pattern_ = normalized_uri(read.pattern_);
  return read;
}

std::size_t ComponentPattern::precision() const {
  if (kind_ == Kind::any) return 0;
  const auto wildcards = std::ranges::count(pattern_, wildcard);
  return wildcards == 0 ? std::string::npos : 1 + pattern_.size() - static_cast<std::size_t>(wildcards);
}

bool ComponentPattern::matches(Kind kind, std::string_view name) const {
  return (kind_ == Kind::any || kind_ == kind) && matches_wildcard(pattern_, name);
}

bool ComponentPattern::matches_some(std::string_view beginning) const {
  if (kind_ != Kind::any && kind_ != Kind::resource) return false;
  const auto fixed = std::string_view(pattern_).substr(0, pattern_.find(wildcard));
  return beginning.starts_with(fixed) || fixed.starts_with(beginning);
}

bool ComponentPattern::matches_all(std::string_view beginning) const {
  if (kind_ != Kind::any && kind_ != Kind::resource) return false;
  return pattern_.back() == wildcard && matches_wildcard(pattern_, beginning);
}

}  // namespace mcph
