#include <algorithm>
#include <string>
#include <utility>

#include <mcp/plugin/content.hpp>
#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/resource.hpp>

#include "base64.hpp"
#include "metadata_text.hpp"

namespace mcp {
namespace {

std::string member(std::string_view name, std::string_view text) {
  return '"' + std::string(name) + "\":" + detail::json_string(text);
}

Content binary(std::string_view type, Bytes data, std::string_view mime_type) {
  return Content(member("type", type) + ",\"data\":\"" + detail::base64(data.view()) + "\"," +
                 member("mimeType", mime_type));
}

}  // namespace

Content& Content::set(std::string_view name, std::string json) {
  const auto found = std::find_if(more_.begin(), more_.end(), [&](const auto& each) { return each.first == name; });
  if (found != more_.end()) {
    found->second = std::move(json);
  } else {
    more_.emplace_back(name, std::move(json));
  }
  return *this;
}

std::string Content::json() const {
  std::string json = '{' + members_;
  for (const auto& [name, value] : more_)
    json.append(",\"").append(name).append("\":").append(value);
  return json += '}';
}

Content& Content::annotations(const Annotations& annotations) {
  return set("annotations", detail::annotations_text(annotations));
}

Content& Content::meta(const Json& meta) {
  return set("_meta", detail::value_text(meta));
}

Content& Content::title(std::string_view title) {
  return set("title", detail::json_string(title));
}

Content& Content::size(std::uint64_t bytes) {
  return set("size", std::to_string(bytes));
}

Content& Content::icons(const std::vector<Icon>& icons) {
  detail::ArrayText list;
  for (const Icon& icon : icons)
    list.item(detail::icon_text(icon));
  return set("icons", list.text());
}

Content text(std::string_view text) {
  return Content(member("type", "text") + ',' + member("text", text));
}

Content image(Bytes data, std::string_view mime_type) {
  return binary("image", data, mime_type);
}

Content audio(Bytes data, std::string_view mime_type) {
  return binary("audio", data, mime_type);
}

Content resource_link(std::string_view uri, std::string_view name, std::string_view description,
                      std::string_view mime_type) {
  std::string members = member("type", "resource_link") + ',' + member("uri", uri) + ',' + member("name", name);
  if (!description.empty()) members += ',' + member("description", description);
  if (!mime_type.empty()) members += ',' + member("mimeType", mime_type);
  return Content(std::move(members));
}

Content embedded(std::string_view uri, std::string_view mime_type, std::string_view text) {
  return Content("\"type\":\"resource\",\"resource\":" + text_resource(text, mime_type).json(uri, {}));
}

Content embedded_blob(std::string_view uri, std::string_view mime_type, Bytes data) {
  return Content("\"type\":\"resource\",\"resource\":" + blob_resource(data, mime_type).json(uri, {}));
}

}  // namespace mcp
