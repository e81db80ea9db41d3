// Contents: what tools return and prompts are made of. A Content is a value, made by one of the functions below.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mcp/plugin/bytes.hpp>
#include <mcp/plugin/json.hpp>
#include <mcp/plugin/metadata.hpp>

namespace mcp {

class Content {
 public:
  /// `members` are the members of one content object of MCP, as JSON text without braces.
  explicit Content(std::string members) : members_(std::move(members)) {}

  Content& annotations(const Annotations& annotations);
  Content& meta(const Json& meta);

  // What a resource link carries besides; other contents have none of these.
  Content& title(std::string_view title);
  Content& size(std::uint64_t bytes);
  Content& icons(const std::vector<Icon>& icons);

  std::string json() const;

 private:
  Content& set(std::string_view name, std::string json);

  std::string members_;
  std::vector<std::pair<std::string_view, std::string>> more_;  // by names that are literals
};

/// Several contents, in the order in which a model reads them.
using Contents = std::vector<Content>;

Content text(std::string_view text);
/// `mime_type` such as "image/png", "audio/wav".
Content image(Bytes data, std::string_view mime_type);
Content audio(Bytes data, std::string_view mime_type);

/// A resource that the client may read when it wants to. `name` is for programs and people.
Content resource_link(std::string_view uri, std::string_view name, std::string_view description = {},
                      std::string_view mime_type = {});

/// A resource with its text or bytes in place.
Content embedded(std::string_view uri, std::string_view mime_type, std::string_view text);
Content embedded_blob(std::string_view uri, std::string_view mime_type, Bytes data);

}  // namespace mcp
