// The optional interfaces of the host that plugins in Python may ask for (subscriptions, store, metrics, capabilities),
// as further attributes of the object that host_functions makes. What a function has come to, it returns with why; the
// exceptions are made in Python.
#pragma once

#include <memory>
#include <pybind11/pybind11.h>

#include "python/host_functions.hpp"

namespace plugins::python {

// With the interpreter's lock.
void add_interfaces(const pybind11::object& functions, const std::shared_ptr<const LivingHost>& host);

// `subscription_changed(uri, is_subscribed)` of the plugin is called from now on, where the host has subscriptions.
// `plugin` stays until it is stopped. Without the interpreter's lock.
void listen_to_subscriptions(const mcp_host& host, pybind11::object& plugin);

}  // namespace plugins::python
