#include "sources/folder/operator_requests.hpp"

#include <utility>

namespace mcph {

OperatorRequests::Answer OperatorRequests::wait_for(const Pending& pending) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return pending.answer.has_value() || closed_; });
  if (pending.answer) return *pending.answer;
  return fail("the host is stopping");
}

std::vector<std::shared_ptr<OperatorRequests::Pending>> OperatorRequests::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

void OperatorRequests::answer(Pending& pending, Answer answer) {
  {
    const std::lock_guard lock(mutex_);
    pending.answer = std::move(answer);
  }
  changed_.notify_all();
}

void OperatorRequests::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
}

}  // namespace mcph
