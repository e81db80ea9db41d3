#include "http/client/sent_request.hpp"

#include <algorithm>
#include <utility>

#include "http/client/client_connection.hpp"

namespace mcph {

SentRequest::SentRequest(OutgoingRequest request, std::shared_ptr<AnswerListener> listener)
    : request_(std::move(request)),
      end_(request_.times.whole.count() == 0 ? Clock::time_point::max() : Clock::now() + request_.times.whole),
      listener_(std::move(listener)) {}

void SentRequest::cancel() {
  cancelled_ = true;
  std::shared_ptr<ClientConnection> connection;
  {
    const MutexLock lock(mutex_);
    connection = connection_.lock();
  }
  if (connection) connection->abandon(shared_from_this());
}

void SentRequest::resume() {
  std::shared_ptr<ClientConnection> connection;
  {
    const MutexLock lock(mutex_);
    connection = connection_.lock();
  }
  if (connection) connection->resume(shared_from_this());
}

SentRequest::Clock::time_point SentRequest::due(std::chrono::milliseconds phase) const {
  return phase.count() == 0 ? end_ : std::min(end_, Clock::now() + phase);
}

Error SentRequest::lateness(const char* what, std::chrono::milliseconds phase) const {
  const bool is_whole = Clock::now() >= end_;
  return fail_for_now(std::string(is_whole ? "it did not answer" : what) + " within " +
                      std::to_string((is_whole ? request_.times.whole : phase).count()) + " ms");
}

void SentRequest::goes_by(const std::shared_ptr<ClientConnection>& connection) {
  const MutexLock lock(mutex_);
  connection_ = connection;
}

void SentRequest::tell_head(const AnswerHead& head) {
  if (!is_cancelled()) listener_->head_came(head);
}

bool SentRequest::tell_body(std::string_view piece) {
  return is_cancelled() || listener_->body_came(piece);
}

void SentRequest::tell_end(const Result<>& whole) {
  if (!is_cancelled()) listener_->ended(whole);
}

}  // namespace mcph
