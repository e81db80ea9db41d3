// What a host answers its operator, for a person at a terminal. Free functions.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cli/terminal_text.hpp"

namespace mcph {

struct StatusView {
  Paint paint = Paint(false);
  bool is_live = false;  // it is one of many, so that what changes comes first
};

// The host, a table with a line for each plugin, and below it what is refused or amiss, with the reasons.
void print_status(std::ostream& out, const nlohmann::ordered_json& status, StatusView view = {});

// What the plugins of a status can be sorted by.
struct PluginOrder {
  std::string_view name;
  const char* member;     // a JSON pointer into a plugin
  bool is_number = true;  // the most comes first
  char key;               // that chooses it
};
extern const std::span<const PluginOrder> plugin_orders;
void put_in_order(nlohmann::ordered_json& status, const PluginOrder& order);

// A line for each plugin: what became of it.
void print_outcomes(std::ostream& out, const nlohmann::ordered_json& answer);

// "pid 12, serve, http://127.0.0.1:8080/mcp, /home/ada/mcp_components"
void print_host(std::ostream& out, const nlohmann::ordered_json& host);

}  // namespace mcph
