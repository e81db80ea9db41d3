#include <mcp/plugin/content.hpp>
#include <mcp/plugin/detail/json_text.hpp>

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

Content resource(const detail::ObjectText& object) {
  return Content(member("type", "resource") + ",\"resource\":" + object.text());
}

}  // namespace

Content& Content::annotations(const Annotations& annotations) {
  members_ += ",\"annotations\":" + detail::annotations_text(annotations);
  return *this;
}

Content& Content::meta(const Json& meta) {
  members_ += ",\"_meta\":" + dump_json(meta);
  return *this;
}

Content& Content::title(std::string_view title) {
  members_ += ',' + member("title", title);
  return *this;
}

Content& Content::size(std::uint64_t bytes) {
  members_ += ",\"size\":" + std::to_string(bytes);
  return *this;
}

Content& Content::icons(const std::vector<Icon>& icons) {
  detail::ArrayText list;
  for (const Icon& icon : icons)
    list.item(detail::icon_text(icon));
  members_ += ",\"icons\":" + list.text();
  return *this;
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
  return resource(detail::ObjectText().string("uri", uri).string_if("mimeType", mime_type).string("text", text));
}

Content embedded_blob(std::string_view uri, std::string_view mime_type, Bytes data) {
  return resource(detail::ObjectText()
                      .string("uri", uri)
                      .string_if("mimeType", mime_type)
                      .member("blob", '"' + detail::base64(data.view()) + '"'));
}

}  // namespace mcp
