#include "admin/control_server.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <new>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

#include "base/json_text.hpp"

namespace mcph {
namespace {

constexpr std::chrono::milliseconds answer_patience{10'000};
// For a thread to read a request, on a busy machine.
constexpr std::chrono::seconds reading_patience{10};
// Until there may be a place or a descriptor again, where there is none.
constexpr int pause_ms = 10;

}  // namespace

// Its thread and the server's agree by the state whose the socket is: a request is answered, or makes room.
class ControlServer::Connection {
 public:
  explicit Connection(LineSocket own) : socket(std::move(own)) {}

  bool begin_answer() {
    const bool begins = change(State::asks_nothing, State::is_answered);
    reads = false;
    return begins;
  }
  void end_answer() {
    since = std::chrono::steady_clock::now();
    change(State::is_answered, State::asks_nothing);
  }

  // Ends its thread soon, unless it is being answered or at its end, or has just asked what its thread is still to
  // read or reads now.
  bool give_way(std::chrono::steady_clock::time_point now) {
    if (!change(State::asks_nothing, State::is_looked_at)) return false;
    // In this order, because its thread says that it reads before it takes anything from the socket.
    const bool asks = now - since.load() < reading_patience && (socket->has_unread() || reads);
    state_ = asks ? State::asks_nothing : State::gives_way;
    if (asks) return false;
    socket->shut_down();
    return true;
  }

  // The last thing that its thread does.
  void end() {
    if (change(State::asks_nothing, State::ending)) socket.reset();
    over_ = true;
  }
  bool is_over() const { return over_; }

  std::optional<LineSocket> socket;
  // It is made, or has been answered.
  std::atomic<std::chrono::steady_clock::time_point> since = std::chrono::steady_clock::now();
  // Its thread takes from the socket what may be a request, until it is answered.
  std::atomic<bool> reads{false};
  std::thread thread;

 private:
  enum class State { asks_nothing, is_answered, is_looked_at, gives_way, ending };
  // False: it was in another state. That somebody looks at it is soon over.
  bool change(State from, State to) {
    auto found = from;
    while (!state_.compare_exchange_strong(found, to)) {
      if (found != State::is_looked_at) return false;
      std::this_thread::yield();
      found = from;
    }
    return true;
  }

  std::atomic<State> state_{State::asks_nothing};
  std::atomic<bool> over_{false};
};

class ControlServer::AskerAtSocket final : public Asker {
 public:
  AskerAtSocket(const LineSocket& socket, const SelfPipe& stop) : socket_(socket), stop_(stop) {}

  Result<> tell(std::string line) override { return socket_.write_line(std::move(line), answer_patience); }
  bool waits() const override {
    pollfd stop{stop_.descriptor(), POLLIN, 0};
    return !socket_.has_unread() && ::poll(&stop, 1, 0) == 0;
  }

 private:
  const LineSocket& socket_;
  const SelfPipe& stop_;
};

std::string control_error(std::string_view message) {
  std::string json = R"({"error":)";
  append_json_string(json, message);
  json += '}';
  return json;
}

Result<std::unique_ptr<ControlServer>> ControlServer::listen(const std::filesystem::path& path, Answer answer) {
  auto socket = listen_at(path);
  if (socket.has_error()) return socket.error();
  return std::unique_ptr<ControlServer>(new ControlServer(path, *std::move(socket), std::move(answer)));
}

ControlServer::ControlServer(std::filesystem::path path, ListeningSocket socket, Answer answer)
    : path_(std::move(path)), socket_(std::move(socket)), answer_(std::move(answer)), thread_([this] { run(); }) {}

ControlServer::~ControlServer() {
  remove_socket(path_, socket_);
  stop_.trigger();
  thread_.join();
}

void ControlServer::run() {
  for (;;) {
    pollfd watched[] = {{socket_.descriptor.get(), POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0) {
      if (errno != EINTR) pause();
      continue;
    }
    if (watched[1].revents != 0) break;
    join_ended();
    try {
      connections_.size() < max_connections || make_room() ? accept() : pause();
    } catch (const std::bad_alloc&) {
      pause();
    }
  }
  for (auto& connection : connections_)
    connection.thread.join();
}

void ControlServer::accept() {
  FileDescriptor accepted(::accept4(socket_.descriptor.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!accepted) {
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) pause();
    return;
  }
  LineSocket socket(std::move(accepted), stop_.descriptor());
  if (!socket.peer_may_command()) return;
  auto& connection = connections_.emplace_back(std::move(socket));
  try {
    connection.thread = std::thread([this, &connection] { serve_to_end(connection); });
  } catch (const std::exception&) {
    connections_.pop_back();  // no threads are left, or no memory
  }
}

void ControlServer::serve_to_end(Connection& connection) const {
  try {
    serve(connection);
  } catch (const std::bad_alloc&) {
    // Whoever asks finds the connection closed.
  }
  connection.end();
}

void ControlServer::serve(Connection& connection) const {
  auto& socket = *connection.socket;
  for (;;) {
    const auto request = socket.read_line(max_request_bytes, request_patience, &connection.reads);
    if (request.has_error()) {
      socket.write_line(control_error(request.error().message), answer_patience);
      return;
    }
    if (!*request || !connection.begin_answer()) return;
    std::string answer;
    AskerAtSocket asker(socket, stop_);
    try {
      answer = answer_(**request, asker);
    } catch (const std::exception& error) {
      answer = control_error(error.what());
    }
    // Before it is written, which lasts as long as the other side does not read.
    connection.end_answer();
    if (socket.write_line(std::move(answer), answer_patience).has_error()) return;
  }
}

void ControlServer::join_ended() {
  connections_.remove_if([](Connection& connection) {
    if (!connection.is_over()) return false;
    connection.thread.join();
    return true;
  });
}

bool ControlServer::make_room() {
  const auto now = std::chrono::steady_clock::now();
  const auto oldest = std::find_if(connections_.begin(), connections_.end(), [now](Connection& each) {
    return now - each.since.load() >= min_stay && each.give_way(now);
  });
  if (oldest == connections_.end()) return false;
  oldest->thread.join();
  connections_.erase(oldest);
  return true;
}

void ControlServer::pause() const {
  pollfd stop{stop_.descriptor(), POLLIN, 0};
  ::poll(&stop, 1, pause_ms);
}

}  // namespace mcph
