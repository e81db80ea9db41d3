// What HttpConnection does for event streams: writes them, keeps them for clients that come back, and resumes them.
#include <functional>
#include <utility>

#include "transport/sse.hpp"
#include "transport/streamable_http/http_connection.hpp"
#include "transport/streamable_http/http_exchange.hpp"

namespace mcph {
namespace {

// After which a client comes back whose connection was closed to be polled.
constexpr std::chrono::milliseconds retry_time{1000};

// Since this revision a client takes an event without data, and comes back to a stream that the server has left.
constexpr std::string_view polls_since = "2025-11-25";

HttpResponse refuse_resumption(EventLog::Resumption::Outcome outcome) {
  if (outcome == EventLog::Resumption::Outcome::carried) {
    return refusal(409, "The stream of this Last-Event-ID is open on another connection");
  }
  return refusal(400, "The Last-Event-ID names no stream of this session that is still kept");
}

}  // namespace

void HttpConnection::keep_response(EventStreamPlan& plan, const HttpHead& head, std::shared_ptr<Outbox> outbox) {
  const auto session = owner_.endpoint_.admit_stream(head).session;
  if (session == nullptr) return plan.until.reset();
  auto stream = events_->open_response(session->id(), std::move(outbox));
  const auto id = stream->before_first();
  keep(plan, *session, std::move(stream), id);
}

void HttpConnection::keep(EventStreamPlan& plan, const Session& session, std::shared_ptr<EventStream> stream,
                          const EventId& last) const {
  plan.kept = std::move(stream);
  if (session.caller()->protocol_version < polls_since) return plan.until.reset();
  append_priming_event(plan.opening, last.text(), retry_time);
  const auto time = owner_.options_.stream_time;
  if (!plan.until && time.count() > 0) plan.until = owner_.now() + time;
}

HttpConnection::awaitable<bool> HttpConnection::answer_get(const HttpFields& fields, const HttpClient& client) {
  if (!accepts(fields.accept, "text/event-stream")) {
    auto response = refusal(406, "Accept must list text/event-stream");
    co_return co_await respond(client, std::move(response));
  }
  auto admission = owner_.endpoint_.admit_stream(fields.head);
  auto session = std::move(admission.session);
  if (session == nullptr) {
    auto response = HttpResponse::from(std::move(admission.refusal));
    co_return co_await respond(client, std::move(response));
  }
  EventLog::Resumption resumption;
  EventStreamPlan plan;
  bool has_room = true;
  // Much may have been missed.
  const std::function<void()> find_place = [&] {
    resumption = fields.last_event_id ? resume(*session, *fields.last_event_id) : listening(*session);
    if (resumption.stream == nullptr) return;
    keep(plan, *session, resumption.stream, resumption.last);
    has_room = append_missed(plan, std::exchange(resumption.missed, {}));
  };
  co_await work_on(0, find_place);
  if (resumption.stream == nullptr) {
    auto response = refuse_resumption(resumption.outcome);
    co_return co_await respond(client, std::move(response));
  }
  if (!has_room) {
    let_go(plan);
    auto response = memory_refusal("what was missed of this stream");
    co_return co_await respond(client, std::move(response));
  }
  if (!resumption.stream->listens()) {
    session.reset();
    co_return co_await resume_response(client, std::move(resumption.outbox), std::move(plan));
  }
  const auto notifications = std::make_shared<HttpNotificationStream>(weak_from_this(), budget_);
  session->attach(notifications);
  session.reset();  // the stream does not keep a session that has been ended
  co_return co_await listen(client, *notifications, std::move(plan));
}

EventLog::Resumption HttpConnection::resume(const Session& session, std::string_view last_event_id) {
  const auto id = EventId::read(last_event_id);
  if (!id) return {};
  auto resumption = events_->resume(session.id(), *id, weak_from_this());
  // Of listening nothing is lost but what was on the way: the session keeps what nobody hears.
  const bool forgotten = resumption.outcome == EventLog::Resumption::Outcome::unknown;
  return forgotten && id->kind == EventId::Kind::listening ? listening(session) : std::move(resumption);
}

EventLog::Resumption HttpConnection::listening(const Session& session) {
  auto stream = events_->open_listening(session.id());
  const auto id = stream->before_first();
  return {EventLog::Resumption::Outcome::resumed, std::move(stream), id};
}

HttpConnection::awaitable<bool> HttpConnection::resume_response(const HttpClient& client,
                                                                std::shared_ptr<Outbox> outbox, EventStreamPlan plan) {
  Outbox::Content content;
  if (outbox == nullptr) {
    content.reply.emplace();  // everything has been said, and is in the opening
    outbox = std::make_shared<Outbox>(weak_from_this());
  } else {
    content = outbox->take();
  }
  const bool whole = co_await stream(client, *outbox, std::move(content), plan);
  let_go(plan);
  if (!whole) co_return false;
  co_return client.keep_alive;
}

HttpConnection::awaitable<bool> HttpConnection::listen(const HttpClient& client, HttpNotificationStream& notifications,
                                                       EventStreamPlan plan) {
  plan.notifications = &notifications;
  auto content = notifications.outbox().take();
  const bool whole = co_await stream(client, notifications.outbox(), std::move(content), plan);
  let_go(plan);
  if (!whole) co_return false;
  co_return client.keep_alive;
}

void HttpConnection::let_go(EventStreamPlan& plan) {
  const auto kept = std::exchange(plan.kept, nullptr);
  if (kept == nullptr) return;
  if (plan.notifications != nullptr) {
    // What is told from now on is told on another stream.
    plan.notifications->close();
    for (auto& message : plan.notifications->outbox().take().messages)
      kept->add(std::move(message));
  }
  kept->release();
}

HttpConnection::awaitable<bool> HttpConnection::answer_sse(const HttpFields& fields, const HttpClient& client) {
  if (!accepts(fields.accept, "text/event-stream")) {
    auto response = refusal(406, "Accept must list text/event-stream");
    co_return co_await respond(client, std::move(response));
  }
  const auto sse_client = owner_.sse_clients_.open(fields.head.principal, weak_from_this());
  if (sse_client == nullptr) {
    auto response = unavailable("This server is stopping");
    co_return co_await respond(client, std::move(response));
  }
  EventStreamPlan plan;
  append_endpoint_event(plan.opening, std::string(messages_endpoint) + "?sessionId=" + sse_client->id());
  auto& outbox = sse_client->stream().outbox();
  auto content = outbox.take();
  const bool whole = co_await stream(client, outbox, std::move(content), plan);
  const std::function<void()> close = [&] { owner_.sse_clients_.close(*sse_client); };
  co_await work_on(0, close);  // it may wait for a message of the client
  if (!whole) co_return false;
  co_return client.keep_alive;
}

bool HttpConnection::append_missed(EventStreamPlan& plan, const std::vector<Event>& missed) {
  std::size_t bytes = plan.opening.size();
  for (const auto& event : missed)
    bytes += event.message->size();
  if (!plan.share.grow(budget_, bytes)) return false;
  for (const auto& event : missed)
    append_event(plan.opening, event.id.text(), *event.message);
  return true;
}

void HttpConnection::append_next(std::string& events, const EventStreamPlan& plan, std::string message) {
  if (plan.kept == nullptr) return append_event(events, message);
  const auto kept = std::make_shared<const std::string>(std::move(message));
  const auto id = plan.kept->add(kept);
  append_event(events, id.text(), *kept);
}

HttpConnection::awaitable<bool> HttpConnection::stream(const HttpClient& client, Outbox& outbox,
                                                       Outbox::Content content, EventStreamPlan& plan) {
  body_share_ = {};
  streamed_ = &outbox;
  const bool whole = co_await write_events(client, outbox, std::move(content), plan);
  streamed_ = nullptr;
  co_return whole;
}

void HttpConnection::cut_off_stream(Outbox::Overflow overflow) {
  cut_off("stream closed", overflow == Outbox::Overflow::no_memory
                               ? "there is no memory left for what waits until the client reads, because large "
                                 "requests and answers of others take all of it"
                               : "the client reads too slowly");
}

HttpConnection::awaitable<bool> HttpConnection::write_events(const HttpClient& client, Outbox& outbox,
                                                             Outbox::Content content, EventStreamPlan& plan) {
  auto text = event_stream_head(client);
  auto events = std::exchange(plan.opening, {});
  const std::function<void()> compose = [&] {
    for (auto& message : content.messages)
      append_next(events, plan, std::exchange(message, {}));
    if (content.reply && !content.reply->body.empty())
      append_next(events, plan, std::exchange(content.reply->body, {}));
    append_piece(text, client, events);
    // One copy is enough while it is written.
    events = {};
    content.messages = {};
  };
  while (!disconnected_) {
    if (events.empty() && content.empty()) events = heartbeat_comment;
    const auto bytes = events.size() + content.bytes();
    if (bytes > 0) co_await work_on(bytes, compose);
    if (content.reply && plan.kept != nullptr) plan.kept->end();
    const bool overflows = content.overflow != Outbox::Overflow::none;
    if (overflows && plan.kept != nullptr) plan.kept->lose();
    const bool over = content.reply || (plan.until && owner_.now() >= *plan.until);
    if (over && client.version >= 11) text += event_stream_end;
    // Before the client can know, because it may come back at once.
    if (over) let_go(plan);
    begin_holding(plan.share, limits_.write_time);
    begin_holding(content.share, limits_.write_time);
    const bool written = co_await write(text);
    end_holding();
    if (overflows) cut_off_stream(content.overflow);
    if (!written || cut_off_) co_return false;
    if (over) co_return client.version >= 11;
    // With its share of the budget: what comes next may be long in coming.
    text = {};
    content = {};
    plan.share = {};
    content = co_await next(outbox, plan.until);
  }
  co_return false;
}

}  // namespace mcph
