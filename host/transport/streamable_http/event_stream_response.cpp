#include "transport/streamable_http/event_stream_response.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "runtime/frame_memory.hpp"
#include "transport/sse.hpp"

namespace mcph {
namespace {

// After which a client comes back whose connection was closed to be polled.
constexpr std::chrono::milliseconds retry_time{1000};

// In which a connection leaves a stream that another one resumes: all that it waits for is work on what it has taken.
constexpr std::chrono::milliseconds leaving_time{5000};

// Since this revision a client takes an event without data, and comes back to a stream that the server has left.
constexpr std::string_view polls_since = "2025-11-25";

}  // namespace

EventStreamResponse::EventStreamResponse(HttpConnection& connection, std::chrono::milliseconds stream_time)
    : connection_(connection),
      stream_time_(stream_time),
      reader_(
          std::allocate_shared<ConnectionReader>(FrameAllocator<ConnectionReader>(), connection.shared_from_this())) {}

EventStreamResponse::~EventStreamResponse() {
  reader_->set_streamed(nullptr);
  if (kept_ == nullptr) return;
  // Nothing else: whoever listened may have gone before.
  try {
    release(*kept_);
  } catch (const std::bad_alloc&) {
    // It is released. What was to be kept of it is lost.
  }
}

Coroutine<> EventStreamResponse::wait_for(const EventStream& stream) {
  connection_.begin_waiting(leaving_time);
  while (stream.is_awaited_by(reader_) && !connection_.is_disconnected() && !connection_.is_time_up())
    co_await connection_.wake_up();
}

void EventStreamResponse::poll() {
  if (stream_time_.count() > 0) until_ = connection_.now() + stream_time_;
}

void EventStreamResponse::keep(const Session& session, std::shared_ptr<EventStream> stream, const EventId& last) {
  kept_ = std::move(stream);
  if (session.caller()->protocol_version < polls_since) return until_.reset();
  append_priming_event(opening_, last.text(), retry_time);
  if (!until_) poll();
}

bool EventStreamResponse::append_missed(const std::vector<Event>& missed) {
  std::size_t bytes = opening_.size();
  for (const auto& event : missed)
    bytes += event.message->size();
  if (!share_.grow(connection_.budget(), bytes)) return false;
  for (const auto& event : missed)
    append_event(opening_, event.id.text(), *event.message);
  return true;
}

void EventStreamResponse::append_endpoint(std::string_view uri) {
  append_endpoint_event(opening_, uri);
}

Coroutine<Outbox::Content> EventStreamResponse::next(Outbox& outbox) {
  auto patience = connection_.limits().heartbeat;
  if (until_) patience = std::min(patience, std::chrono::ceil<std::chrono::milliseconds>(*until_ - connection_.now()));
  connection_.begin_waiting(patience);
  for (;;) {
    auto content = take(outbox);
    if (!content.empty() || is_gone() || connection_.is_time_up()) co_return content;
    co_await connection_.wake_up();
  }
}

Coroutine<bool> EventStreamResponse::write(Outbox& outbox, Outbox::Content content) {
  reader_->set_streamed(&outbox);
  const bool whole = co_await write_events(outbox, content);
  reader_->set_streamed(nullptr);
  let_go();
  // The end of the connection is the end of the stream.
  if (!whole || connection_.client().version < 11) connection_.close_then();
  co_return whole;
}

Coroutine<bool> EventStreamResponse::write_events(Outbox& outbox, Outbox::Content& content) {
  auto text = connection_.begin_event_stream();
  auto events = std::exchange(opening_, {});
  const std::function<void()> compose_text = [&] { compose(text, events, content); };
  while (!connection_.is_disconnected()) {
    if (events.empty() && content.empty()) events = heartbeat_comment;
    const auto bytes = events.size() + content.bytes();
    if (bytes > 0) co_await connection_.work_on(bytes, compose_text);
    if (content.reply && kept_ != nullptr) kept_->end();
    const bool overflows = content.overflow != Outbox::Overflow::none;
    if (overflows && kept_ != nullptr) kept_->lose();
    const bool over = content.reply || is_late();
    if (over && connection_.client().version >= 11) text += event_stream_end;
    // Before the client can know, because it may come back at once.
    if (over) let_go();
    connection_.begin_holding(share_, connection_.limits().write_time);
    connection_.begin_holding(content.share, connection_.limits().write_time);
    const bool written = co_await connection_.write(text);
    connection_.end_holding();
    if (overflows) cut_off(connection_, content.overflow);
    if (!written || connection_.is_cut_off()) co_return false;
    if (over) co_return true;
    // With its share of the budget: what comes next may be long in coming. Assigning an empty text would keep the
    // memory.
    std::string().swap(text);
    content = {};
    share_ = {};
    content = co_await next(outbox);
  }
  co_return false;
}

void EventStreamResponse::compose(std::string& text, std::string& events, Outbox::Content& content) const {
  for (auto& message : content.messages)
    append_next(events, std::exchange(message, {}));
  if (content.reply && !content.reply->body.empty()) append_next(events, std::exchange(content.reply->body, {}));
  append_piece(text, connection_.client(), events);
  // One copy is enough while it is written.
  std::string().swap(events);
  content.messages = {};
}

void EventStreamResponse::append_next(std::string& events, std::string message) const {
  if (kept_ == nullptr) return append_event(events, message);
  const auto kept = std::make_shared<const std::string>(std::move(message));
  const auto id = kept_->add(kept);
  append_event(events, id.text(), *kept);
}

void EventStreamResponse::let_go() {
  if (kept_ == nullptr) return;
  if (notifications_ != nullptr) {
    // What is told from now on is told on another stream.
    notifications_->close();
    for (auto& message : notifications_->outbox().take().messages)
      kept_->add(std::move(message));
  }
  const auto kept = std::exchange(kept_, nullptr);
  release(*kept);
}

void EventStreamResponse::release(EventStream& kept) {
  reader_->leave();
  kept.release();
}

}  // namespace mcph
