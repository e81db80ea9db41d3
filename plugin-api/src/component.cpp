#include <algorithm>
#include <stdexcept>

#include <mcp/plugin/component.hpp>
#include <mcp/plugin/detail/json_text.hpp>

#include "metadata_text.hpp"
#include "registry.hpp"

namespace mcp::detail {

void set_title(Registry& registry, Metadata& metadata, std::string_view title) {
  registry.change([&] { metadata.title = title; });
}

void add_icon(Registry& registry, Metadata& metadata, const Icon& icon) {
  std::string json = icon_text(icon);
  registry.change([&] { metadata.icons.push_back(std::move(json)); });
}

void set_meta(Registry& registry, Metadata& metadata, const Json& meta) {
  std::string json = value_text(meta);
  registry.change([&] { metadata.meta = std::move(json); });
}

void add_tag(Registry& registry, Metadata& metadata, std::string_view tag) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  if (tag.empty() || tag.size() > 128 || !std::all_of(tag.begin(), tag.end(), is_allowed)) {
    throw std::invalid_argument('"' + metadata.name + "\": the tag \"" + std::string(tag) +
                                "\" is not 1 to 128 characters of A-Za-z0-9_.-");
  }
  registry.change([&] { metadata.tags.emplace_back(tag); });
}

}  // namespace mcp::detail
