#include "sources/upstream/upstream_answer.hpp"

#include <utility>

namespace mcph {

void UpstreamAnswer::send(OutgoingRequest request) {
  auto sent = http_->send(std::move(request), shared_from_this());
  bool is_late = false;
  bool may_go_on = false;
  {
    const MutexLock lock(mutex_);
    is_late = is_cancelled_;
    may_go_on = !is_behind_ && std::exchange(is_paused_, false);
    if (!is_late) sent_ = sent;
  }
  // What has come by now may have wanted either.
  if (is_late) return sent.cancel();
  if (may_go_on) sent.resume();
}

void UpstreamAnswer::cancel() {
  UpstreamHttp::Sent sent;
  std::deque<Task> dropped;
  {
    const MutexLock lock(mutex_);
    is_cancelled_ = true;
    sent = std::exchange(sent_, {});
    dropped.swap(waiting_);
    if (timer_) timer_->cancel();
  }
  if (sent.cancel) sent.cancel();
}

bool UpstreamAnswer::body_came(std::string_view piece) {
  piece_came(piece);
  const MutexLock lock(mutex_);
  is_paused_ = is_behind_;
  return !is_behind_;
}

void UpstreamAnswer::ended(const Result<>& whole) {
  {
    const MutexLock lock(mutex_);
    timer_.reset();
  }
  if (!is_behind()) return all_came(whole);
  tell_later(0, [this, whole] { all_came(whole); });
}

bool UpstreamAnswer::is_told_now(std::size_t bytes) {
  return bytes <= Executor::max_quick_bytes && !is_behind();
}

void UpstreamAnswer::tell_later(std::size_t bytes, Task task) {
  {
    const MutexLock lock(mutex_);
    if (is_cancelled_) return;
    waiting_.push_back(std::move(task));
    if (std::exchange(is_behind_, true)) return;
  }
  http_->loops().run_long(bytes, [self = shared_from_this()] { self->tell_waiting(); });
}

void UpstreamAnswer::tell_waiting() {
  UpstreamHttp::Sent sent;
  for (;;) {
    Task next;
    {
      const MutexLock lock(mutex_);
      if (waiting_.empty()) {
        is_behind_ = false;
        // Where it is not known yet, send goes on.
        if (is_paused_ && sent_.resume) {
          is_paused_ = false;
          sent = sent_;
        }
        break;
      }
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    next();
  }
  if (sent.resume) sent.resume();
}

void UpstreamAnswer::run_after(std::chrono::milliseconds pause, Task task) {
  const MutexLock lock(mutex_);
  if (is_cancelled_) return;
  timer_.emplace(http_->loops().context_here(), pause);
  timer_->async_wait([self = shared_from_this(), task = std::move(task)](const boost::system::error_code& cancelled) {
    if (!cancelled && !self->is_cancelled()) task();
  });
}

bool UpstreamAnswer::is_cancelled() {
  const MutexLock lock(mutex_);
  return is_cancelled_;
}

bool UpstreamAnswer::is_behind() {
  const MutexLock lock(mutex_);
  return is_behind_;
}

}  // namespace mcph
