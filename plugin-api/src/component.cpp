#include <mcp/plugin/component.hpp>

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
  std::string json = dump_json(meta);
  registry.change([&] { metadata.meta = std::move(json); });
}

}  // namespace mcp::detail
