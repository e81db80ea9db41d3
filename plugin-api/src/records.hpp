// Records: what is known about each registered component: what is described to clients, and the handler.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mcp/plugin/detail/prompt_binding.hpp>
#include <mcp/plugin/detail/resource_binding.hpp>
#include <mcp/plugin/detail/tool_binding.hpp>
#include <mcp/plugin/metadata.hpp>

namespace mcp::detail {

struct Metadata {
  std::string name;
  std::string title;
  std::string description;
  std::vector<std::string> icons;  // JSON text
  std::string meta;                // JSON text, or empty
};

struct ToolRecord : Metadata {
  ToolBinding binding;
  std::optional<bool> read_only;
  std::optional<bool> destructive;
  std::optional<bool> idempotent;
  std::optional<bool> open_world;

  const std::string& key() const { return name; }
};

struct ResourceRecord : Metadata {
  std::string uri;  // or the template
  std::string mime_type;
  std::string annotations;  // JSON text, or empty
  std::optional<std::uint64_t> size;
  std::optional<std::chrono::milliseconds> time_to_live;
  CacheScope cache_scope = CacheScope::Private;
  ResourceHandler handler;

  const std::string& key() const { return uri; }
};

struct PromptRecord : Metadata {
  std::vector<Arg> arguments;
  PromptHandler handler;

  const std::string& key() const { return name; }
};

}  // namespace mcp::detail
