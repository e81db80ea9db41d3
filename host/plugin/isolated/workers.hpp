// What all workers share: the program they run, the contexts that read them, and the thread that starts them. That
// thread lives as long as this object, because the system ends a worker with the thread that started it. Owned by who
// assembles the program; outlives every plugin.
#pragma once

#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/result.hpp"
#include "plugin/isolated/fork_server.hpp"
#include "plugin/isolated/symbolizer.hpp"
#include "plugin/isolated/worker_channel.hpp"
#include "runtime/executor.hpp"
#include "runtime/timers.hpp"

namespace mcph {

class Workers {
 public:
  struct Options {
    std::filesystem::path program;
    std::chrono::milliseconds answer_time{10'000};  // for loading, describing and starting a plugin, each
    std::filesystem::path symbolizer = Symbolizer::default_program();
    bool tell_crash_places = false;  // to clients, too, whose calls a crash has ended
    bool shared_memory = true;       // between the host and each worker, where the system has it
    bool fork_server = false;        // begins now and starts the workers, of which there will be many; where it can
  };
  using Contexts = std::function<boost::asio::io_context&()>;

  // `executor` runs what takes its time. It outlives this object, as what the contexts refer to does.
  Workers(Options options, Contexts contexts, Executor& executor);

  // The program that is installed with this one.
  static std::filesystem::path default_program();

  const Options& options() const { return options_; }
  Executor& executor() { return executor_; }
  // One of those that read workers.
  boost::asio::io_context& next_context() { return contexts_(); }

  // On whose thread workers are started.
  Timers& timers() { return thread_; }
  // Has that thread start something, and waits for the Result. On any other thread. An error, too, where it has been
  // stopped.
  template <class Function>
  std::invoke_result_t<Function> run_and_wait(Function function) {
    try {
      // That thread's alone: where it drops the task, nobody waits any more.
      auto task = std::make_shared<std::packaged_task<std::invoke_result_t<Function>()>>(std::move(function));
      auto done = task->get_future();
      thread_.after({}, [task = std::move(task)] { (*task)(); });
      return done.get();
    } catch (const std::exception& error) {
      return fail_for_now(std::string("its process cannot be started: ") + error.what());
    }
  }

  // Finds the lines of source of crashes, and the thread for what waits for that.
  const Symbolizer& symbolizer() const { return symbolizer_; }
  Timers& crash_thread() { return crash_thread_; }

  // Starts a worker in place of one that has ended, on that thread. It has nothing in common with any other, but for
  // the plugin. `plugin` is the name of its file.
  Result<std::shared_ptr<WorkerChannel>> open_anew(const std::string& plugin, WorkerListener& listener);
  // Starts one, on any other thread, and waits. It may be forked, unless it is to have nothing in common with others.
  Result<std::shared_ptr<WorkerChannel>> open_and_wait(const std::string& plugin, WorkerListener& listener,
                                                       bool may_be_forked);

 private:
  Result<std::shared_ptr<WorkerChannel>> open(const std::string& plugin, WorkerListener& listener, ForkServer* server);

  const Options options_;
  const Contexts contexts_;
  Executor& executor_;
  const Symbolizer symbolizer_;
  std::optional<ForkServer> fork_server_;  // that thread's
  Timers thread_;
  Timers crash_thread_;
};

}  // namespace mcph
