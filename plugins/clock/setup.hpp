// What the plugin registers; called once, by the entry point or by a test.
#pragma once

#include <chrono>
#include <functional>

namespace mcp {
class Plugin;
}

namespace plugins::clock {

void setup(mcp::Plugin& plugin);

// The same with another source of the time.
using Clock = std::function<std::chrono::sys_time<std::chrono::milliseconds>()>;
void setup_with(mcp::Plugin& plugin, const Clock& clock);

}  // namespace plugins::clock
