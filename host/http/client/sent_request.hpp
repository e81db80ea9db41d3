// A request from when it is handed to a PooledHttpClient until it has ended. Shared by who sent it, who may let go of
// it, and by what works on it. What is marked [any] may be called from any thread; the rest is the client's own.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "base/mutex.hpp"
#include "http/client/outgoing_request.hpp"

namespace mcph {

class ClientConnection;

class SentRequest final : public std::enable_shared_from_this<SentRequest> {
 public:
  using Clock = std::chrono::steady_clock;

  SentRequest(OutgoingRequest request, std::shared_ptr<AnswerListener> listener);

  // [any] Nothing more is told of it, but what is being told at that moment. The connection that it has is closed,
  // because HTTP/1.1 has no other way to say so.
  void cancel();
  // [any] After AnswerListener::body_came has returned false.
  void resume();

  const OutgoingRequest& request() const { return request_; }
  bool is_cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // When it is late, if the phase that it is in may take so long; 0: as long as it likes.
  Clock::time_point due(std::chrono::milliseconds phase) const;
  // At this time, the phase having been given so long.
  Error lateness(const char* what, std::chrono::milliseconds phase) const;

  // From now on it waits for a connection. Until when.
  Clock::time_point wait() { return waiting_until_ = due(request_.times.connect); }
  Clock::time_point waiting_until() const { return waiting_until_; }
  void goes_by(const std::shared_ptr<ClientConnection>& connection);
  // True once.
  bool may_be_sent_again() { return !std::exchange(is_sent_again_, true); }

  void tell_head(const AnswerHead& head);
  bool tell_body(std::string_view piece);
  void tell_end(const Result<>& whole);

 private:
  const OutgoingRequest request_;
  const Clock::time_point end_;  // of all of it
  const std::shared_ptr<AnswerListener> listener_;
  std::atomic<bool> cancelled_ = false;
  bool is_sent_again_ = false;
  Clock::time_point waiting_until_ = Clock::time_point::max();
  Mutex mutex_;
  std::weak_ptr<ClientConnection> connection_ GUARDED_BY(mutex_);
};

}  // namespace mcph
