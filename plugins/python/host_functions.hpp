// What Python is given of the host: the functions of mcp_host as attributes of one object, each of which lets go of the
// interpreter's lock while the host is at work. Texts go over as bytes of UTF-8, what is no text in Unicode is
// replaced.
#pragma once

#include <memory>
#include <pybind11/pybind11.h>

#include <mcp/plugin.h>

#include "shared/mutex.hpp"

namespace plugins::python {

// The host for as long as the plugin lives. Python may keep what reaches it for longer, in a Context on a thread of the
// author's: that does nothing any more. [any]
class LivingHost {
 public:
  explicit LivingHost(const mcp_host& host) : host_(&host) {}

  // Runs `action` with the host, unless it is gone. Without the interpreter's lock, which the host may need meanwhile.
  template <class Action>
  void with(const Action& action) const {
    const SharedLock in_use(mutex_);
    if (host_ != nullptr) action(*host_);
  }

  // Why the call should end early. With or without the interpreter's lock, which nobody needs who holds the mutex.
  std::int32_t cancel_reason(mcp_call_id call) const {
    const SharedLock in_use(mutex_);
    return host_ != nullptr ? host_->is_cancelled(host_, call) : MCP_CANCEL_SHUTDOWN;
  }

  // From now on nothing reaches the host. Waits for what is on its way there; without the interpreter's lock.
  void end() {
    const ExclusiveLock nobody_else(mutex_);
    host_ = nullptr;
  }

 private:
  mutable SharedMutex mutex_;
  const mcp_host* host_ GUARDED_BY(mutex_);
};

// With the interpreter's lock.
pybind11::object host_functions(const std::shared_ptr<const LivingHost>& host);

}  // namespace plugins::python
