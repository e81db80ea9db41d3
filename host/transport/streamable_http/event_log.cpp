#include "transport/streamable_http/event_log.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <utility>

namespace mcph {
namespace {

// The newest events of a stream, with each further one.
constexpr std::size_t max_compared = 128;

std::size_t cost_of(const Event& event) {
  return event.message->size() + EventLog::event_cost;
}

bool are_same(const std::weak_ptr<OutboxReader>& a, const std::weak_ptr<OutboxReader>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

// Digits as std::to_string writes them.
std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<EventId> EventId::read(std::string_view text) {
  if (!text.starts_with('r') && !text.starts_with('l')) return std::nullopt;
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto stream = read_number(text.substr(1, dash - 1));
  const auto number = read_number(text.substr(dash + 1));
  if (!stream || !number) return std::nullopt;
  return EventId{text.front() == 'r' ? Kind::response : Kind::listening, *stream, *number};
}

std::string EventId::text() const {
  return (kind == Kind::response ? "r" : "l") + std::to_string(stream) + "-" + std::to_string(number);
}

EventId EventStream::add(std::shared_ptr<const std::string> message) {
  const auto log = log_.lock();
  if (log == nullptr) return before_first_;
  const MutexLock lock(log->mutex_);
  return log->add(*this, std::move(message));
}

void EventStream::end() {
  std::shared_ptr<Outbox> outbox;  // let go of without the lock: it may be the
                                   // last that holds a call
  const auto log = log_.lock();
  if (log == nullptr) return;
  const MutexLock lock(log->mutex_);
  ended_ = true;
  outbox.swap(outbox_);
}

void EventStream::lose() {
  std::shared_ptr<Outbox> outbox;
  const auto log = log_.lock();
  if (log == nullptr) return;
  const MutexLock lock(log->mutex_);
  log->remove(*this);
  outbox.swap(outbox_);
}

void EventStream::release() {
  std::shared_ptr<Outbox> outbox;
  const auto log = log_.lock();
  if (log == nullptr) return;
  MutexLock lock(log->mutex_);
  carried_ = false;
  carrier_.reset();
  const auto next = next_.lock();
  if (session_ != nullptr) log->use(*session_);
  if (outbox_ != nullptr) {
    outbox_->read_by(weak_from_this());
    outbox = log->drain(*this);
  }
  lock.unlock();
  if (next != nullptr) next->outbox_filled();
}

bool EventStream::is_awaited_by(const std::weak_ptr<OutboxReader>& reader) const {
  const auto log = log_.lock();
  if (log == nullptr) return false;
  const MutexLock lock(log->mutex_);
  return carried_ && are_same(next_, reader);
}

void EventStream::outbox_filled() {
  std::shared_ptr<Outbox> outbox;
  const auto log = log_.lock();
  if (log == nullptr) return;
  const MutexLock lock(log->mutex_);
  if (!carried_ && outbox_ != nullptr) outbox = log->drain(*this);
}

EventLog::EventLog(Limits limits, Clock clock) : limits_(limits), clock_(std::move(clock)) {}

std::shared_ptr<EventStream> EventLog::open_response(const std::string& session, std::shared_ptr<Outbox> outbox,
                                                     const Principal& opener,
                                                     const std::weak_ptr<OutboxReader>& carrier) {
  return open(session, EventId::Kind::response, std::move(outbox), opener, carrier);
}

std::shared_ptr<EventStream> EventLog::open_listening(const std::string& session, const Principal& opener,
                                                      const std::weak_ptr<OutboxReader>& carrier) {
  return open(session, EventId::Kind::listening, nullptr, opener, carrier);
}

std::shared_ptr<EventStream> EventLog::open(const std::string& session, EventId::Kind kind,
                                            std::shared_ptr<Outbox> outbox, const Principal& opener,
                                            const std::weak_ptr<OutboxReader>& carrier) {
  const MutexLock lock(mutex_);
  auto& events = find_or_make(session);
  const EventId before_first{kind, ++streams_opened_, 0};
  auto stream = std::make_shared<EventStream>(weak_from_this(), events, before_first, std::move(outbox), opener);
  stream->carrier_ = carrier;
  events.streams.emplace(before_first.stream, stream);
  use(events);
  count(events, stream_cost);
  make_room(events, nullptr);
  return stream;
}

EventLog::Resumption EventLog::resume(const std::string& session, const EventId& last,
                                      const std::weak_ptr<OutboxReader>& reader, const MayHear& may_hear, Asks asks) {
  MutexLock lock(mutex_);
  const auto stream = find(session, last, may_hear);
  if (stream == nullptr) return {};
  // A client that has no answer would come back again and again to hear nothing.
  if (stream->ended_ && !stream->listens() && last.number == stream->last_) return {Resumption::Outcome::over, stream};
  const bool is_next = are_same(stream->next_, reader);
  if (asks == Asks::again && !is_next) return {Resumption::Outcome::carried, stream};
  if (!stream->carried_) return carry(stream, last, reader);
  const auto overtaken = is_next ? nullptr : stream->next_.lock();
  const auto carrier = stream->carrier_.lock();
  stream->next_ = reader;
  lock.unlock();
  if (overtaken != nullptr) overtaken->outbox_filled();
  if (carrier != nullptr) carrier->asked_to_leave();
  return {Resumption::Outcome::carried, stream};
}

std::shared_ptr<EventStream> EventLog::find(const std::string& session, const EventId& last,
                                            const MayHear& may_hear) const {
  const auto entry = by_session_.find(session);
  if (entry == by_session_.end()) return nullptr;
  const auto found = entry->second->streams.find(last.stream);
  if (found == entry->second->streams.end()) return nullptr;
  const auto& stream = found->second;
  if (stream->before_first_.kind != last.kind || last.number > stream->last_) return nullptr;
  if (may_hear != nullptr && !may_hear(stream->opener_)) return nullptr;
  // A reply that is no longer kept will not come again.
  const bool has_reply = !stream->events_.empty() && stream->events_.back().id.number == stream->last_;
  if (stream->ended_ && !has_reply && last.number < stream->last_) return nullptr;
  return stream;
}

EventLog::Resumption EventLog::carry(const std::shared_ptr<EventStream>& stream, const EventId& last,
                                     const std::weak_ptr<OutboxReader>& reader) {
  Resumption resumption{Resumption::Outcome::resumed, stream, last, {}, stream->outbox_};
  const auto is_missed = [&](const Event& event) { return event.id.number > last.number; };
  std::copy_if(stream->events_.begin(), stream->events_.end(), std::back_inserter(resumption.missed), is_missed);
  // From here on nothing takes memory: whom it is carried by releases it.
  stream->carried_ = true;
  stream->carrier_ = reader;
  stream->next_.reset();  // whoever has asked for it before is too late
  use(*stream->session_);
  if (resumption.outbox != nullptr) resumption.outbox->read_by(reader);
  return resumption;
}

void EventLog::forget(const std::string& session) {
  ByUse forgotten;  // freed without the lock
  const MutexLock lock(mutex_);
  const auto entry = by_session_.find(session);
  if (entry == by_session_.end()) return;
  auto& events = *entry->second;
  for (const auto& [number, stream] : events.streams)
    stream->session_ = nullptr;
  bytes_ -= events.bytes;
  pass_over(entry->second);
  forgotten.splice(forgotten.end(), by_use_, entry->second);
  by_session_.erase(entry);
}

void EventLog::forget_unused() {
  const MutexLock lock(mutex_);
  const auto now = clock_();
  while (!by_use_.empty() && now - by_use_.front().last_use > limits_.time) {
    auto& events = by_use_.front();
    for (auto& [number, stream] : events.streams) {
      if (!is_over(*stream)) continue;
      for (const auto& event : stream->events_)
        uncount(events, cost_of(event));
      uncount(events, stream_cost);
      stream->session_ = nullptr;
    }
    std::erase_if(events.streams, [](const auto& entry) { return entry.second->session_ == nullptr; });
    if (!events.streams.empty()) {
      use(events);
      continue;
    }
    pass_over(by_use_.begin());
    by_session_.erase(events.session);
    by_use_.pop_front();
  }
}

std::size_t EventLog::bytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

EventId EventLog::add(EventStream& stream, std::shared_ptr<const std::string> message) {
  auto id = stream.before_first_;
  id.number = ++stream.last_;
  if (stream.session_ == nullptr) return id;
  if (stream.listens()) drop_repeated(stream, *message);
  stream.events_.push_back({id, std::move(message)});
  count(*stream.session_, cost_of(stream.events_.back()));
  make_room(*stream.session_, &id);
  note_droppable(by_session_.find(stream.session_->session)->second);  // by the next one
  return id;
}

void EventLog::drop_repeated(EventStream& stream, const std::string& message) {
  auto& events = stream.events_;
  const auto newest = events.end() - static_cast<std::ptrdiff_t>(std::min(events.size(), max_compared));
  const auto repeated =
      std::find_if(newest, events.end(), [&](const Event& event) { return *event.message == message; });
  if (repeated == events.end()) return;
  uncount(*stream.session_, cost_of(*repeated));
  events.erase(repeated);
}

std::shared_ptr<Outbox> EventLog::drain(EventStream& stream) {
  for (;;) {
    auto content = stream.outbox_->take();
    if (content.empty()) return nullptr;
    for (auto& message : content.messages)
      add(stream, std::make_shared<const std::string>(std::move(message)));
    if (content.reply && !content.reply->body.empty())
      add(stream, std::make_shared<const std::string>(std::move(content.reply->body)));
    if (!content.reply && content.overflow == Outbox::Overflow::none) continue;
    stream.ended_ = true;
    if (stream.session_ != nullptr) use(*stream.session_);
    if (!content.reply) remove(stream);
    return std::exchange(stream.outbox_, nullptr);
  }
}

SessionEvents& EventLog::find_or_make(const std::string& session) {
  const auto found = by_session_.find(session);
  if (found != by_session_.end()) return *found->second;
  by_use_.push_back({session, {}, 0, 0, {}, ++uses_});
  by_session_.emplace(by_use_.back().session, std::prev(by_use_.end()));
  return by_use_.back();
}

void EventLog::use(const SessionEvents& events) {
  const auto entry = by_session_.find(events.session)->second;
  entry->last_use = clock_();
  entry->use = ++uses_;
  pass_over(entry);
  by_use_.splice(by_use_.end(), by_use_, entry);
  note_droppable(entry);
}

void EventLog::note_droppable(ByUse::iterator entry) {
  if (droppable_ == by_use_.end() || entry->use < droppable_->use) droppable_ = entry;
}

void EventLog::pass_over(ByUse::iterator entry) {
  if (droppable_ == entry) ++droppable_;
}

void EventLog::count(SessionEvents& events, std::size_t bytes) {
  events.bytes += bytes;
  if (is_large(bytes)) events.large_bytes += bytes;
  bytes_ += bytes;
}

void EventLog::uncount(SessionEvents& events, std::size_t bytes) {
  events.bytes -= bytes;
  if (is_large(bytes)) events.large_bytes -= bytes;
  bytes_ -= bytes;
}

bool EventLog::is_over(const EventStream& stream) {
  return !stream.carried_ && stream.outbox_ == nullptr;
}

void EventLog::remove(EventStream& stream) {
  auto* const events = std::exchange(stream.session_, nullptr);
  if (events == nullptr) return;
  for (const auto& event : stream.events_)
    uncount(*events, cost_of(event));
  uncount(*events, stream_cost);
  events->streams.erase(stream.before_first_.stream);
  if (events->streams.empty()) remove_empty(*events);
}

// A client could have more sessions without a stream than there is memory for.
void EventLog::remove_empty(const SessionEvents& events) {
  const auto entry = by_session_.find(events.session);
  const auto emptied = entry->second;
  pass_over(emptied);
  by_session_.erase(entry);  // first, because its key is a view into what goes
  by_use_.erase(emptied);
}

bool EventLog::drop_oldest(SessionEvents& events, Droppable which, const EventId* newest) {
  const auto may_go = [&](const Event& event) {
    const bool is_newest = newest != nullptr && event.id == *newest;
    return !is_newest && (which == Droppable::all || !is_large(cost_of(event)));
  };
  for (auto stream = events.streams.begin(); stream != events.streams.end(); ++stream) {
    auto& kept = stream->second->events_;
    const auto oldest = std::find_if(kept.begin(), kept.end(), may_go);
    if (oldest != kept.end()) {
      uncount(events, cost_of(*oldest));
      kept.erase(oldest);
      return true;
    }
    if (!kept.empty() || !is_over(*stream->second)) continue;
    stream->second->session_ = nullptr;
    events.streams.erase(stream);
    uncount(events, stream_cost);
    return true;
  }
  return false;
}

void EventLog::make_room(SessionEvents& events, const EventId* newest) {
  const auto counted = [&] { return events.bytes - events.large_bytes; };
  while (counted() > limits_.session_bytes && drop_oldest(events, Droppable::small_ones, newest)) {
  }
  while (bytes_ > limits_.bytes && droppable_ != by_use_.end()) {
    const auto other = droppable_;
    if (!drop_oldest(*other, Droppable::all, newest)) ++droppable_;
    if (other->streams.empty()) remove_empty(*other);
  }
}

}  // namespace mcph
