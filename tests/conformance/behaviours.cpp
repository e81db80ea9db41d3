// Tools that do something while they run: report progress, log, fail, change what the plugin exports.
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "components.hpp"

namespace conformance {
namespace {

// As long as the suite asks for between two notifications.
constexpr std::chrono::milliseconds pause{50};

std::string with_progress(mcp::Context& context) {
  context.progress(0, 100);
  std::this_thread::sleep_for(pause);
  context.progress(50, 100);
  std::this_thread::sleep_for(pause);
  context.progress(100, 100);
  return "Reported progress three times.";
}

std::string with_logging(mcp::Context& context) {
  context.info("Tool execution started");
  std::this_thread::sleep_for(pause);
  context.info("Tool processing data");
  std::this_thread::sleep_for(pause);
  context.info("Tool execution completed");
  return "Logged three messages.";
}

// Longer than the host keeps a stream open when the suite runs, so that the answer is polled for.
std::string long_enough_to_be_polled() {
  std::this_thread::sleep_for(std::chrono::seconds(3));
  return "Reconnected.";
}

std::string failing() {
  throw std::runtime_error("This tool intentionally returns an error for testing");
}

// A tool and a prompt that come and go, each at the call of another tool.
class ComingAndGoing {
 public:
  explicit ComingAndGoing(mcp::Plugin& plugin) : plugin_(plugin) {}

  std::string toggle_tool() {
    const std::lock_guard lock(mutex_);
    if (!plugin_.remove_tool("test_dynamic_tool")) {
      plugin_.tool("test_dynamic_tool", "Is here until it is toggled.", [] { return "here"; });
    }
    plugin_.components_changed();
    return "The list of tools has changed.";
  }

  std::string toggle_prompt() {
    const std::lock_guard lock(mutex_);
    if (!plugin_.remove_prompt("test_dynamic_prompt")) {
      plugin_.prompt_text("test_dynamic_prompt", "Is here until it is toggled.", "Here.");
    }
    plugin_.components_changed();
    return "The list of prompts has changed.";
  }

 private:
  mcp::Plugin& plugin_;
  std::mutex mutex_;
};

}  // namespace

void register_behaviours(mcp::Plugin& plugin) {
  plugin.tool("test_tool_with_progress", "Reports 0, 50 and 100 of 100.", with_progress);
  plugin.tool("test_tool_with_logging", "Logs three messages.", with_logging);
  plugin.tool("test_logging_tool", "Logs three messages.", with_logging);
  plugin.tool("test_reconnection", "Takes longer than its stream is open.", long_enough_to_be_polled);
  plugin.tool("test_error_handling", "Always fails.", failing);

  const auto coming_and_going = std::make_shared<ComingAndGoing>(plugin);
  plugin.tool("test_trigger_tool_change", "Adds a tool, or removes it again.",
              [coming_and_going] { return coming_and_going->toggle_tool(); });
  plugin.tool("test_trigger_prompt_change", "Adds a prompt, or removes it again.",
              [coming_and_going] { return coming_and_going->toggle_prompt(); });
}

}  // namespace conformance
