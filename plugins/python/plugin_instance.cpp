#include "python/plugin_instance.hpp"

#include <exception>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include "python/host_interfaces.hpp"
#include "python/interpreter.hpp"

namespace plugins::python {
namespace {

namespace py = pybind11;

// Runs `action` with the interpreter's lock. What Python raises becomes an exception that outlives the lock.
template <class Action>
auto in_python(const Action& action) {
  const InterpreterLock lock;
  try {
    return action();
  } catch (py::error_already_set& error) {
    const auto text = py::str(error.value()).cast<std::string>();
    throw std::runtime_error(text.empty() ? error.what() : text);
  }
}

}  // namespace

PluginInstance::PluginInstance(const mcp_host& host) : host_(host), host_of_python_(host) {
  start_interpreter();
  in_python([&] {
    const auto host_now = host_of_python_.living();
    const auto functions = host_functions(host_now);
    functions.attr("listen") = py::cpp_function([this, host_now] {
      const py::gil_scoped_release others_run;
      host_now->with([&](const mcp_host& to) { listen_to_subscriptions(to, plugin_); });
    });
    plugin_ = py::module_::import("mcp_plugin.serving").attr("Plugin")(functions);
    cancellations_ = plugin_.attr("cancellations").cast<int>();
  });
}

PluginInstance::~PluginInstance() {
  const InterpreterLock lock;
  try {
    plugin_.attr("stop")();
  } catch (const py::error_already_set& error) {
    const std::string text = std::string("it did not stop in order: ") + error.what();
    host_.log(&host_, 0, MCP_LOG_ERROR, {text.data(), text.size()});
  }
  plugin_ = py::object();
}

std::string PluginInstance::describe() {
  return in_python([&] { return plugin_.attr("describe")().cast<std::string>(); });
}

void PluginInstance::start() {
  in_python([&] { plugin_.attr("start")(); });
}

void PluginInstance::invoke(mcp_call_id call, std::string_view method, std::string_view params) noexcept {
  try {
    in_python([&] { plugin_.attr("invoke")(call, method, params); });
  } catch (const std::exception& error) {
    // Python completes each call; what comes here is that it could not.
    host_.log(&host_, call, MCP_LOG_ERROR, {error.what(), std::string_view(error.what()).size()});
    constexpr std::string_view answer = R"({"code":-32603,"message":"Python could not serve the call"})";
    host_.complete(&host_, call, MCP_OUTCOME_ERROR, {answer.data(), answer.size()});
  }
}

void PluginInstance::cancel(mcp_call_id call) noexcept {
  // Where the pipe is full, the call finds out when it asks.
  [[maybe_unused]] const auto written = ::write(cancellations_, &call, sizeof call);
}

}  // namespace plugins::python
