#include "protocol/session.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "base64.hpp"

namespace mcph {
namespace {

// 256 bits from the system's generator, in visible ASCII (MCP 2025-11-25, basic/transports, "Session Management").
std::string unguessable_id() {
  std::random_device source;
  std::string bytes;
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t word = source();
    bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  return base64url_encode(bytes);
}

}  // namespace

void Session::initialized() {
  const std::lock_guard lock(mutex_);
  initialized_ = true;
  tell_pending();
}

void Session::lists_changed(ListKinds kinds) {
  const std::lock_guard lock(mutex_);
  pending_.tools |= kinds.tools;
  pending_.resources |= kinds.resources;
  pending_.prompts |= kinds.prompts;
  tell_pending();
}

void Session::attach(std::weak_ptr<NotificationStream> stream) {
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [](const auto& each) { return each.expired(); });
  streams_.push_back(std::move(stream));
  tell_pending();
}

bool Session::has_stream() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(streams_.begin(), streams_.end(), [](const auto& stream) { return !stream.expired(); });
}

void Session::close_streams() {
  std::vector<std::weak_ptr<NotificationStream>> streams;
  {
    const std::lock_guard lock(mutex_);
    streams.swap(streams_);
  }
  for (const auto& weak : streams) {
    if (const auto stream = weak.lock()) stream->close();
  }
}

void Session::tell_pending() {
  if (!initialized_) return;
  const auto tell = [this](bool& pending, std::string_view method) {
    if (pending && send(notification(method))) pending = false;
  };
  tell(pending_.tools, "notifications/tools/list_changed");
  tell(pending_.resources, "notifications/resources/list_changed");
  tell(pending_.prompts, "notifications/prompts/list_changed");
}

bool Session::send(const std::string& message) {
  return std::any_of(streams_.begin(), streams_.end(), [&](const auto& weak) {
    const auto stream = weak.lock();
    return stream != nullptr && stream->send(message);
  });
}

Sessions::Sessions(Limits limits, PublishedCatalog& catalog, Clock clock)
    : limits_(limits), catalog_(catalog), clock_(std::move(clock)) {}

std::shared_ptr<Session> Sessions::open(Negotiated negotiated) {
  auto session = std::make_shared<Session>(unguessable_id(), std::move(negotiated));
  {
    const std::lock_guard lock(mutex_);
    if (sessions_.size() >= limits_.count && !make_room()) return nullptr;
    sessions_.emplace(session->id(), Entry{session, clock_()});
  }
  catalog_.listen(session);
  return session;
}

std::shared_ptr<Session> Sessions::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(std::string(id));
  if (found == sessions_.end()) return nullptr;
  auto& entry = found->second;
  const auto now = clock_();
  if (now - entry.last_use > limits_.idle_time && !entry.session->has_stream()) {
    sessions_.erase(found);
    return nullptr;
  }
  entry.last_use = now;
  return entry.session;
}

bool Sessions::close(std::string_view id) {
  std::shared_ptr<Session> session;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(std::string(id));
    if (found == sessions_.end()) return false;
    session = std::move(found->second.session);
    sessions_.erase(found);
  }
  session->close_streams();
  return true;
}

void Sessions::close_all() {
  std::unordered_map<std::string, Entry> sessions;
  {
    const std::lock_guard lock(mutex_);
    sessions.swap(sessions_);
  }
  for (const auto& [id, entry] : sessions)
    entry.session->close_streams();
}

void Sessions::remove_expired() {
  const auto oldest = clock_() - limits_.idle_time;
  std::erase_if(sessions_,
                [&](const auto& each) { return each.second.last_use < oldest && !each.second.session->has_stream(); });
}

bool Sessions::make_room() {
  remove_expired();
  if (sessions_.size() < limits_.count) return true;
  auto idlest = sessions_.end();
  for (auto each = sessions_.begin(); each != sessions_.end(); ++each) {
    if (each->second.session->has_stream()) continue;
    if (idlest == sessions_.end() || each->second.last_use < idlest->second.last_use) idlest = each;
  }
  if (idlest == sessions_.end()) return false;
  sessions_.erase(idlest);
  return true;
}

}  // namespace mcph
