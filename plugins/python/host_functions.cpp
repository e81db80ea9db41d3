#include "python/host_functions.hpp"

#include <string>
#include <string_view>

#include <mcp/caller.h>

namespace plugins::python {
namespace {

namespace py = pybind11;

// A str of Python as UTF-8. Half a surrogate pair, which is no text, becomes a question mark.
std::string utf8(const py::str& text) {
  const py::bytes bytes = text.attr("encode")("utf-8", "replace");
  return std::string(bytes);
}

mcp_string borrowed(std::string_view text) {
  return {text.data(), text.size()};
}

// What `ask` makes the host write.
template <class Ask>
std::string answer_of(const Ask& ask) {
  std::string text;
  const mcp_sink sink{&text, [](void* context, mcp_string piece) noexcept {
                        static_cast<std::string*>(context)->append(piece.data, piece.size);
                      }};
  const py::gil_scoped_release others_run;
  ask(&sink);
  return text;
}

std::string caller_of(const mcp_host& host, mcp_call_id call) {
  if (!MCP_HAS(&host, mcp_host, get_interface)) return {};
  const auto* const callers = static_cast<const mcp_caller*>(host.get_interface(&host, MCP_CALLER));
  if (callers == nullptr || !MCP_HAS(callers, mcp_caller, describe)) return {};
  return answer_of([&](const mcp_sink* sink) { callers->describe(&host, call, sink); });
}

void add_of_a_call(const py::object& functions, const mcp_host& host) {
  functions.attr("complete") = py::cpp_function([&host](mcp_call_id call, std::int32_t outcome, const py::str& json) {
    const auto text = utf8(json);
    const py::gil_scoped_release others_run;
    host.complete(&host, call, outcome, borrowed(text));
  });
  functions.attr("progress") =
      py::cpp_function([&host](mcp_call_id call, double value, double total, const py::str& message) {
        const auto text = utf8(message);
        const py::gil_scoped_release others_run;
        host.progress(&host, call, value, total, borrowed(text));
      });
  functions.attr("log") = py::cpp_function([&host](mcp_call_id call, std::int32_t level, const py::str& message) {
    const auto text = utf8(message);
    const py::gil_scoped_release others_run;
    host.log(&host, call, level, borrowed(text));
  });
  functions.attr("is_cancelled") =
      py::cpp_function([&host](mcp_call_id call) { return host.is_cancelled(&host, call); });
  functions.attr("call_context") = py::cpp_function([&host](mcp_call_id call) {
    return answer_of([&](const mcp_sink* sink) { host.call_context(&host, call, sink); });
  });
  functions.attr("caller") = py::cpp_function([&host](mcp_call_id call) { return caller_of(host, call); });
}

void add_of_the_plugin(const py::object& functions, const mcp_host& host) {
  functions.attr("configuration") =
      py::cpp_function([&host] { return answer_of([&](const mcp_sink* sink) { host.configuration(&host, sink); }); });
  functions.attr("data_directory") =
      py::cpp_function([&host] { return answer_of([&](const mcp_sink* sink) { host.data_directory(&host, sink); }); });
  functions.attr("components_changed") = py::cpp_function([&host] {
    const py::gil_scoped_release others_run;
    host.components_changed(&host);
  });
  functions.attr("resource_updated") = py::cpp_function([&host](const py::str& uri) {
    const auto text = utf8(uri);
    const py::gil_scoped_release others_run;
    host.resource_updated(&host, borrowed(text));
  });
}

}  // namespace

py::object host_functions(const mcp_host& host) {
  py::object functions = py::module_::import("types").attr("SimpleNamespace")();
  add_of_a_call(functions, host);
  add_of_the_plugin(functions, host);
  return functions;
}

}  // namespace plugins::python
