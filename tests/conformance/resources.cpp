#include "components.hpp"
#include "sample_media.hpp"

namespace conformance {

void register_resources(mcp::Plugin& plugin) {
  plugin
      .resource("test://static-text", "static-text", "A text that never changes.",
                [] { return "This is the content of the static text resource."; })
      .title("Static Text")
      .mime_type("text/plain");
  plugin
      .resource("test://static-binary", "static-binary", "An image that never changes.",
                [] { return mcp::blob_resource(png); })
      .title("Static Binary")
      .mime_type("image/png")
      .size(png.size());
  plugin
      .resource_template(
          "test://template/{id}/data", "template", "Data about an id.",
          [](const mcp::Uri& uri) {
            return mcp::Json{{"id", uri["id"]}, {"templateTest", true}, {"data", "Data for ID: " + uri["id"]}};
          })
      .mime_type("application/json");
  plugin
      .resource("test://watched-resource", "watched-resource", "A text that clients subscribe to.",
                [] { return "This is the content of the watched resource."; })
      .mime_type("text/plain");
}

}  // namespace conformance
