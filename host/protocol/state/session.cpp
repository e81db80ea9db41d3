#include "protocol/state/session.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/base64.hpp"
#include "base/random_bytes.hpp"

namespace mcph {
namespace {

// 256 bits in visible ASCII (MCP 2025-11-25, basic/transports, "Session Management").
std::string unguessable_id() {
  return base64url_encode(random_bytes(32));
}

}  // namespace

std::shared_ptr<const Caller> Session::caller() const {
  const MutexLock lock(mutex_);
  return caller_;
}

std::shared_ptr<const Caller> Session::caller_as(const Principal& principal) {
  const MutexLock lock(mutex_);
  if (!caller_->principal.is_copy_of(principal)) {
    auto caller = *caller_;
    caller.principal = principal;
    caller_ = std::make_shared<const Caller>(std::move(caller));
  }
  return caller_;
}

void Session::initialized() {
  const MutexLock lock(mutex_);
  initialized_ = true;
  tell_pending();
}

void Session::lists_changed(ListKinds kinds) {
  const MutexLock lock(mutex_);
  pending_.tools |= kinds.tools;
  pending_.resources |= kinds.resources;
  pending_.prompts |= kinds.prompts;
  tell_pending();
}

void Session::resource_updated(const std::string& uri) {
  const MutexLock lock(mutex_);
  // The client may have unsubscribed while this was on its way.
  if (!subscriptions_.contains(uri)) return;
  pending_updates_.insert(uri);
  tell_pending();
}

Result<> Session::subscribe(const std::string& uri, PublishedCatalog& catalog) {
  const MutexLock lock(mutex_);
  catalog_ = &catalog;
  return subscriptions_.add(uri, *catalog.resource_updates(), weak_from_this());
}

void Session::unsubscribe(const std::string& uri) {
  const MutexLock lock(mutex_);
  subscriptions_.remove(uri);
  std::erase_if(pending_updates_,
                [this](const std::string& pending) REQUIRES(mutex_) { return !subscriptions_.contains(pending); });
}

void Session::attach(const std::shared_ptr<NotificationStream>& stream, const Principal& principal) {
  {
    const MutexLock lock(mutex_);
    std::erase_if(streams_, [](const Stream& each) { return each.output.expired(); });
    if (!closed_) streams_.push_back({stream, principal});
    if (!closed_) return tell_pending();
  }
  stream->close();
}

bool Session::in_use() const {
  if (requests_->any()) return true;
  const MutexLock lock(mutex_);
  return std::any_of(streams_.begin(), streams_.end(), [](const Stream& each) { return !each.output.expired(); });
}

void Session::close_streams_of(const IsGood& is_good) {
  std::vector<Stream> streams;
  {
    const MutexLock lock(mutex_);
    const auto ends = std::stable_partition(streams_.begin(), streams_.end(),
                                            [&](const Stream& each) { return is_good(each.principal); });
    streams.assign(std::make_move_iterator(ends), std::make_move_iterator(streams_.end()));
    streams_.erase(ends, streams_.end());
  }
  for (const auto& each : streams) {
    if (const auto stream = each.output.lock()) stream->close();
  }
  requests_->abandon_of(is_good);
}

void Session::take_no_more_streams() {
  const MutexLock lock(mutex_);
  closed_ = true;
}

void Session::close_streams() {
  std::vector<Stream> streams;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    streams.swap(streams_);
    subscriptions_.clear();
    pending_updates_.clear();
  }
  input_requests_->end("The session has ended");
  for (const auto& each : streams) {
    if (const auto stream = each.output.lock()) stream->close();
  }
}

void Session::tell_pending() {
  if (!initialized_) return;
  // The newest first: an older one may be what is left of a connection that the client has lost.
  std::vector<LiveStream> live;
  for (auto each = streams_.rbegin(); each != streams_.rend(); ++each) {
    if (auto stream = each->output.lock()) live.push_back({std::move(stream), each->principal});
  }
  const auto tell = [&](bool& pending, Method method) {
    if (!pending) return;
    pending = !send(
        live, [method] { return notification(method); }, [](const Principal&) { return true; });
  };
  tell(pending_.tools, Method::notifications_tools_list_changed);
  tell(pending_.resources, Method::notifications_resources_list_changed);
  tell(pending_.prompts, Method::notifications_prompts_list_changed);
  if (pending_updates_.empty()) return;
  std::erase_if(pending_updates_, [&live, &catalog = *catalog_](const std::string& uri) {
    const auto may_read = [&](const Principal& principal) { return catalog.current(principal)->may_read(uri); };
    const auto message = [&] { return notification(Method::notifications_resources_updated, updated_params(uri)); };
    return send(live, message, may_read);
  });
}

template <class Message, class May>
bool Session::send(std::vector<LiveStream>& streams, const Message& message, const May& may_hear) {
  std::string text;
  for (auto each = streams.begin(); each != streams.end();) {
    if (!may_hear(each->principal)) {
      ++each;
      continue;
    }
    if (text.empty()) text = message();
    if (each->output->send(text)) return true;
    each = streams.erase(each);
  }
  return false;
}

Sessions::Sessions(Limits limits, PublishedCatalog& catalog, Clock clock, CallObserver* observer)
    : limits_(limits), catalog_(catalog), clock_(std::move(clock)), observer_(observer) {}

std::shared_ptr<Session> Sessions::open(Caller caller) {
  auto version = caller.protocol_version;
  const auto opener = caller.principal;
  auto owner = opener.id();
  auto session = std::make_shared<Session>(unguessable_id(), std::move(caller));
  {
    const MutexLock lock(mutex_);
    remove_expired();
    if (by_use_.size() >= limits_.count && !make_room()) return nullptr;
    const auto now = clock_();
    ++counts_[owner];
    by_use_.push_back({session, std::move(version), opener, std::move(owner), now, now});
    by_id_.emplace(session->id(), std::prev(by_use_.end()));
  }
  catalog_.listen(session);
  return session;
}

std::shared_ptr<Session> Sessions::find(std::string_view id, const Principal& principal) {
  const MutexLock lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  const auto entry = found->second;
  if (entry->opener != principal) return nullptr;
  if (is_expired(*entry) && !entry->session->in_use()) {
    end_idle(entry);
    return nullptr;
  }
  touch(entry);
  return entry->session;
}

bool Sessions::close(std::string_view id) {
  std::shared_ptr<Session> session;
  {
    const MutexLock lock(mutex_);
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return false;
    session = found->second->session;
    remove(found->second);
  }
  session->close_streams();
  return true;
}

void Sessions::close_streams_of(const IsGood& is_good) {
  std::vector<std::shared_ptr<Session>> sessions;
  {
    const MutexLock lock(mutex_);
    for (const auto& entry : by_use_)
      sessions.push_back(entry.session);
  }
  for (const auto& session : sessions)
    session->close_streams_of(is_good);
}

void Sessions::close_all() {
  ByUse sessions;
  {
    const MutexLock lock(mutex_);
    by_id_.clear();
    counts_.clear();
    sessions.swap(by_use_);
  }
  for (const auto& entry : sessions) {
    tell_end(entry);
    entry.session->close_streams();
  }
}

std::size_t Sessions::count() {
  const MutexLock lock(mutex_);
  remove_expired();
  return by_use_.size();
}

void Sessions::touch(ByUse::iterator entry) {
  entry->last_use = clock_();
  by_use_.splice(by_use_.end(), by_use_, entry);
}

// One whose time was over has ended then, and not when somebody noticed.
void Sessions::tell_end(const Entry& entry) const {
  if (observer_ == nullptr) return;
  const auto end = std::min(clock_(), entry.last_use + limits_.idle_time);
  observer_->session_ended({entry.protocol_version, NetworkTransport::tcp, end - entry.began});
}

void Sessions::remove(ByUse::iterator entry) {
  tell_end(*entry);
  if (ended_) ended_(*entry->session);
  const auto count = counts_.find(entry->owner);
  if (--count->second == 0) counts_.erase(count);
  by_id_.erase(entry->session->id());
  by_use_.erase(entry);
}

void Sessions::end_idle(ByUse::iterator entry) {
  entry->session->take_no_more_streams();
  remove(entry);
}

bool Sessions::is_expired(const Entry& entry) const {
  return clock_() - entry.last_use > limits_.idle_time;
}

// Being in use is use: such a session goes to the end of the line, so that the next look need not pass it again.
void Sessions::remove_expired() {
  while (!by_use_.empty() && is_expired(by_use_.front())) {
    const auto idlest = by_use_.begin();
    idlest->session->in_use() ? touch(idlest) : end_idle(idlest);
  }
}

bool Sessions::make_room() {
  if (counts_.empty()) return false;
  const auto most = std::ranges::max_element(counts_, {}, [](const auto& each) { return each.second; });
  return end_idlest([&most](const Entry& entry) { return entry.owner == most->first; }) ||
         end_idlest([](const Entry&) { return true; });
}

template <class MayEnd>
bool Sessions::end_idlest(const MayEnd& may_end) {
  auto next = by_use_.begin();
  for (auto left = by_use_.size(); left > 0; --left) {
    const auto idlest = next++;
    if (!may_end(*idlest)) continue;
    if (!idlest->session->in_use()) {
      end_idle(idlest);
      return true;
    }
    touch(idlest);
  }
  return false;
}

}  // namespace mcph
