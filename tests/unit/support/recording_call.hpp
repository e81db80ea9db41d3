// A call of a tool that remembers what it heard and how it ended. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/call.hpp"
#include "plugin/plugin.hpp"
#include "support/eventually.hpp"

namespace mcph::test {

class RecordingCall final : public Call {
 public:
  explicit RecordingCall(const std::string& tool, const std::string& arguments = "{}",
                         std::shared_ptr<Plugin> lease = nullptr)
      : Call(PluginMethod::tools_call, R"({"arguments":)" + arguments + R"(,"name":")" + tool + "\"}", tool),
        lease_(std::move(lease)) {}

  bool wants_progress() const override { return hears_progress; }
  void progress(double progress, double total, std::string_view message) override {
    hear(std::to_string(progress) + "/" + std::to_string(total) + " " + std::string(message));
  }
  void log(std::int32_t level, std::string_view message) override {
    hear("log " + std::to_string(level) + " " + std::string(message));
  }
  void complete(Outcome outcome, std::string_view json) override {
    if (refuses_next_end.exchange(false)) throw std::runtime_error("no room for it");
    {
      const std::lock_guard lock(mutex_);
      ends_.push_back((outcome == Outcome::result ? "result " : "error ") + std::string(json));
    }
    if (on_end) on_end();
    ended = true;
  }
  std::string context() const override { return R"({"protocolVersion":"2026-07-28"})"; }
  std::string caller() const override { return R"({"principal":{"id":"ada"}})"; }

  // Of progress and the log.
  std::vector<std::string> heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  std::vector<std::string> ends() const {
    const std::lock_guard lock(mutex_);
    return ends_;
  }
  // What it ends with; waits for it.
  std::string end() const {
    if (!eventually([this] { return ended.load(); })) return "no end";
    return ends().back();
  }
  // Whether the plugin has begun with it, as its progress says; waits for it.
  bool begun() const {
    return eventually([this] { return !heard().empty(); });
  }

  bool hears_progress = true;  // set before the plugin is given it
  std::atomic<bool> ended{false};
  std::atomic<bool> refuses_next_end{false};
  std::function<void()> on_end;

 private:
  void hear(std::string what) {
    const std::lock_guard lock(mutex_);
    heard_.push_back(std::move(what));
  }

  const std::shared_ptr<Plugin> lease_;
  mutable std::mutex mutex_;
  std::vector<std::string> heard_;
  std::vector<std::string> ends_;
};

// With what a call ends that has such a structured content.
inline std::string result(const std::string& structured) {
  return R"(result {"content":[],"structuredContent":)" + structured + "}";
}

}  // namespace mcph::test
