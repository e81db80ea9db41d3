#include "metadata_text.hpp"

#include <mcp/plugin/detail/json_text.hpp>

namespace mcp::detail {

std::string_view role_name(Role role) {
  return role == Role::User ? "user" : "assistant";
}

std::string_view cache_scope_name(CacheScope scope) {
  return scope == CacheScope::Public ? "public" : "private";
}

std::string annotations_text(const Annotations& annotations) {
  ObjectText object;
  if (!annotations.audience.empty()) {
    ArrayText audience;
    for (const Role role : annotations.audience)
      audience.item(json_string(role_name(role)));
    object.member("audience", audience.text());
  }
  if (annotations.priority) {
    std::string priority;
    append_number(priority, *annotations.priority);
    object.member("priority", priority);
  }
  object.string_if("lastModified", annotations.last_modified);
  return object.text();
}

std::string icon_text(const Icon& icon) {
  ObjectText object;
  object.string("src", icon.source).string_if("mimeType", icon.mime_type);
  ArrayText sizes;
  for (const auto& size : icon.sizes)
    sizes.item(json_string(size));
  if (!sizes.empty()) object.member("sizes", sizes.text());
  if (icon.theme != Theme::Any) object.string("theme", icon.theme == Theme::Light ? "light" : "dark");
  return object.text();
}

}  // namespace mcp::detail
