#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <mcp/plugin/executor.hpp>

#include "host_text.hpp"
#include "mutex.hpp"
#include "unanswered.hpp"

namespace mcp {

class Executor::State {
 public:
  using Clock = std::chrono::steady_clock;

  State(const mcp_host& host, unsigned threads) : host_(host), count_(threads) {}
  ~State() { stop(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void start() {
    while (threads_.size() < count_)
      threads_.emplace_back([this] { run(); });
  }

  void stop() {
    {
      const detail::MutexLock lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_)
      thread.join();
    threads_.clear();
    drop_all();
  }

  void add(Clock::duration delay, std::unique_ptr<Job> job) {
    constexpr Clock::duration never = std::chrono::hours(24 * 365 * 100);  // which can be added to now
    delay = std::clamp(delay, Clock::duration::zero(), never);
    {
      const detail::MutexLock lock(mutex_);
      // Then it is dropped without the lock.
      if (!stopping_) jobs_.emplace(Clock::now() + delay, std::move(job));
    }
    changed_.notify_all();
  }

 private:
  void run() {
    while (const auto job = next())
      run(*job);
  }

  void run(Job& job) {
    const auto log = [this](const std::string& what) {
      host_.log(&host_, 0, MCP_LOG_ERROR, detail::borrowed("a function of an executor threw " + what));
    };
    try {
      job.run();
    } catch (const std::exception& error) {
      log(std::string("an exception: ") + error.what());
    } catch (const detail::Unanswered&) {
      log("what ends a handler that asks the client: only there can a call ask");
    } catch (...) {
      log("something that is not a std::exception");
    }
  }

  // Null: it is stopping.
  std::unique_ptr<Job> next() {
    constexpr std::chrono::hours forever{24 * 365};
    detail::MutexLock lock(mutex_);
    while (!stopping_) {
      const auto due = jobs_.empty() ? Clock::now() + forever : jobs_.begin()->first;
      if (due <= Clock::now()) return std::move(jobs_.extract(jobs_.begin()).mapped());
      changed_.wait_until(lock, due);
    }
    return nullptr;
  }

  // What they own may add others.
  void drop_all() {
    std::multimap<Clock::time_point, std::unique_ptr<Job>> dropped;
    const detail::MutexLock lock(mutex_);
    dropped.swap(jobs_);
  }

  const mcp_host& host_;
  const unsigned count_;
  std::vector<std::thread> threads_;
  detail::Mutex mutex_;
  detail::Condition changed_;
  std::multimap<Clock::time_point, std::unique_ptr<Job>> jobs_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
};

std::shared_ptr<Executor> Executor::make(Plugin& plugin, unsigned threads) {
  if (threads == 0) throw std::invalid_argument("an executor has at least one thread");
  std::shared_ptr<Executor> executor(new Executor(std::make_unique<State>(plugin.host(), threads)));
  plugin.on_start([executor] { executor->state_->start(); });
  plugin.on_stop([executor] { executor->state_->stop(); });
  return executor;
}

Executor::Executor(std::unique_ptr<State> state) : state_(std::move(state)) {}

Executor::~Executor() = default;

void Executor::add(std::chrono::steady_clock::duration delay, std::unique_ptr<Job> job) {
  state_->add(delay, std::move(job));
}

}  // namespace mcp
