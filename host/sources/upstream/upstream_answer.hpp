// One answer of an upstream over HTTP while it comes, and the messages in it. They are told in their order: a short one
// at once, a long one on a thread that serves no client, because it takes its time to be read. What comes meanwhile
// waits, and no more is read until nothing does. Shared by who has asked and by what works on it. What is marked [any]
// may be called from any thread; the rest is called one after the other.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <boost/asio/steady_timer.hpp>

#include "base/mutex.hpp"
#include "sources/upstream/upstream_http.hpp"

namespace mcph {

class UpstreamAnswer : public AnswerListener, public std::enable_shared_from_this<UpstreamAnswer> {
 public:
  explicit UpstreamAnswer(std::shared_ptr<UpstreamHttp> http) : http_(std::move(http)) {}

  // [any] What comes is the answer to this request, or goes on with it.
  void send(OutgoingRequest request);
  // [any] Nothing more is told, but what is being told at that moment.
  void cancel();

  bool body_came(std::string_view piece) final;
  void ended(const Result<>& whole) final;

 protected:
  using Task = std::function<void()>;

  virtual void piece_came(std::string_view piece) = 0;
  // All that has come before has been told.
  virtual void all_came(const Result<>& whole) = 0;

  // Whether a message of so many bytes is told here and now; else later, by a task that keeps it.
  bool is_told_now(std::size_t bytes);
  void tell_later(std::size_t bytes, Task task);

  // Unless it has ended or been cancelled by then. One at a time.
  void run_after(std::chrono::milliseconds pause, Task task);
  bool is_cancelled();
  UpstreamHttp& http() const { return *http_; }

 private:
  void tell_waiting();
  bool is_behind();

  const std::shared_ptr<UpstreamHttp> http_;
  Mutex mutex_;
  std::deque<Task> waiting_ GUARDED_BY(mutex_);
  bool is_behind_ GUARDED_BY(mutex_) = false;  // a thread tells what waits
  bool is_paused_ GUARDED_BY(mutex_) = false;  // nothing is read because of that
  std::optional<boost::asio::steady_timer> timer_ GUARDED_BY(mutex_);
  UpstreamHttp::Sent sent_ GUARDED_BY(mutex_);
  bool is_cancelled_ GUARDED_BY(mutex_) = false;
};

}  // namespace mcph
