// Records: what is known about each registered component: what is described to clients, and the handler.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mcp/plugin/completion.hpp>
#include <mcp/plugin/detail/prompt_binding.hpp>
#include <mcp/plugin/detail/resource_binding.hpp>
#include <mcp/plugin/detail/tool_binding.hpp>
#include <mcp/plugin/metadata.hpp>

#include "answers.hpp"

namespace mcp::detail {

struct Metadata {
  std::string name;
  std::string title;
  std::string description;
  std::vector<std::string> icons;  // JSON text
  std::string meta;                // JSON text, or empty
  std::vector<std::string> tags;
};

/// What prompts and resource templates have in common; a static resource has nothing to complete.
struct CompletableRecord : Metadata {
  std::vector<std::string> completable;  // the names of the arguments or variables
  std::map<std::string, CompletionHandler, std::less<>> completions;
};

struct ToolRecord : Metadata {
  std::string task_support;  // MCP's word, or empty
  std::optional<std::chrono::milliseconds> timeout;
  ToolBinding binding;
  std::optional<bool> read_only;
  std::optional<bool> destructive;
  std::optional<bool> idempotent;
  std::optional<bool> open_world;
  std::string app;  // the URI of the page that shows its results, or empty
  bool app_only = false;
  std::shared_ptr<ReplacedBytes> replaced_bytes;

  const std::string& key() const { return name; }
};

struct ResourceRecord : CompletableRecord {
  std::string uri;  // or the template
  std::string mime_type;
  std::string annotations;  // JSON text, or empty
  std::optional<std::uint64_t> size;
  std::optional<std::chrono::milliseconds> time_to_live;
  CacheScope cache_scope = CacheScope::Private;
  ResourceHandler handler;

  const std::string& key() const { return uri; }
};

struct PromptRecord : CompletableRecord {
  std::vector<Arg> arguments;
  PromptHandler handler;

  const std::string& key() const { return name; }
};

}  // namespace mcp::detail
