#include "sources/upstream/upstream_names.hpp"

#include <algorithm>

namespace mcph {

Result<WrittenPattern> WrittenPattern::read(const std::string& text) {
  const auto pattern = ComponentPattern::read(text);
  if (pattern.has_error()) return pattern.error();
  return WrittenPattern{text, *pattern};
}

bool UpstreamNames::serves(ComponentPattern::Kind kind, std::string_view name) const {
  const auto matches = [&](const WrittenPattern& written) { return written.pattern.matches(kind, name); };
  return (include.empty() || std::ranges::any_of(include, matches)) && std::ranges::none_of(exclude, matches);
}

std::string UpstreamNames::name_here(std::string_view name) const {
  const auto found = rename.find(name);
  return found != rename.end() ? found->second : prefix + std::string(name);
}

}  // namespace mcph
