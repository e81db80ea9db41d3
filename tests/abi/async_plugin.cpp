// A plugin whose tool answers later, from a thread of the plugin's own: one thread waits for any number of calls.
#include <algorithm>
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
    wake([this] { stopping_ = true; });
    thread_.join();
  }

  void add(Clock::time_point due, mcp::Call call) {
    call.on_cancel([this] { wake([] {}); });
    wake([&] { waiting_.push_back({due, std::move(call)}); });
  }

 private:
  struct Alarm {
    Clock::time_point due;
    mcp::Call call;

    bool is_over(Clock::time_point now) const { return due <= now || call.cancelled(); }
  };

  template <class Change>
  void wake(const Change& change) {
    {
      const std::lock_guard lock(mutex_);
      change();
      awake_ = true;
    }
    woken_.notify_one();
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      awake_ = false;
      std::vector<Alarm> over = take_over();
      lock.unlock();
      for (Alarm& alarm : over)
        ring(alarm);
      lock.lock();
      woken_.wait_until(lock, next_due(), [this] { return awake_; });
    }
    waiting_.clear();
  }

  std::vector<Alarm> take_over() {
    const auto now = Clock::now();
    std::vector<Alarm> over;
    std::vector<Alarm> rest;
    for (Alarm& alarm : waiting_)
      (alarm.is_over(now) ? over : rest).push_back(std::move(alarm));
    waiting_ = std::move(rest);
    return over;
  }

  Clock::time_point next_due() const {
    auto next = Clock::now() + std::chrono::hours(1);
    for (const Alarm& alarm : waiting_)
      next = std::min(next, alarm.due);
    return next;
  }

  static void ring(Alarm& alarm) {
    if (alarm.call.cancelled()) {
      alarm.call.fail("cancelled");
    } else {
      alarm.call.complete("ring");
    }
  }

  std::mutex mutex_;
  std::condition_variable woken_;
  std::vector<Alarm> waiting_;
  bool awake_ = false;
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
