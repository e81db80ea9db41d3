#include "worker/host_link.hpp"

#include <unistd.h>
#include <utility>

#include "base/utf8.hpp"
#include "plugin/plugin.hpp"

namespace mcph {

void HostLink::send(Frame frame) const {
  const bool may_be_long = frame.kind == Frame::Kind::ready || frame.kind == Frame::Kind::completed;
  if (!may_be_long) frame.text = utf8_prefix(frame.text, max_message_bytes);
  if (send_frame(socket_, frame, true) != Sent::too_much) return;
  // Without an answer the call would wait for ever: the host learns at least that something is wrong.
  ::_exit(out_of_memory_status);
}

std::string HostLink::ask(Frame question) {
  std::unique_lock lock(mutex_);
  question.id = ++last_question_;
  const auto entry = questions_.emplace(question.id, std::nullopt).first;
  send(question);
  answered_.wait(lock, [&] { return entry->second.has_value(); });
  auto answer = *std::move(entry->second);
  questions_.erase(entry);
  return answer;
}

void HostLink::answer(std::uint64_t question, std::string_view text) {
  const std::lock_guard lock(mutex_);
  const auto entry = questions_.find(question);
  if (entry == questions_.end()) return;
  entry->second = text;
  answered_.notify_all();
}

}  // namespace mcph
