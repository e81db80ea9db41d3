#include "components.hpp"
#include "sample_media.hpp"

namespace conformance {

void register_prompts(mcp::Plugin& plugin) {
  plugin.prompt_text("test_simple_prompt", "A prompt without arguments.", "This is a simple prompt for testing.")
      .title("Simple Prompt");
  plugin
      .prompt("test_prompt_with_arguments", "A prompt with two arguments.",
              {mcp::arg("arg1", "First test argument").required(), mcp::arg("arg2", "Second test argument").required()},
              [](const mcp::Arguments& arguments) {
                return mcp::user("Prompt with arguments: arg1='" + arguments["arg1"] + "', arg2='" + arguments["arg2"] +
                                 "'");
              })
      .complete("arg1", {"paris", "park", "party", "test", "testing"});
  plugin.prompt(
      "test_prompt_with_embedded_resource", "A prompt with a resource in it.",
      {mcp::arg("resourceUri", "URI of the resource to embed").required()}, [](const mcp::Arguments& arguments) {
        return mcp::Messages{
            mcp::user(mcp::embedded(arguments["resourceUri"], "text/plain", "Embedded resource content for testing.")),
            mcp::user("Please process the embedded resource above.")};
      });
  plugin.prompt("test_prompt_with_image", "A prompt with an image in it.", [] {
    return mcp::Messages{mcp::user(mcp::image(png, "image/png")), mcp::user("Please analyze the image above.")};
  });
}

}  // namespace conformance
