// Executor: threads of a plugin's own, on which asynchronous tools go on: as soon as one is free, or after a while.
// Made in setup for a plugin; shared by the handlers that use it. The threads live from the plugin's start to its stop;
// what waits then is dropped, and so are the calls that it owns, which fail by that. Every function may be called from
// any thread.
#pragma once

#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>

#include <mcp/plugin/instance.hpp>

namespace mcp {

class Executor {
 public:
  /// To be called in setup. `threads` is how many functions run at once; at least 1, or std::invalid_argument.
  static std::shared_ptr<Executor> make(Plugin& plugin, unsigned threads = 2);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Runs a function, which may own what cannot be copied, such as an mcp::Call. What it throws goes to the plugin's
  /// log.
  template <class F>
  void post(F function) {
    after(std::chrono::milliseconds(0), std::move(function));
  }
  /// The same after a while.
  template <class F>
  void after(std::chrono::steady_clock::duration delay, F function) {
    static_assert(std::is_invocable_v<F&>, "mcp: what an executor runs takes nothing");
    add(delay, std::make_unique<JobOf<F>>(std::move(function)));
  }

 private:
  struct Job {
    virtual ~Job() = default;
    virtual void run() = 0;
  };
  template <class F>
  struct JobOf final : Job {
    explicit JobOf(F made) : function(std::move(made)) {}
    void run() override { function(); }
    F function;
  };
  class State;

  explicit Executor(std::unique_ptr<State> state);
  void add(std::chrono::steady_clock::duration delay, std::unique_ptr<Job> job);

  std::unique_ptr<State> state_;
};

}  // namespace mcp
