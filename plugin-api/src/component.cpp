#include <mcp/plugin/component.hpp>
#include <mcp/plugin/detail/json_text.hpp>

#include "registry.hpp"

namespace mcp::detail {

void set_title(Registry& registry, Metadata& metadata, std::string_view title) {
  registry.change([&] { metadata.title = title; });
}

void add_icon(Registry& registry, Metadata& metadata, std::string_view source, std::string_view mime_type,
              std::initializer_list<std::string_view> sizes) {
  ObjectText icon;
  icon.string("src", source).string_if("mimeType", mime_type);
  ArrayText list;
  for (const auto size : sizes)
    list.item(json_string(size));
  if (!list.empty()) icon.member("sizes", list.text());
  registry.change([&] { metadata.icons.push_back(icon.text()); });
}

void set_meta(Registry& registry, Metadata& metadata, const Json& meta) {
  std::string json = dump_json(meta);
  registry.change([&] { metadata.meta = std::move(json); });
}

}  // namespace mcp::detail
