#include "shared/relative_path.hpp"

#include <algorithm>
#include <cstddef>

namespace plugins {

std::optional<RelativePath> RelativePath::parse(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  RelativePath path;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('/'), text.size());
    const std::string_view component = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (component.empty() || component == ".") continue;
    if (component != "..") {
      path.components_.emplace_back(component);
    } else if (path.components_.empty()) {
      return std::nullopt;
    } else {
      path.components_.pop_back();
    }
  }
  return path;
}

std::string RelativePath::text() const {
  if (components_.empty()) return ".";
  std::string text;
  for (const std::string& component : components_) {
    if (!text.empty()) text += '/';
    text += component;
  }
  return text;
}

RelativePath RelativePath::parent() const {
  RelativePath path = *this;
  path.components_.pop_back();
  return path;
}

RelativePath RelativePath::operator/(const std::string& name) const {
  RelativePath path = *this;
  path.components_.push_back(name);
  return path;
}

RelativePath RelativePath::operator/(const RelativePath& rest) const {
  RelativePath path = *this;
  path.components_.insert(path.components_.end(), rest.components_.begin(), rest.components_.end());
  return path;
}

std::optional<RelativePath> RelativePath::below(const RelativePath& ancestor) const {
  const auto& above = ancestor.components_;
  if (above.size() > components_.size() || !std::equal(above.begin(), above.end(), components_.begin())) {
    return std::nullopt;
  }
  RelativePath rest;
  rest.components_.assign(components_.begin() + static_cast<std::ptrdiff_t>(above.size()), components_.end());
  return rest;
}

}  // namespace plugins
