// A call that the checker makes and waits for, and what came of it: of a client that can be asked whatever MCP has.
// Shared with the plugin, as any call; any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/call.hpp"
#include "plugin/plugin.hpp"

namespace mcph {

struct AskedEnd {
  bool in_stead = false;  // the host has answered, because the plugin did not
  Outcome outcome = Outcome::result;
  std::string text;  // of the answer
};

class AskedCall final : public Call {
 public:
  AskedCall(PluginMethod method, std::string params, std::string component)
      : Call(method, std::move(params), std::move(component)) {}

  // Nothing: it has not ended within that time.
  std::optional<AskedEnd> wait(std::chrono::milliseconds time);
  // Until the plugin has said how far it is, or the call has ended, or that time has passed.
  void wait_for_progress(std::chrono::milliseconds time);
  // What is wrong with what it has said of its progress; empty: nothing.
  std::string mistake_in_progress() const;

  void progress(double progress, double total, std::string_view message) override;
  void complete(Outcome outcome, std::string_view json) override { end(false, outcome, std::string(json)); }
  void refuse(std::string error) override { end(true, Outcome::error, std::move(error)); }
  void log(std::int32_t /*level*/, std::string_view /*message*/) override {}
  std::string context() const override;
  std::string caller() const override;

 private:
  using Clock = std::chrono::steady_clock;

  void end(bool in_stead, Outcome outcome, std::string text);

  mutable Mutex mutex_;
  Condition changed_;
  std::optional<AskedEnd> end_ GUARDED_BY(mutex_);
  std::optional<double> progress_ GUARDED_BY(mutex_);
  std::string mistake_ GUARDED_BY(mutex_);
};

}  // namespace mcph
