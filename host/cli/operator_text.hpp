// What a host answers its operator, for a person at a terminal. Free functions.
#pragma once

#include <ostream>

#include <nlohmann/json.hpp>

namespace mcph {

// The host, a table with a line for each plugin, and below it what is refused or amiss, with the reasons.
void print_status(std::ostream& out, const nlohmann::ordered_json& status);

// A line for each plugin: what became of it.
void print_outcomes(std::ostream& out, const nlohmann::ordered_json& answer);

// "pid 12, serve, http://127.0.0.1:8080/mcp, /home/ada/mcp_components"
void print_host(std::ostream& out, const nlohmann::ordered_json& host);

}  // namespace mcph
