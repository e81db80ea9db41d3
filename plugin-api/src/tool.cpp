#include <stdexcept>

#include <mcp/plugin/app.hpp>
#include <mcp/plugin/detail/tool_binding.hpp>
#include <mcp/plugin/error.hpp>
#include <mcp/plugin/tool.hpp>

#include "object_text.hpp"
#include "registry.hpp"

namespace mcp {
namespace {

detail::ToolRecord& tool_record(detail::Metadata& metadata) {
  return static_cast<detail::ToolRecord&>(metadata);
}

}  // namespace

Tool::Tool(std::shared_ptr<detail::Registry> registry, std::shared_ptr<detail::ToolRecord> record)
    : Component(std::move(registry), std::move(record)) {}

Tool& Tool::read_only(bool value) {
  registry().change([&] { tool_record(metadata()).read_only = value; });
  return *this;
}

Tool& Tool::destructive(bool value) {
  registry().change([&] { tool_record(metadata()).destructive = value; });
  return *this;
}

Tool& Tool::idempotent(bool value) {
  registry().change([&] { tool_record(metadata()).idempotent = value; });
  return *this;
}

Tool& Tool::open_world(bool value) {
  registry().change([&] { tool_record(metadata()).open_world = value; });
  return *this;
}

Tool& Tool::task_support(TaskSupport support) {
  constexpr std::string_view words[] = {"optional", "required", "forbidden"};
  registry().change([&] { tool_record(metadata()).task_support = words[static_cast<int>(support)]; });
  return *this;
}

Tool& Tool::timeout(std::chrono::milliseconds time) {
  if (time.count() <= 0)
    throw std::invalid_argument("tool \"" + metadata().name + "\": a timeout is at least one millisecond");
  registry().change([&] { tool_record(metadata()).timeout = time; });
  return *this;
}

Tool& Tool::output_schema(std::string_view json) {
  detail::require_object_text(json, "tool \"" + metadata().name + "\": the output schema");
  registry().change([&] { tool_record(metadata()).binding.output_schema = json; });
  return *this;
}

Tool& Tool::app(std::string_view uri) {
  detail::require_app_uri(uri, "tool \"" + metadata().name + '"');
  registry().change([&] { tool_record(metadata()).app = uri; });
  return *this;
}

Tool& Tool::app_only(bool value) {
  registry().change([&] { tool_record(metadata()).app_only = value; });
  return *this;
}

void detail::refuse_arguments(const std::invalid_argument& why) {
  throw ToolError(why.what());
}

void detail::refuse_component(std::string_view kind, std::string_view name, const std::invalid_argument& why) {
  throw std::invalid_argument(std::string(kind) + " \"" + std::string(name) + "\": " + why.what());
}

void detail::refuse_modifier(std::string_view what, const std::invalid_argument& why) {
  throw std::invalid_argument(std::string(what) + ' ' + why.what());
}

}  // namespace mcp
