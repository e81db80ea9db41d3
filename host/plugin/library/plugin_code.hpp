// That the thread runs a plugin's code in this process: whose, and which part of it, so that a report of its crash can
// say so; or, within that, the host's code which the plugin has called. Lives on the stack around that code; the
// innermost one counts.
#pragma once

#include <string_view>
#include <utility>

#include "plugin/plugin.hpp"

namespace mcph {

class PluginCode {
 public:
  // `part` is a component's name or URI, or a function of the contract. Both outlive it.
  PluginCode(const PluginIdentity& plugin, std::string_view part)
      : plugin_(&plugin), part_(part), outer_(std::exchange(innermost_, this)) {}
  // The host's own, which a plugin calls.
  PluginCode() : outer_(std::exchange(innermost_, this)) {}
  ~PluginCode() { innermost_ = outer_; }
  PluginCode(const PluginCode&) = delete;
  PluginCode& operator=(const PluginCode&) = delete;

  const PluginIdentity* plugin() const { return plugin_; }  // null: the host
  std::string_view part() const { return part_; }

  // Of this thread; null if nobody has said what it runs. Also in a signal handler.
  static const PluginCode* current() { return innermost_; }

 private:
  static inline thread_local constinit const PluginCode* innermost_ = nullptr;

  const PluginIdentity* const plugin_ = nullptr;
  const std::string_view part_ = {};
  const PluginCode* const outer_;
};

}  // namespace mcph
