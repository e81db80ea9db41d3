// A plugin whose tool answers later, from a thread of the plugin's own: one thread waits for any number of calls.
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <mcp/plugin.hpp>

namespace {

using Clock = std::chrono::steady_clock;

class Alarms {
 public:
  void start() {
    thread_ = std::thread([this] { run(); });
  }

  /// Calls that still wait are dropped, and so answered with an error.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void add(Clock::time_point due, mcp::Call call) {
    call.on_cancel([this] { changed_.notify_all(); });
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back({due, std::move(call)});
    }
    changed_.notify_all();
  }

 private:
  struct Alarm {
    Clock::time_point due;
    mcp::Call call;

    bool is_over(Clock::time_point now) const { return due <= now || call.cancelled(); }
  };

  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      std::vector<Alarm> over = take_over();
      lock.unlock();
      for (Alarm& alarm : over) ring(alarm);
      over.clear();
      lock.lock();
      changed_.wait_for(lock, std::chrono::milliseconds(5), [this] { return stopping_; });
    }
    waiting_.clear();
  }

  std::vector<Alarm> take_over() {
    const auto now = Clock::now();
    std::vector<Alarm> over;
    std::vector<Alarm> rest;
    for (Alarm& alarm : waiting_) (alarm.is_over(now) ? over : rest).push_back(std::move(alarm));
    waiting_ = std::move(rest);
    return over;
  }

  static void ring(Alarm& alarm) {
    if (alarm.call.cancelled()) {
      alarm.call.fail("cancelled");
    } else {
      alarm.call.complete("ring");
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Alarm> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

void setup(mcp::Plugin& plugin) {
  const auto alarms = std::make_shared<Alarms>();
  plugin.on_start([alarms] { alarms->start(); });
  plugin.on_stop([alarms] { alarms->stop(); });
  plugin.async_tool(
      "alarm", "Rings after a while.",
      [alarms](int milliseconds, mcp::Call call) {
        alarms->add(Clock::now() + std::chrono::milliseconds(milliseconds), std::move(call));
      },
      mcp::arg("milliseconds", "How long to wait").min(0).max(60000));
}

}  // namespace

MCP_PLUGIN("alarm", "1.0.0", setup)
