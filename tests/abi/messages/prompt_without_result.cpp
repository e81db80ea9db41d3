// expect: a prompt returns a text (one message of the user), mcp::Content, mcp::Message or mcp::Messages
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.prompt("p", "P.", [](mcp::Context&) {});
}
