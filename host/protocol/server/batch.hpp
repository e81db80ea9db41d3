// The replies of a JSON-RPC batch, gathered into the one reply of the HTTP request or line that brought it. Shared by
// the exchanges of its parts; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "protocol/exchange.hpp"

namespace mcph {

class Batch : public std::enable_shared_from_this<Batch> {
 public:
  // `parts` messages will be answered; each must be, with an empty body where none is due.
  Batch(std::size_t parts, std::shared_ptr<Exchange> whole) : missing_(parts), whole_(std::move(whole)) {}

  std::shared_ptr<Exchange> part();
  void add(std::string_view body);
  void notify(std::string message) { whole_->notify(std::move(message)); }
  void notify_if_room(std::string message) { whole_->notify_if_room(std::move(message)); }

 private:
  Mutex mutex_;
  std::size_t missing_ GUARDED_BY(mutex_);
  std::string bodies_ GUARDED_BY(mutex_);
  const std::shared_ptr<Exchange> whole_;
};

}  // namespace mcph
