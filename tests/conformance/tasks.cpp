// Tools whose calls become tasks for clients that know them. They know nothing of it: they only take long.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "components.hpp"

namespace conformance {
namespace {

using std::chrono::milliseconds;

// Longer than the host waits before it makes a task of a call that is declared to take long.
constexpr milliseconds a_while{400};

// False: the call was cancelled meanwhile.
bool work(const mcp::Context& context, milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    if (context.cancelled()) return false;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return true;
}

struct Confirmation {
  bool confirm = false;
  static constexpr auto fields() { return std::tuple{mcp::field("confirm", &Confirmation::confirm)}; }
};

struct Name {
  std::string name;
  static constexpr auto fields() { return std::tuple{mcp::field("name", &Name::name)}; }
};

std::string slow_compute(int seconds, std::optional<std::string> label, mcp::Context& context) {
  if (!work(context, std::chrono::seconds(seconds))) throw std::runtime_error("cancelled");
  return "Computed " + label.value_or("it") + " in " + std::to_string(seconds) + " s";
}

std::string failing_job(mcp::Context& context) {
  work(context, std::chrono::seconds(1));
  throw std::runtime_error("The job failed");
}

std::string protocol_error_job(mcp::Context& context) {
  work(context, a_while);
  throw mcp::ProtocolError(mcp::internal_error, "The job broke the protocol");
}

std::string confirm_delete(const std::string& filename, mcp::Context& context) {
  work(context, a_while);
  const auto answer = context.elicit<Confirmation>("Delete " + filename + "?");
  return answer && answer->confirm ? "Deleted " + filename : "Kept " + filename;
}

std::string multi_input(mcp::Context& context) {
  work(context, a_while);
  const auto answers =
      context.ask({{"first", mcp::form<Name>("Who is first?")}, {"second", mcp::form<Name>("Who is second?")}});
  return answers.form<Name>("first").value().name + ", " + answers.form<Name>("second").value().name;
}

// Asks first and works then, so that the input request comes before there is a task.
std::string ask_then_work(mcp::Context& context) {
  const auto answers = context.ask({{"user_name", mcp::form<Name>("What is your name?")}});
  work(context, a_while);
  return "Hello, " + answers.form<Name>("user_name").value().name + "!";
}

}  // namespace

void register_tasks(mcp::Plugin& plugin) {
  using mcp::TaskSupport;
  plugin.tool(
      "greet", "Greets at once.", [](const std::string& name) { return "Hello, " + name + "!"; },
      mcp::arg("name", "Whom"));
  plugin
      .tool("slow_compute", "Takes as long as it is told.", slow_compute, mcp::arg("seconds", "How long").min(0),
            mcp::arg("label", "What"))
      .task_support(TaskSupport::Optional);
  plugin.tool("failing_job", "Fails after a second.", failing_job).task_support(TaskSupport::Required);
  plugin.tool("protocol_error_job", "Ends with an error of the protocol.", protocol_error_job)
      .task_support(TaskSupport::Optional);
  plugin.tool("confirm_delete", "Asks the user before it goes on.", confirm_delete, mcp::arg("filename", "Which file"))
      .task_support(TaskSupport::Optional);
  plugin.tool("multi_input", "Asks the user two things.", multi_input).task_support(TaskSupport::Optional);
  plugin.tool("test_tool_with_task", "Asks, then takes long.", ask_then_work).task_support(TaskSupport::Required);
}

}  // namespace conformance
