// A call that the host has passed on: what the plugin says of it goes back. Shared by the worker, which passes on its
// cancellation, and the plugin in it; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/mutex.hpp"
#include "plugin/call.hpp"
#include "plugin/isolated/worker_messages.hpp"
#include "worker/host_link.hpp"

namespace mcph {

class WorkerCall final : public Call {
 public:
  // `over` is called once, before the host hears of the end.
  WorkerCall(const to_worker::Invoke& invoke, HostLink& host, std::function<void(CallId)> over)
      : Call(invoke.method, std::string(invoke.params)),
        id_(invoke.call),
        wants_progress_(invoke.wants_progress),
        host_(host),
        over_(std::move(over)),
        context_(invoke.context) {}

  void progress(double progress, double total, std::string_view message) override;
  bool wants_progress() const override { return wants_progress_; }
  void complete(Outcome outcome, std::string_view json) override;
  void refuse(std::string error) override;
  void log(std::int32_t level, std::string_view message) override;
  std::string context() const override;
  std::string caller() const override;

 private:
  const CallId id_;
  const bool wants_progress_;
  HostLink& host_;
  const std::function<void(CallId)> over_;
  mutable Mutex mutex_;
  mutable std::string context_ GUARDED_BY(mutex_);  // empty until the host has been asked
};

}  // namespace mcph
