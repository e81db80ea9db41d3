// What the two files of InProcessPlugin share: how a function that a plugin calls through a table runs. Included by
// them alone.
#pragma once

#include <exception>
#include <string_view>
#include <utility>

#include <mcp/plugin.h>

#include "base/utf8.hpp"
#include "plugin/in_process/in_process_plugin.hpp"
#include "plugin/library/contract_text.hpp"
#include "plugin/library/plugin_code.hpp"

namespace mcph {

inline std::string_view message_of(mcp_string text) {
  return utf8_prefix(view(text), max_message_bytes);
}

// The plugin's sink, by a function of the host's.
inline void give(const PluginIdentity& plugin, const mcp_sink* sink, std::string_view text) {
  const PluginCode code(plugin, "a sink");
  sink->write(sink->context, as_mcp(text));
}

inline InProcessPlugin& self_of(const mcp_host* host) {
  return *static_cast<InProcessPlugin*>(host->context);
}

template <class Function>
void InProcessPlugin::serve(std::string_view function, Function&& function_of_host) noexcept {
  const PluginCode own;
  try {
    function_of_host(*this);
  } catch (const std::exception& error) {
    log_.error("host function failed", {{"function", function}, {"plugin", identity_.name}, {"reason", error.what()}});
  } catch (...) {
    log_.error("host function failed", {{"function", function}, {"plugin", identity_.name}});
  }
}

}  // namespace mcph
