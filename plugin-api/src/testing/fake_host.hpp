// FakeHost: the host that a Harness plays: the C table, and what the plugin told it. Every function may be called from
// any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <mcp/plugin.h>
#include <mcp/plugin/testing.hpp>

namespace mcp::testing::detail {

struct FakeCall {
  std::optional<Outcome> outcome;
  std::int32_t cancelled = MCP_CANCEL_NONE;
};

class FakeHost {
 public:
  explicit FakeHost(const Json& config);
  /// Removes the data directory.
  ~FakeHost();
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  const mcp_host* table() const { return &table_; }
  /// The instance that cancellations go to.
  void serve(const mcp_plugin& plugin, void* instance) {
    cancel_ = plugin.cancel;
    instance_ = instance;
  }

  mcp_call_id begin_call();
  void cancel(mcp_call_id call, std::int32_t reason);
  bool is_done(mcp_call_id call) const;
  Outcome wait(mcp_call_id call, std::chrono::milliseconds limit);

  void set_caller(const Json& caller);
  void provide_interface(const std::string& name, const void* table);
  std::vector<LogEntry> logs() const;
  std::vector<Progress> progress() const;
  int components_changed() const;
  std::vector<std::string> updated_resources() const;

 private:
  static FakeHost& of(const mcp_host* table) { return *static_cast<FakeHost*>(table->context); }
  void complete(mcp_call_id call, std::int32_t kind, mcp_string json);
  std::string data_directory();

  mcp_host table_{};
  void (*cancel_)(void*, mcp_call_id, std::int32_t) = nullptr;
  void* instance_ = nullptr;
  const std::string config_;

  mutable std::mutex mutex_;
  std::condition_variable completed_;
  std::map<mcp_call_id, FakeCall> calls_;
  mcp_call_id last_call_ = 0;
  std::string caller_ = "{}";
  std::map<std::string, const void*, std::less<>> interfaces_;
  std::vector<LogEntry> logs_;
  std::vector<Progress> progress_;
  int components_changed_ = 0;
  std::vector<std::string> updated_resources_;
  std::filesystem::path data_directory_;
};

}  // namespace mcp::testing::detail
