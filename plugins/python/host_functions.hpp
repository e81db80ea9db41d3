// What Python is given of the host: the functions of mcp_host as attributes of one object, each of which lets go of the
// interpreter's lock while the host is at work. Texts go over as bytes of UTF-8, what is no text in Unicode is
// replaced.
#pragma once

#include <pybind11/pybind11.h>

#include <mcp/plugin.h>

namespace plugins::python {

// With the interpreter's lock. The host must outlive what is returned.
pybind11::object host_functions(const mcp_host& host);

}  // namespace plugins::python
