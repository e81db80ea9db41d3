#include <stdexcept>

#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/resource.hpp>

#include "base64.hpp"
#include "metadata_text.hpp"
#include "registry.hpp"

namespace mcp {
namespace {

detail::ResourceRecord& resource_record(detail::Metadata& metadata) {
  return static_cast<detail::ResourceRecord&>(metadata);
}

}  // namespace

ResourceContent text_resource(std::string_view text, std::string_view mime_type) {
  return ResourceContent("\"text\":" + detail::json_string(text), mime_type);
}

ResourceContent detail::json_resource(std::string_view json) {
  return ResourceContent("\"text\":" + json_string(json), {}, "application/json");
}

ResourceContent blob_resource(Bytes data, std::string_view mime_type) {
  return ResourceContent("\"blob\":\"" + detail::base64(data.view()) + '"', mime_type);
}

Content embedded(const ResourceContent& resource) {
  if (!resource.has_uri()) throw std::invalid_argument("a resource that is embedded needs its uri()");
  return Content("\"type\":\"resource\",\"resource\":" + resource.json({}, {}));
}

ResourceContent& ResourceContent::meta(const Json& meta) {
  meta_ = detail::value_text(meta);
  return *this;
}

std::string ResourceContent::json(std::string_view default_uri, std::string_view default_mime_type) const {
  detail::ObjectText object;
  object.string("uri", uri_.empty() ? default_uri : uri_);
  if (!mime_type_.empty()) default_mime_type = mime_type_;
  object.string_if("mimeType", default_mime_type.empty() ? fallback_mime_type_ : default_mime_type);
  object.member_if("_meta", meta_);
  std::string json = object.text();
  json.back() = ',';
  return json + body_ + '}';
}

Resource::Resource(std::shared_ptr<detail::Registry> registry, std::shared_ptr<detail::ResourceRecord> record)
    : Completable(std::move(registry), std::move(record)) {}

Resource& Resource::mime_type(std::string_view mime_type) {
  registry().change([&] { resource_record(metadata()).mime_type = mime_type; });
  return *this;
}

Resource& Resource::size(std::uint64_t bytes) {
  registry().change([&] { resource_record(metadata()).size = bytes; });
  return *this;
}

Resource& Resource::annotations(const Annotations& annotations) {
  registry().change([&] { resource_record(metadata()).annotations = detail::annotations_text(annotations); });
  return *this;
}

Resource& Resource::cache(std::chrono::milliseconds time_to_live, CacheScope scope) {
  if (time_to_live.count() < 0) throw std::invalid_argument("a resource cannot be kept for a negative time");
  registry().change([&] {
    resource_record(metadata()).time_to_live = time_to_live;
    resource_record(metadata()).cache_scope = scope;
  });
  return *this;
}

}  // namespace mcp
