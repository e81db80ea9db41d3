#include "sources/upstream/upstream_names.hpp"

#include <algorithm>

namespace mcph {

bool UpstreamNames::serves(ComponentPattern::Kind kind, std::string_view name) const {
  const auto matches = [&](const ComponentPattern& pattern) { return pattern.matches(kind, name); };
  return (include.empty() || std::ranges::any_of(include, matches)) && std::ranges::none_of(exclude, matches);
}

std::string UpstreamNames::name_here(std::string_view name) const {
  const auto found = rename.find(name);
  return found != rename.end() ? found->second : prefix + std::string(name);
}

}  // namespace mcph
