// Resources: what a handler may return besides a text, and the modifiers of a resource or resource template that
// Plugin::resource or resource_template has registered.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin/bytes.hpp>
#include <mcp/plugin/completion.hpp>
#include <mcp/plugin/content.hpp>
#include <mcp/plugin/metadata.hpp>

namespace mcp {

/// One content of a resource. Its URI is the one that was asked for, unless uri() says another; its MIME type is the
/// resource's own, unless one is given. What a handler returns as JSON is application/json where its resource has none.
class ResourceContent {
 public:
  /// `body` is one member of MCP's resource contents, "text" or "blob", as JSON text. `fallback_mime_type` is for where
  /// neither it nor its resource has a MIME type.
  ResourceContent(std::string body, std::string_view mime_type, std::string_view fallback_mime_type = {})
      : body_(std::move(body)), mime_type_(mime_type), fallback_mime_type_(fallback_mime_type) {}

  ResourceContent& uri(std::string_view uri) {
    uri_ = uri;
    return *this;
  }
  ResourceContent& meta(const Json& meta);

  bool has_uri() const { return !uri_.empty(); }

  std::string json(std::string_view default_uri, std::string_view default_mime_type) const;

 private:
  std::string body_;
  std::string mime_type_;
  std::string fallback_mime_type_;
  std::string uri_;
  std::string meta_;
};

using ResourceContents = std::vector<ResourceContent>;

ResourceContent text_resource(std::string_view text, std::string_view mime_type = {});
ResourceContent blob_resource(Bytes data, std::string_view mime_type = {});

/// A resource in place, with all that it carries. Throws std::invalid_argument if uri() was not said.
Content embedded(const ResourceContent& resource);

namespace detail {
struct ResourceRecord;
/// What a handler returned as JSON.
ResourceContent json_resource(std::string_view json);
}  // namespace detail

class Resource : public Completable<Resource> {
 public:
  Resource(std::shared_ptr<detail::Registry> registry, std::shared_ptr<detail::ResourceRecord> record);

  Resource& mime_type(std::string_view mime_type);
  /// Of the content, in bytes before any encoding. Not for templates.
  Resource& size(std::uint64_t bytes);
  Resource& annotations(const Annotations& annotations);
  /// For how long a client may keep an answer, and whether it may be shared between callers.
  Resource& cache(std::chrono::milliseconds time_to_live, CacheScope scope = CacheScope::Private);
};

}  // namespace mcp
