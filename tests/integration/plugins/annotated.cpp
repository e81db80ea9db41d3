// Components and contents with everything that MCP lets them carry.
#include <array>
#include <string>

#include <mcp/plugin.hpp>

namespace {

constexpr std::array<std::uint8_t, 2> bytes = {0x00, 0xff};

mcp::Annotations annotations() {
  return {
      .audience = {mcp::Role::User, mcp::Role::Assistant}, .priority = 0.5, .last_modified = "2026-01-12T15:00:58Z"};
}

mcp::Icon icon() {
  return {
      .source = "https://example.com/a.png", .mime_type = "image/png", .sizes = {"48x48"}, .theme = mcp::Theme::Dark};
}

mcp::Contents contents() {
  const mcp::Json meta{{"m", 1}};
  return {mcp::text("text").annotations(annotations()).meta(meta),
          mcp::image(bytes, "image/png").annotations(annotations()).meta(meta),
          mcp::audio(bytes, "audio/wav").annotations(annotations()).meta(meta),
          mcp::resource_link("annotated://one", "one", "A resource", "text/plain")
              .title("One")
              .size(3)
              .icons({icon()})
              .annotations(annotations())
              .meta(meta),
          mcp::embedded(mcp::text_resource("text", "text/plain").uri("annotated://one").meta(meta))
              .annotations(annotations())
              .meta(meta)};
}

void setup(mcp::Plugin& plugin) {
  const mcp::Json meta{{"example.com/m", {1, "two"}}};
  plugin.tool("contents", "Every kind of content.", [] { return contents(); })
      .title("Tool")
      .icon(icon())
      .icon("data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20onload='window.__hit=1'/%3E")
      .meta(meta)
      .read_only()
      .destructive(false)
      .idempotent()
      .open_world(false);
  plugin.tool("whole", "A result with its own meta.", [meta] { return mcp::ToolResult().text("x").meta(meta); });
  plugin
      .resource("annotated://one", "one", "A resource.",
                [meta] { return mcp::text_resource("one", "text/x-one").meta(meta); })
      .title("Resource")
      .mime_type("text/plain")
      .size(3)
      .icon(icon())
      .annotations(annotations())
      .meta(meta);
  plugin.resource_template("annotated://{name}", "any", "Any.", [](const mcp::Uri& uri) { return uri["name"]; })
      .title("Template")
      .mime_type("text/plain")
      .icon(icon())
      .annotations(annotations())
      .meta(meta);
  plugin
      .prompt("prompt", "A prompt.", {mcp::arg("a", "An argument").title("A").required()},
              [] {
                mcp::Messages messages;
                for (const auto& content : contents())
                  messages.push_back(mcp::user(content));
                return messages;
              })
      .title("Prompt")
      .icon(icon())
      .meta(meta);
}

}  // namespace

MCP_PLUGIN("annotated", "1.0.0", setup)
