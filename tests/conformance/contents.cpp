// Tools that return each kind of content, and one with a schema that must reach the client as it was written.
#include "components.hpp"
#include "sample_media.hpp"

namespace conformance {
namespace {

constexpr auto json_schema_2020_12 = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
    }
  },
  "properties": {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    "phone": {"type": "string"},
    "email": {"type": "string"}
  },
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
})";

// The client repeats these arguments in Mcp-Param-Region and Mcp-Param-Priority.
constexpr auto schema_with_mirrored_parameters = R"({
  "type": "object",
  "properties": {
    "region": {"type": "string", "x-mcp-header": "Region"},
    "priority": {"type": "integer", "x-mcp-header": "Priority"},
    "query": {"type": "string"}
  },
  "required": ["region"]
})";

mcp::Contents several_types() {
  return {mcp::text("Multiple content types test:"), mcp::image(png, "image/png"),
          mcp::embedded("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})")};
}

}  // namespace

void register_contents(mcp::Plugin& plugin) {
  plugin.tool("test_simple_text", "Returns a text.", [] { return "This is a simple text response for testing."; });
  plugin.tool("test_image_content", "Returns an image.", [] { return mcp::image(png, "image/png"); });
  plugin.tool("test_audio_content", "Returns a sound.", [] { return mcp::audio(wav, "audio/wav"); });
  plugin.tool("test_embedded_resource", "Returns a resource with its text.", [] {
    return mcp::embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.");
  });
  plugin.tool("test_multiple_content_types", "Returns text, image and resource.", several_types);
  plugin.raw_tool("json_schema_2020_12_tool", "Returns its arguments, which a rich schema describes.",
                  json_schema_2020_12, [](const mcp::Json& arguments) { return arguments; });
  plugin.raw_tool("test_custom_headers", "Returns its arguments, some of which are headers too.",
                  schema_with_mirrored_parameters, [](const mcp::Json& arguments) { return arguments; });
}

}  // namespace conformance
