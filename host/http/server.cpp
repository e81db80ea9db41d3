#include "http/server.hpp"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "http/connection.hpp"
#include "http/service.hpp"
#include "runtime/as_value.hpp"
#include "runtime/freed_memory.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;

// Between two looks at the connections.
constexpr std::chrono::milliseconds attention_interval{50};

}  // namespace

HttpServer::HttpServer(EventLoops& threads, HttpOptions options, HttpService& service, Log& log,
                       MakeHttpStream over_network)
    : threads_(threads),
      options_(std::move(options)),
      service_(service),
      log_(log, max_lines_of_clients),
      over_network_(std::move(over_network)),
      context_(threads.next_context()),
      attention_(context_),
      budget_(std::make_shared<MemoryBudget>(options_.limits.buffered_bytes)) {}

// Connections may outlive it.
HttpServer::~HttpServer() {
  const MutexLock lock(open_->mutex);
  open_->when_none = nullptr;
}

void HttpServer::when_connections_end(std::function<void()> listener) {
  const MutexLock lock(open_->mutex);
  open_->when_none = std::move(listener);
}

HttpListener& HttpServer::add_listener() {
  return *listeners_.emplace_back(std::make_unique<HttpListener>(context_, threads_, options_.limits, log_));
}

Result<> HttpServer::listen() {
  for (const int descriptor : options_.inherited) {
    if (auto bound = add_listener().inherit(descriptor); bound.has_error()) return bound;
  }
  if (!options_.inherited.empty()) return {};
  if (!options_.listen.is_none()) {
    if (auto bound = add_listener().listen(options_.listen, options_.listen_option); bound.has_error()) return bound;
  }
  return options_.unix_socket.empty() ? Result<>() : add_listener().listen(options_.unix_socket);
}

std::uint16_t HttpServer::port() const {
  for (const auto& listener : listeners_) {
    if (!listener->is_local_socket()) return listener->port();
  }
  return 0;
}

void HttpServer::serve() {
  for (const auto& listener : listeners_) {
    const bool is_plain = listener->is_local_socket() || over_network_ == nullptr;
    const auto make = is_plain ? MakeHttpStream(PlainStream::make) : over_network_;
    listener->serve([this, make](HttpSocket& socket, HttpPeer peer) { return take(socket, std::move(peer), make); },
                    is_plain ? HttpListener::WhenFull::tell : HttpListener::WhenFull::close);
  }
  spawn(context_.get_executor(), attend_connections());
}

std::optional<HttpListener::TooMany> HttpServer::take(HttpSocket& socket, HttpPeer peer, const MakeHttpStream& make) {
  // Only here is one added, so that there is still room when it is.
  if (connections() >= options_.limits.connections) {
    return HttpListener::TooMany{"too many are open", options_.limits.connections};
  }
  ++admitted_;
  const auto connection = std::make_shared<HttpConnection>(make(std::move(socket), std::move(peer)), *this);
  bool is_last = false;
  {
    const MutexLock lock(open_->mutex);
    is_last = open_->shutting_down;
    open_->all.insert(connection.get());
  }
  connection->start();
  if (is_last) connection->shut_down();
  return std::nullopt;
}

Coroutine<> HttpServer::attend_connections() {
  // To wait on the event loop takes memory.
  constexpr std::chrono::milliseconds pause{10};
  for (;;) {
    try {
      attention_.expires_after(attention_interval);
      co_await attention_.async_wait(as_value);
      attend_connections_once(std::chrono::steady_clock::now());
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(pause);
    }
  }
}

void HttpServer::attend_connections_once(std::chrono::steady_clock::time_point now) {
  // What connections wait for is counted from the look before it. If this one is late, that was long ago, and nothing
  // is to be due sooner for that. Where it is very late, nobody has read what clients have sent meanwhile.
  constexpr std::chrono::seconds very_late{1};
  const auto before = now_.exchange(now, std::memory_order_relaxed);
  const auto late = now - before - attention_interval;
  for (const auto& connection : alive()) {
    if (late > attention_interval / 2)
      connection->put_off(late, late < very_late ? before : std::chrono::steady_clock::time_point::min(), now);
    connection->attend(now);
  }
  service_.attend();
  if (budget_->was_short()) make_room(now);
  return_memory(now);
  log_.tell_left_out();
}

// malloc keeps what a burst of clients has needed. It goes back when they have been quiet for a while, and again when
// those go that stayed idle until then. What a client needs that asks now and then is not worth it.
void HttpServer::return_memory(std::chrono::steady_clock::time_point now) {
  constexpr std::chrono::seconds interval{2};
  constexpr std::uint64_t few_connections = 16;
  constexpr std::uint64_t few_bytes = std::uint64_t{1} << 20;
  if (now - memory_looked_at_ < interval) return;
  memory_looked_at_ = now;
  const auto moved = [](std::uint64_t& before, std::uint64_t all) { return all - std::exchange(before, all); };
  const auto gone = admitted_ - connections();
  const auto connections_moved = moved(connections_moved_, admitted_ + gone);
  const auto bytes_moved = moved(bytes_moved_, budget_->moved());
  const bool busy = connections_moved > few_connections || bytes_moved > few_bytes;
  if (!busy && was_busy_) threads_.run_long(0, return_all_freed_memory);
  was_busy_ = busy;
}

// One at a time, because the memory of one may be enough.
void HttpServer::make_room(std::chrono::steady_clock::time_point now) {
  const auto all = alive();
  const auto longest = std::ranges::min_element(all, {}, &HttpConnection::yields_at);
  if (longest == all.end()) return;
  const auto yields_at = (*longest)->yields_at();
  if (yields_at <= now) (*longest)->give_way(yields_at);
}

void HttpServer::shut_down() {
  for (const auto& listener : listeners_)
    listener->shut_down();
  {
    const MutexLock lock(open_->mutex);
    open_->shutting_down = true;
  }
  service_.shut_down();
  for (const auto& connection : alive())
    connection->shut_down();
}

void HttpServer::expel(IsGood is_good) {
  const auto shared = std::make_shared<const IsGood>(std::move(is_good));
  for (const auto& connection : alive())
    connection->expel(shared);
}

std::vector<std::shared_ptr<HttpConnection>> HttpServer::alive() const {
  std::vector<std::shared_ptr<HttpConnection>> connections;
  const MutexLock lock(open_->mutex);
  connections.reserve(open_->all.size());
  for (auto* connection : open_->all) {
    // Null while it is being destroyed.
    if (auto shared = connection->weak_from_this().lock()) connections.push_back(std::move(shared));
  }
  return connections;
}

std::size_t HttpServer::connections() const {
  const MutexLock lock(open_->mutex);
  return open_->all.size();
}

}  // namespace mcph
