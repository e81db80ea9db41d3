#include "worker/host_link.hpp"

#include <cstdint>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "base/utf8.hpp"
#include "plugin/call.hpp"
#include "plugin/plugin.hpp"

namespace mcph {
namespace {

constexpr auto refused = static_cast<std::int32_t>(Outcome::error);
constexpr std::string_view words_for_crowd =
    R"({"code":-32603,"message":"the answer is too long for the memory that the plugin shares with its host, and could )"
    R"(not be passed on otherwise, because too many descriptors of the host's user are on their way between processes"})";

}  // namespace

void HostLink::send_frame(Frame frame) {
  const bool may_be_long = frame.kind == Frame::Kind::ready || frame.kind == Frame::Kind::completed ||
                           frame.kind == Frame::Kind::store_query || frame.kind == Frame::Kind::metrics_recorded;
  if (!may_be_long) frame.text = utf8_prefix(frame.text, max_message_bytes);
  {
    const MutexLock lock(sending_);
    auto sent = writer_.send(frame, true);
    // The call fails then, and no other one waits for it.
    if (sent == Sent::crowded && frame.kind == Frame::Kind::completed)
      sent = writer_.send(to_host::frame_of(to_host::Completed{frame.id, refused, words_for_crowd, true}), true);
    while (sent == Sent::crowded)
      sent = writer_.send(frame, true);
    // Without an answer the call would wait for ever: the host learns at least that something is wrong.
    if (sent == Sent::too_much || sent == Sent::broken) ::_exit(out_of_memory_status);
  }
  if (is_long(frame) && long_text_sent_) long_text_sent_();
}

bool HostLink::give_back_memory() {
  const MutexLock lock(sending_);
  return writer_.give_back_memory();
}

QueryId HostLink::begin_query() {
  const MutexLock lock(mutex_);
  answers_.emplace(++last_query_, std::nullopt);
  return last_query_;
}

StoreAnswer HostLink::wait_for_answer(QueryId query) {
  MutexLock lock(mutex_);
  auto& entry = answers_.at(query);
  while (!entry.has_value())
    answered_.wait(lock);
  auto answer = *std::move(entry);
  answers_.erase(query);
  return answer;
}

StoreAnswer HostLink::ask_store(const StoreOperation& operation) {
  const auto query = begin_query();
  send(to_host::StoreQuery{
      query, operation.kind, {operation.if_revision, operation.key.size()}, operation.key + operation.value});
  return wait_for_answer(query);
}

void HostLink::take(StoreAnswer answer, QueryId query) {
  const MutexLock lock(mutex_);
  const auto entry = answers_.find(query);
  if (entry == answers_.end()) return;
  entry->second = std::move(answer);
  answered_.notify_all();
}

}  // namespace mcph
