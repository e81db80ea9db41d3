// PluginInstance: one running plugin behind the C table, which is an object of mcp_plugin.serving.Plugin in Python.
// create makes it, stop ends it. What is [worker] waits for the interpreter's lock, and Python lets go of that while it
// waits; cancel, which is [any], does not.
#pragma once

#include <memory>
#include <pybind11/pybind11.h>
#include <string_view>

#include <mcp/plugin.h>

#include "python/host_functions.hpp"

namespace plugins::python {

class PluginInstance {
 public:
  // Imports the files of the configuration's folder. Throws what is wrong with it.
  explicit PluginInstance(const mcp_host& host);
  PluginInstance(const PluginInstance&) = delete;
  PluginInstance& operator=(const PluginInstance&) = delete;
  ~PluginInstance();

  std::string describe();
  void start();
  void invoke(mcp_call_id call, std::string_view method, std::string_view params) noexcept;
  void cancel(mcp_call_id call) noexcept;

 private:
  // Ends the host's life for what Python keeps of it, also where the constructor throws.
  class Host {
   public:
    explicit Host(const mcp_host& host) : living_(std::make_shared<LivingHost>(host)) {}
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    ~Host() { living_->end(); }
    std::shared_ptr<const LivingHost> living() const { return living_; }

   private:
    std::shared_ptr<LivingHost> living_;
  };

  const mcp_host& host_;
  Host host_of_python_;
  pybind11::object plugin_;  // touched with the interpreter's lock only
  int cancellations_ = -1;   // where Python reads which calls are cancelled; Python closes it
};

}  // namespace plugins::python
