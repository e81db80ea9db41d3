#include "http/client/connection_pool.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/version.hpp"
#include "http/client/client_connection.hpp"

namespace mcph {
namespace {

// That no connection was free says nothing of the server.
Error not_sent(Error why) {
  why.code = ErrorCode::crowded;
  return why;
}

std::string fields_of_each(const HttpUrl& origin, const std::string& user_agent) {
  OutgoingRequest request;
  request.add("Host", origin.authority);
  request.add("User-Agent", user_agent.empty() ? std::string("mcp-plugin-host/") + host_version : user_agent);
  return std::move(request.fields);
}

}  // namespace

ConnectionPool::ConnectionPool(EventLoops& loops, const HttpUrl& origin, const HttpClientOptions& options,
                               NameLookup& names)
    : loops_(loops),
      origin_(origin),
      options_(options),
      common_fields_(fields_of_each(origin, options.user_agent)),
      names_(&names),
      timer_(loops.next_context()) {}

void ConnectionPool::send(const std::shared_ptr<SentRequest>& request) {
  auto& here = loops_.context_here();
  std::shared_ptr<ClientConnection> connection;
  bool is_new = false;
  bool is_closed = false;
  {
    const MutexLock lock(mutex_);
    is_closed = names_ == nullptr;
    const bool may_add = connections_.size() < options_.max_connections;
    // A handshake takes longer than a way to another event loop, a connection without one does not.
    if (!is_closed) connection = idle_one(here, origin_.tls || !may_add);
    if (!connection && !is_closed && may_add) {
      connection = add_connection(here);
      is_new = true;
    }
    if (!connection && !is_closed && waiting_.size() < options_.max_waiting) {
      waiting_.push_back(request);
      const auto due = request->wait();
      if (due < look_.load()) set_timer(due);
      return;
    }
  }
  if (!connection) {
    const auto why = is_closed ? fail_for_now("nothing more is asked here")
                               : not_sent(fail_for_now("too many requests wait for a connection to it"));
    // Never at once, because who sends may hold what it is told under.
    return boost::asio::post(here, [request, why] { request->tell_end(why); });
  }
  request->goes_by(connection);
  is_new ? connection->open_for(request) : connection->take(request);
}

std::shared_ptr<ClientConnection> ConnectionPool::idle_one(boost::asio::io_context& here, bool on_any_loop) {
  auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const auto& each) { return &each->context() == &here; });
  if (found == idle_.rend() && on_any_loop) found = idle_.rbegin();
  if (found == idle_.rend()) return nullptr;
  auto connection = std::move(*found);
  idle_.erase(std::next(found).base());
  return connection;
}

std::shared_ptr<ClientConnection> ConnectionPool::add_connection(boost::asio::io_context& here) {
  return connections_.emplace_back(std::make_shared<ClientConnection>(here, shared_from_this()));
}

std::shared_ptr<SentRequest> ConnectionPool::next_waiting(Requests& cancelled) {
  while (!waiting_.empty()) {
    auto request = std::move(waiting_.front());
    waiting_.pop_front();
    if (!request->is_cancelled()) return request;
    cancelled.push_back(std::move(request));
  }
  return nullptr;
}

void ConnectionPool::is_idle(const std::shared_ptr<ClientConnection>& connection) {
  Requests cancelled;
  std::shared_ptr<SentRequest> next;
  {
    const MutexLock lock(mutex_);
    if (names_ == nullptr) return;
    next = next_waiting(cancelled);
    if (!next) idle_.push_back(connection);
  }
  if (!next) return;
  next->goes_by(connection);
  connection->take(next);
}

void ConnectionPool::has_closed(const std::shared_ptr<ClientConnection>& connection) {
  Requests cancelled;
  std::shared_ptr<SentRequest> next;
  std::shared_ptr<ClientConnection> added;
  {
    const MutexLock lock(mutex_);
    std::erase(connections_, connection);
    std::erase(idle_, connection);
    if (names_ == nullptr) return;
    next = next_waiting(cancelled);
    if (next) added = add_connection(connection->context());
  }
  if (!next) return;
  next->goes_by(added);
  added->open_for(next);
}

void ConnectionPool::find(NameLookup::Found found) {
  const MutexLock lock(mutex_);
  if (names_ != nullptr) names_->find(origin_.host, std::move(found));
}

void ConnectionPool::close() {
  std::vector<std::shared_ptr<ClientConnection>> connections;
  std::deque<std::shared_ptr<SentRequest>> waiting;
  {
    const MutexLock lock(mutex_);
    names_ = nullptr;
    connections.swap(connections_);
    waiting.swap(waiting_);
    idle_.clear();
    timer_.cancel();
  }
  for (const auto& connection : connections)
    connection->close();
  // Never at once: whoever ends this may have ended what would be told.
  for (const auto& request : waiting)
    boost::asio::post(loops_.context_here(),
                      [request] { request->tell_end(fail_for_now("nothing more is asked here")); });
}

void ConnectionPool::look_earlier(Clock::time_point due) {
  const MutexLock lock(mutex_);
  if (names_ != nullptr && due < look_.load()) set_timer(due);
}

void ConnectionPool::set_timer(Clock::time_point due) {
  look_.store(due);
  timer_.expires_at(due);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    if (const auto pool = weak.lock()) pool->look();
  });
}

void ConnectionPool::look() {
  std::vector<std::shared_ptr<ClientConnection>> late;
  std::vector<std::shared_ptr<SentRequest>> late_requests;
  {
    const MutexLock lock(mutex_);
    if (names_ == nullptr) return;
    const auto now = Clock::now();
    // What is due from now on is seen here or sets the timer earlier.
    look_.store(Clock::time_point::max());
    auto next = Clock::time_point::max();
    for (const auto& connection : connections_) {
      const auto due = connection->due();
      if (due <= now)
        late.push_back(connection);
      else
        next = std::min(next, due);
    }
    for (auto& request : waiting_) {
      const auto due = request->waiting_until();
      if (due <= now)
        late_requests.push_back(std::move(request));
      else
        next = std::min(next, due);
    }
    std::erase(waiting_, nullptr);
    if (next < look_.load()) set_timer(next);
  }
  for (const auto& connection : late)
    connection->time_is_over();
  for (const auto& request : late_requests)
    request->tell_end(not_sent(request->lateness("no connection to it was free", request->request().times.connect)));
}

}  // namespace mcph
