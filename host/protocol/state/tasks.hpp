// The tasks of all clients (SEP-2663), by ids that nobody can guess. The server decides what becomes a task: a tool
// call that takes longer than a client should have to wait, if the client knows tasks. One for each server; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.hpp"
#include "catalog/components.hpp"
#include "protocol/caller.hpp"
#include "protocol/calls/task.hpp"
#include "protocol/state/task_options.hpp"
#include "runtime/timers.hpp"

namespace mcph {

inline constexpr auto tasks_extension = "io.modelcontextprotocol/tasks";

class PublishedCatalog;

// Whether a principal whose task it is may still hear of it: by what that principal may do now, and if the call's
// arguments matter, only with the rights that began it.
bool may_follow(const Task& task, const Principal& principal, const PublishedCatalog& catalog);

class Tasks {
 public:
  // Of all results, and of calls that wait for their clients or go on with their answers; each task has a little of its
  // own besides. In bytes.
  static constexpr std::size_t max_memory = std::size_t{64} << 20;

  // `meta` is that of results, as JSON text. The timers stop before this is gone.
  Tasks(TaskOptions options, Timers& timers, std::string meta)
      : options_(options), timers_(timers), meta_(std::move(meta)) {}

  static bool are_known_to(const Caller& caller);

  // The exchange for a call of this tool, which may become a task.
  std::shared_ptr<Task> watch(const std::shared_ptr<Exchange>& client, std::string request_id, const Caller& caller,
                              TaskSupport support, std::string tool = {});

  // Cancels those whose owners' credentials are good no longer.
  void cancel_of(const IsGood& is_good);
  // Cancels all, and makes no more: nobody could fetch them.
  void end();

  std::size_t count() const;

  // Null if there is none, or it is not the caller's.
  std::shared_ptr<Task> find(const std::string& id, const Caller& caller) const;

 private:
  void create(const std::shared_ptr<Task>& task);
  void forget(const std::string& id);

  const TaskOptions options_;
  Timers& timers_;
  const std::string meta_;
  const std::shared_ptr<MemoryBudget> memory_ = std::make_shared<MemoryBudget>(max_memory);
  mutable Mutex mutex_;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::unordered_map<std::string, std::shared_ptr<Task>> tasks_ GUARDED_BY(mutex_);
};

}  // namespace mcph
