#include "python/host_interfaces.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

#include <mcp/capabilities.h>
#include <mcp/metrics.h>
#include <mcp/store.h>
#include <mcp/subscriptions.h>

#include "python/host_text.hpp"
#include "python/interpreter.hpp"

namespace plugins::python {
namespace {

namespace py = pybind11;

using Host = std::shared_ptr<const LivingHost>;

const void* interface_of(const mcp_host& host, const char* name) {
  return MCP_HAS(&host, mcp_host, get_interface) ? host.get_interface(&host, name) : nullptr;
}

// How much of a table is needed: the members of its first version. What is appended to it later is asked for by
// MCP_HAS.
template <class Table>
constexpr std::size_t first_version = 0;
template <>
constexpr std::size_t first_version<mcp_capabilities> = offsetof(mcp_capabilities, check) + sizeof(void (*)());
template <>
constexpr std::size_t first_version<mcp_metrics> = offsetof(mcp_metrics, observe) + sizeof(void (*)());
template <>
constexpr std::size_t first_version<mcp_store> = offsetof(mcp_store, list) + sizeof(void (*)());
template <>
constexpr std::size_t first_version<mcp_subscriptions> = offsetof(mcp_subscriptions, listen) + sizeof(void (*)());

// Null: the host does not have it.
template <class Table>
const Table* table_of(const mcp_host& host, const char* name) {
  static_assert(first_version<Table> != 0);
  const auto* const table = static_cast<const Table*>(interface_of(host, name));
  return table != nullptr && table->size >= first_version<Table> ? table : nullptr;
}

// Runs `use` with the host and the interface, if the host has it, without the interpreter's lock. False: the host is
// gone.
template <class Table, class Use>
bool with_interface(const Host& host, const char* name, const Use& use) {
  const py::gil_scoped_release others_run;
  bool is_there = false;
  host->with([&](const mcp_host& functions) {
    is_there = true;
    const auto* const table = table_of<Table>(functions, name);
    if (table != nullptr) use(functions, *table);
  });
  return is_there;
}

struct StoreAnswer {
  std::int32_t status = MCP_STORE_FAILED;
  std::uint64_t revision = 0;
  std::string value;
  std::string error = "the host does not have " MCP_STORE;
};

// (status, value, revision, error), where `ask` gets the sinks of the second and the last.
template <class Ask>
py::tuple asked(const Host& host, const Ask& ask) {
  StoreAnswer answer;
  const bool is_there = with_interface<mcp_store>(host, MCP_STORE, [&](const mcp_host& of, const mcp_store& store) {
    answer.error.clear();
    const auto value = sink_into(answer.value);
    const auto error = sink_into(answer.error);
    answer.status = ask(of, store, &value, &answer.revision, &error);
  });
  if (!is_there) answer.error = "the plugin has ended";
  return py::make_tuple(answer.status, py::bytes(answer.value), answer.revision, answer.error);
}

void add_store(const py::object& functions, const Host& host) {
  functions.attr("store_get") = py::cpp_function([host](const py::str& key) {
    return asked(host, [key = utf8(key)](const auto& of, const auto& store, auto* value, auto* revision, auto* error) {
      return store.get(&of, borrowed(key), value, revision, error);
    });
  });
  functions.attr("store_put") =
      py::cpp_function([host](const py::str& key, const py::bytes& value, std::uint64_t if_revision) {
        const std::string bytes(value);
        return asked(host, [&, key = utf8(key)](const auto& of, const auto& store, auto*, auto*, auto* error) {
          return store.put(&of, borrowed(key), borrowed(bytes), if_revision, nullptr, error);
        });
      });
  functions.attr("store_erase") = py::cpp_function([host](const py::str& key) {
    return asked(host, [key = utf8(key)](const auto& of, const auto& store, auto*, auto*, auto* error) {
      return store.erase(&of, borrowed(key), MCP_STORE_ANY, error);
    });
  });
  functions.attr("store_list") = py::cpp_function([host](const py::str& prefix) {
    return asked(host, [prefix = utf8(prefix)](const auto& of, const auto& store, auto* keys, auto*, auto* error) {
      return store.list(&of, borrowed(prefix), keys, error);
    });
  });
}

// One of the functions that record, as a function of Python.
py::cpp_function recording(const Host& host, decltype(mcp_metrics::add) mcp_metrics::*function) {
  return [host, function](std::uint32_t metric, double value, const std::vector<std::pair<py::str, py::str>>& given) {
    std::vector<std::pair<std::string, std::string>> labels;
    labels.reserve(given.size());
    for (const auto& [name, text] : given)
      labels.emplace_back(utf8(name), utf8(text));
    with_interface<mcp_metrics>(host, MCP_METRICS, [&](const mcp_host& to, const mcp_metrics& metrics) {
      // One more than there may be, so that the host says so.
      std::array<mcp_label, 9> table{};
      const auto count = std::min(labels.size(), table.size());
      std::transform(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(count), table.begin(),
                     [](const auto& label) {
                       return mcp_label{borrowed(label.first), borrowed(label.second)};
                     });
      (metrics.*function)(&to, metric, table.data(), static_cast<std::uint32_t>(count), value);
    });
  };
}

void add_metrics(const py::object& functions, const Host& host) {
  functions.attr("declare_metric") = py::cpp_function([host](std::int32_t kind, const py::str& name,
                                                             const py::str& help, const std::vector<double>& bounds) {
    std::uint32_t number = 0;
    std::string error;
    with_interface<mcp_metrics>(
        host, MCP_METRICS, [&, name = utf8(name), help = utf8(help)](const mcp_host& of, const mcp_metrics& metrics) {
          const auto sink = sink_into(error);
          number = metrics.declare(&of, kind, borrowed(name), borrowed(help), bounds.data(),
                                   static_cast<std::uint32_t>(bounds.size()), &sink);
        });
    return std::make_pair(number, error);
  });
  functions.attr("metric_add") = recording(host, &mcp_metrics::add);
  functions.attr("metric_set") = recording(host, &mcp_metrics::set);
  functions.attr("metric_observe") = recording(host, &mcp_metrics::observe);
}

void tell(void* plugin, mcp_string uri, bool is_subscribed) noexcept {
  const InterpreterLock lock;
  try {
    static_cast<const py::object*>(plugin)->attr("subscription_changed")(std::string_view(uri.data, uri.size),
                                                                         is_subscribed);
  } catch (py::error_already_set& error) {
    // Python tells what goes wrong in the functions; what comes here is that it could not.
    error.discard_as_unraisable("a change of subscriptions");
  }
}

}  // namespace

void add_interfaces(const py::object& functions, const Host& host) {
  functions.attr("has_interface") = py::cpp_function([host](const std::string& name) {
    bool has = false;
    const py::gil_scoped_release others_run;
    host->with([&](const mcp_host& of) { has = interface_of(of, name.c_str()) != nullptr; });
    return has;
  });
  functions.attr("subscriptions") = py::cpp_function([host] {
    std::string uris;
    with_interface<mcp_subscriptions>(host, MCP_SUBSCRIPTIONS, [&](const mcp_host& of, const auto& subscriptions) {
      const auto sink = sink_into(uris);
      subscriptions.list(&of, &sink);
    });
    return uris;
  });
  functions.attr("check_capabilities") = py::cpp_function([host](const py::str& json) {
    std::string error;
    with_interface<mcp_capabilities>(host, MCP_CAPABILITIES,
                                     [&, json = utf8(json)](const mcp_host& of, const mcp_capabilities& capabilities) {
                                       const auto sink = sink_into(error);
                                       if (capabilities.check(&of, borrowed(json), &sink) != 0 && error.empty())
                                         error = "the host refuses it";
                                     });
    return error;
  });
  add_store(functions, host);
  add_metrics(functions, host);
}

void listen_to_subscriptions(const mcp_host& host, py::object& plugin) {
  const auto* const subscriptions = table_of<mcp_subscriptions>(host, MCP_SUBSCRIPTIONS);
  if (subscriptions == nullptr) return;
  mcp_subscription_listener listener{};
  listener.size = sizeof listener;
  listener.context = &plugin;
  listener.subscribed = [](void* self, mcp_string uri) { tell(self, uri, true); };
  listener.unsubscribed = [](void* self, mcp_string uri) { tell(self, uri, false); };
  subscriptions->listen(&host, &listener);
}

}  // namespace plugins::python
