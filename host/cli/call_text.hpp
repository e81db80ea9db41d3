// What a person, or with --json a program, reads of how a call ended. Free functions; each returns the exit status.
#pragma once

#include <string>

#include "plugin/plugin_method.hpp"
#include "protocol/message.hpp"

namespace mcph {

// The JSON form is for programs: an object with the error, where there is no result.
int fail_with(const RpcError& error, bool as_json);
int fail_with(std::string message, bool as_json);

// A result that has been checked.
int print_result(PluginMethod method, const Json& result, bool as_json);

}  // namespace mcph
