// An exchange that remembers what a client would have received. Any thread.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "protocol/exchange.hpp"

namespace mcph::test {

inline std::string words(ReplyStatus status) {
  switch (status) {
    case ReplyStatus::answered:
      return "answered";
    case ReplyStatus::accepted:
      return "accepted";
    case ReplyStatus::ended:
      return "ended";
    case ReplyStatus::invalid:
      return "invalid";
    case ReplyStatus::not_found:
      return "not found";
    case ReplyStatus::not_offered:
      return "not offered";
    case ReplyStatus::too_long:
      return "too long";
    case ReplyStatus::insufficient_scope:
      return "insufficient scope";
    case ReplyStatus::limited:
      return "limited";
    case ReplyStatus::unavailable:
      break;
  }
  return "unavailable";
}

class RecordingExchange final : public Exchange {
 public:
  std::vector<std::string> notifications() const {
    const std::lock_guard lock(mutex_);
    return notifications_;
  }

  std::vector<Reply> replies() const {
    const std::lock_guard lock(mutex_);
    return replies_;
  }

  // Whether the client is still there. Once nothing else uses the exchange.
  bool is_read = true;

  // Of the first reply.
  std::string body() const { return replies().empty() ? "(no reply)" : replies().front().body; }
  ReplyStatus status() const { return replies().at(0).status; }
  // That the reply has opened.
  OpenedSession session() const { return replies().at(0).session.value_or(OpenedSession{}); }

 private:
  void send(std::string message) override {
    const std::lock_guard lock(mutex_);
    notifications_.push_back(std::move(message));
  }
  void send_if_room(std::string message) override { send(std::move(message)); }
  void finish(Reply reply) override {
    const std::lock_guard lock(mutex_);
    replies_.push_back(std::move(reply));
  }
  bool has_reader() const override { return is_read; }

  mutable std::mutex mutex_;
  std::vector<std::string> notifications_;
  std::vector<Reply> replies_;
};

}  // namespace mcph::test
