// What the plugin registers; called once, by the entry point or by a test.
#pragma once

namespace mcp {
class Plugin;
}

namespace plugins::mock {

void setup(mcp::Plugin& plugin);

}  // namespace plugins::mock
