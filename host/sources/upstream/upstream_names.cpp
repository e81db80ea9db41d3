#include "sources/upstream/upstream_names.hpp"

#include <algorithm>

#include "base/uri.hpp"
#include "plugin/names.hpp"

namespace mcph {

Result<WrittenPattern> WrittenPattern::read(const std::string& text) {
  const auto pattern = ComponentPattern::read(text);
  if (pattern.has_error()) return pattern.error();
  return WrittenPattern{text, *pattern};
}

namespace {

bool is_among(const std::vector<WrittenPattern>& patterns, ComponentPattern::Kind kind, std::string_view name) {
  std::string storage;
  if (kind == ComponentPattern::Kind::resource) name = normalized_uri(name, storage);
  return std::ranges::any_of(patterns, [&](const auto& each) { return each.pattern.matches(kind, name); });
}

}  // namespace

bool UpstreamNames::serves(ComponentPattern::Kind kind, std::string_view name) const {
  return (include.empty() || is_among(include, kind, name)) && !excludes(kind, name);
}

bool UpstreamNames::excludes(ComponentPattern::Kind kind, std::string_view name) const {
  return is_among(exclude, kind, name);
}

std::string UpstreamNames::name_here(ComponentPattern::Kind kind, std::string_view name) const {
  const auto found = rename.find(name);
  if (found != rename.end()) return found->second;
  auto here = prefix + std::string(name);
  const auto is_faulty = [](char c) { return !is_component_name({&c, 1}); };
  if (kind == ComponentPattern::Kind::tool) std::ranges::replace_if(here, is_faulty, '_');
  return here;
}

}  // namespace mcph
