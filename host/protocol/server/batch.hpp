// The replies of a JSON-RPC batch, gathered into the one reply of the HTTP request or line that brought it. Shared by
// the exchanges of its parts; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/mutex.hpp"
#include "protocol/exchange.hpp"
#include "runtime/memory_budget.hpp"

namespace mcph {

class Batch : public std::enable_shared_from_this<Batch> {
 public:
  // Of the answers of all batches that have gathered some, in bytes.
  static constexpr std::size_t max_gathered = std::size_t{64} << 20;

  // `parts` messages will be answered; each must be, with an empty body where none is due. The budget is of all
  // batches.
  Batch(std::size_t parts, std::shared_ptr<Exchange> whole, std::shared_ptr<MemoryBudget> gathered)
      : missing_(parts), whole_(std::move(whole)), gathered_(std::move(gathered)) {}

  std::shared_ptr<Exchange> part();
  // One for which there is no room becomes an error that says so, unless that is longer.
  void add(std::string body);
  bool has_reader() { return whole_->is_awaited(); }
  void notify(std::string message) { whole_->notify(std::move(message)); }
  void notify_if_room(std::string message) { whole_->notify_if_room(std::move(message)); }
  void release_memory() { whole_->release_memory(); }

 private:
  Mutex mutex_;
  std::size_t missing_ GUARDED_BY(mutex_);
  std::string bodies_ GUARDED_BY(mutex_);
  MemoryBudget::Share share_ GUARDED_BY(mutex_);
  const std::shared_ptr<Exchange> whole_;
  const std::shared_ptr<MemoryBudget> gathered_;
};

}  // namespace mcph
