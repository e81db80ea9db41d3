// What a worker wants of its plugin's store, one after another, on threads that run no event loop, because it waits for
// the disk; where those end, on the thread that asks. What waits has a bound, so that a worker which asks without
// waiting for answers gets errors. Held by its plugin and by what is under way, which may end after the plugin; any
// thread.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "base/mutex.hpp"
#include "plugin/plugin_store.hpp"
#include "runtime/executor.hpp"

namespace mcph {

class StoreQueue : public std::enable_shared_from_this<StoreQueue> {
 public:
  using Done = std::function<void(const StoreAnswer& answer)>;
  static constexpr std::size_t max_waiting = 256;

  // The executor outlives it.
  StoreQueue(std::shared_ptr<PluginStore> store, Executor& executor) : store_(std::move(store)), executor_(executor) {}

  // Tells `done` at once if too many wait.
  void add(StoreOperation operation, Done done);

 private:
  struct Waiting {
    StoreOperation operation;
    Done done;
  };

  void run_next();
  bool run_next_elsewhere();  // false: it is not run
  bool perform_next();        // whether more wait

  const std::shared_ptr<PluginStore> store_;
  Executor& executor_;
  Mutex mutex_;
  std::deque<Waiting> waiting_ GUARDED_BY(mutex_);  // the first of them runs
};

}  // namespace mcph
