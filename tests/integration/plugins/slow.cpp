// Tools that take their time, and one that tells what became of the calls before it.
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <mcp/plugin.hpp>

namespace {

class Outcomes {
 public:
  void add(std::string outcome) {
    const std::lock_guard lock(mutex_);
    outcomes_.push_back(std::move(outcome));
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return outcomes_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> outcomes_;
};

std::string name_of(mcp::CancelReason reason) {
  switch (reason) {
    case mcp::CancelReason::None:
      return "none";
    case mcp::CancelReason::Client:
      return "client";
    case mcp::CancelReason::Deadline:
      return "deadline";
    case mcp::CancelReason::Shutdown:
      return "shutdown";
    case mcp::CancelReason::Reload:
      return "reload";
  }
  return "unknown";
}

constexpr std::chrono::milliseconds step{5};

// Waits, reporting progress `reports` times on the way, unless it is cancelled.
std::string wait(Outcomes& outcomes, const std::string& label, int milliseconds, int reports, mcp::Context& context) {
  const auto begin = std::chrono::steady_clock::now();
  const auto length = std::chrono::milliseconds(milliseconds);
  outcomes.add(label + " begun");
  int reported = 0;
  for (auto passed = begin - begin; passed < length; passed = std::chrono::steady_clock::now() - begin) {
    if (context.cancelled()) {
      outcomes.add(label + " cancelled: " + name_of(context.cancel_reason()));
      context.info("cancelled: " + name_of(context.cancel_reason()));
      throw std::runtime_error("cancelled");
    }
    if (reported < reports && passed * reports >= length * reported) {
      ++reported;
      context.progress(reported, reports, "step " + std::to_string(reported));
    }
    std::this_thread::sleep_for(step);
  }
  for (++reported; reported <= reports; ++reported)
    context.progress(reported, reports, "step " + std::to_string(reported));
  outcomes.add(label + " finished");
  return label;
}

// As many notifications as a slow reader needs to fall behind. Progress would be told less often than that.
std::string flood(int count, int size, mcp::Context& context) {
  const std::string padding(static_cast<std::size_t>(size), 'x');
  for (int i = 1; i <= count && !context.cancelled(); ++i)
    context.debug(std::to_string(i) + padding);
  return "flooded";
}

std::string hurry(int count, mcp::Context& context) {
  for (int i = 1; i <= count; ++i)
    context.progress(i, count);
  return "hurried";
}

// Ends when the plugin is told, without asking, that the call is cancelled.
void until_cancelled(const std::shared_ptr<Outcomes>& outcomes, const std::string& label, mcp::Call call) {
  outcomes->add(label + " begun");
  const auto kept = std::make_shared<mcp::Call>(std::move(call));
  kept->on_cancel([outcomes, label, kept] {
    outcomes->add(label + " told: " + name_of(kept->cancel_reason()));
    kept->info("told: " + name_of(kept->cancel_reason()));
    kept->fail("cancelled");
  });
}

mcp::ToolResult ask_later(int milliseconds, mcp::Context& context) {
  const auto answers = context.input_responses();
  if (answers.contains("name")) return mcp::ToolResult().text(mcp::dump_json(answers["name"]["content"]));
  context.progress(1, 2, "waiting");
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  const mcp::Json schema = {{"type", "object"}, {"properties", {{"name", {{"type", "string"}}}}}};
  return mcp::input_required(
      {{"name", {{"method", "elicitation/create"}, {"params", {{"message", "Name?"}, {"requestedSchema", schema}}}}}});
}

void setup(mcp::Plugin& plugin) {
  const auto outcomes = std::make_shared<Outcomes>();
  plugin.tool(
      "wait", "Answers with its label after a while.",
      [outcomes](const std::string& label, int milliseconds, int reports, mcp::Context& context) {
        return wait(*outcomes, label, milliseconds, reports, context);
      },
      mcp::arg("label", "What to answer"), mcp::arg("milliseconds", "How long to wait").min(0).max(60'000),
      mcp::arg("reports", "Of progress").min(0).max(1000).default_value(0));
  plugin.tool(
      "ignore", "Waits, and does not hear of any cancellation.",
      [](int milliseconds, mcp::Context& context) {
        context.info("ignoring");
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      },
      mcp::arg("milliseconds", "How long to wait").min(0).max(60'000));
  plugin.tool("ask_later", "Asks the user after a while.", ask_later,
              mcp::arg("milliseconds", "How long to wait").min(0).max(60'000));
  plugin.tool("log", "Logs a word of each severity.", [](mcp::Context& context) {
    context.debug("debug");
    context.info("info");
    context.warn("warning");
    context.error("error");
  });
  plugin.tool("outcomes", "What became of the calls of wait.", [outcomes] { return outcomes->all(); });
  plugin.async_tool(
      "until_cancelled", "Never answers by itself.",
      [outcomes](const std::string& label, mcp::Call call) { until_cancelled(outcomes, label, std::move(call)); },
      mcp::arg("label", "What to call it"));
  plugin.tool("hurry", "Reports progress without pause.", hurry, mcp::arg("count", "How often").min(1));
  plugin.tool("flood", "Logs without pause.", flood, mcp::arg("count", "How often").min(1),
              mcp::arg("size", "Bytes of each message").min(0));
}

}  // namespace

MCP_PLUGIN("slow", "1.0.0", setup)
