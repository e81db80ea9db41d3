#include "python/host_functions.hpp"

#include <string>

#include <mcp/caller.h>

#include "python/host_interfaces.hpp"
#include "python/host_text.hpp"

namespace plugins::python {
namespace {

namespace py = pybind11;

using Host = std::shared_ptr<const LivingHost>;

// What `ask` makes the host write.
template <class Ask>
std::string answer_of(const Host& host, const Ask& ask) {
  std::string text;
  const mcp_sink sink = sink_into(text);
  const py::gil_scoped_release others_run;
  host->with([&](const mcp_host& functions) { ask(functions, &sink); });
  return text;
}

template <class Action>
void tell(const Host& host, const Action& action) {
  const py::gil_scoped_release others_run;
  host->with(action);
}

void describe_caller(const mcp_host& host, mcp_call_id call, const mcp_sink* sink) {
  if (!MCP_HAS(&host, mcp_host, get_interface)) return;
  const auto* const callers = static_cast<const mcp_caller*>(host.get_interface(&host, MCP_CALLER));
  if (callers == nullptr || !MCP_HAS(callers, mcp_caller, describe)) return;
  callers->describe(&host, call, sink);
}

void add_of_a_call(const py::object& functions, const Host& host) {
  functions.attr("complete") = py::cpp_function([host](mcp_call_id call, std::int32_t outcome, const py::str& json) {
    const auto text = utf8(json);
    tell(host, [&](const mcp_host& to) { to.complete(&to, call, outcome, borrowed(text)); });
  });
  functions.attr("progress") =
      py::cpp_function([host](mcp_call_id call, double value, double total, const py::str& message) {
        const auto text = utf8(message);
        tell(host, [&](const mcp_host& to) { to.progress(&to, call, value, total, borrowed(text)); });
      });
  functions.attr("log") = py::cpp_function([host](mcp_call_id call, std::int32_t level, const py::str& message) {
    const auto text = utf8(message);
    tell(host, [&](const mcp_host& to) { to.log(&to, call, level, borrowed(text)); });
  });
  functions.attr("is_cancelled") = py::cpp_function([host](mcp_call_id call) { return host->cancel_reason(call); });
  functions.attr("call_context") = py::cpp_function([host](mcp_call_id call) {
    return answer_of(host, [&](const mcp_host& of, const mcp_sink* sink) { of.call_context(&of, call, sink); });
  });
  functions.attr("caller") = py::cpp_function([host](mcp_call_id call) {
    return answer_of(host, [&](const mcp_host& of, const mcp_sink* sink) { describe_caller(of, call, sink); });
  });
}

void add_of_the_plugin(const py::object& functions, const Host& host) {
  functions.attr("configuration") = py::cpp_function([host] {
    return answer_of(host, [](const mcp_host& of, const mcp_sink* sink) { of.configuration(&of, sink); });
  });
  functions.attr("data_directory") = py::cpp_function([host] {
    return answer_of(host, [](const mcp_host& of, const mcp_sink* sink) { of.data_directory(&of, sink); });
  });
  functions.attr("components_changed") =
      py::cpp_function([host] { tell(host, [](const mcp_host& to) { to.components_changed(&to); }); });
  functions.attr("resource_updated") = py::cpp_function([host](const py::str& uri) {
    const auto text = utf8(uri);
    tell(host, [&](const mcp_host& to) { to.resource_updated(&to, borrowed(text)); });
  });
}

}  // namespace

py::object host_functions(const Host& host) {
  py::object functions = py::module_::import("types").attr("SimpleNamespace")();
  add_of_a_call(functions, host);
  add_of_the_plugin(functions, host);
  add_interfaces(functions, host);
  return functions;
}

}  // namespace plugins::python
