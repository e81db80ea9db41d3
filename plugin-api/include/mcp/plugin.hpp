// All that a plugin in C++ needs. See plugin/instance.hpp for what a plugin can register, plugin/field.hpp and
// plugin/arg.hpp for describing arguments, and plugin/testing.hpp for unit tests.
#pragma once

#include <mcp/plugin/typed.hpp>
#include <nlohmann/json.hpp>
