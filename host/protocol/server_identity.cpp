#include "protocol/server_identity.hpp"

namespace mcph {
namespace {

OrderedJson to_json(const ServerIcon& icon) {
  OrderedJson json = {{"src", icon.source}};
  if (!icon.mime_type.empty()) json["mimeType"] = icon.mime_type;
  if (!icon.sizes.empty()) json["sizes"] = icon.sizes;
  if (!icon.theme.empty()) json["theme"] = icon.theme;
  return json;
}

}  // namespace

OrderedJson ServerIdentity::brief() const {
  return {{"name", name}, {"title", title}, {"version", version}};
}

OrderedJson ServerIdentity::full() const {
  auto json = brief();
  if (!description.empty()) json["description"] = description;
  if (!website.empty()) json["websiteUrl"] = website;
  for (const auto& icon : icons)
    json["icons"].push_back(to_json(icon));
  return json;
}

}  // namespace mcph
