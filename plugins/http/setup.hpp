// What the plugin registers; called once, by the entry point or by a test.
#pragma once

namespace mcp {
class Plugin;
}

namespace plugins::http {

void setup(mcp::Plugin& plugin);

}  // namespace plugins::http
