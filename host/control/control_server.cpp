#include "control/control_server.hpp"

#include <cerrno>
#include <exception>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "json_text.hpp"

namespace mcph {
namespace {

constexpr std::chrono::milliseconds answer_patience{10'000};
// Until descriptors may be free again, where there are none.
constexpr int pause_ms = 100;

}  // namespace

std::string control_error(std::string_view message) {
  std::string json = R"({"error":)";
  append_json_string(json, message);
  return json += '}';
}

Result<std::unique_ptr<ControlServer>> ControlServer::listen(const std::filesystem::path& path, Answer answer) {
  auto socket = listen_at(path);
  if (socket.has_error()) return socket.error();
  return std::unique_ptr<ControlServer>(new ControlServer(path, *std::move(socket), std::move(answer)));
}

ControlServer::ControlServer(std::filesystem::path path, FileDescriptor socket, Answer answer)
    : path_(std::move(path)), socket_(std::move(socket)), answer_(std::move(answer)), thread_([this] { run(); }) {}

ControlServer::~ControlServer() {
  ::unlink(path_.c_str());
  stop_.trigger();
  thread_.join();
}

void ControlServer::run() {
  for (;;) {
    pollfd watched[] = {{socket_.get(), POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0) continue;
    if (watched[1].revents != 0) break;
    accept();
    join_ended();
  }
  for (auto& connection : connections_)
    connection.thread.join();
}

void ControlServer::accept() {
  FileDescriptor accepted(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!accepted) {
    pollfd stop{stop_.descriptor(), POLLIN, 0};
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) ::poll(&stop, 1, pause_ms);
    return;
  }
  LineSocket socket(std::move(accepted), stop_.descriptor());
  if (!socket.peer_may_command()) return;
  if (connections_.size() >= most_connections) {
    socket.write_line(control_error("too many ask at once; try again"), {});
    return;
  }
  auto& connection = connections_.emplace_back();
  try {
    connection.thread = std::thread([this, &connection, own = std::move(socket)]() mutable {
      serve(std::move(own));
      connection.over = true;
    });
  } catch (const std::system_error&) {
    connections_.pop_back();  // no threads are left
  }
}

void ControlServer::serve(LineSocket socket) const {
  for (;;) {
    const auto request = socket.read_line(most_request_bytes, request_patience);
    if (request.has_error()) {
      socket.write_line(control_error(request.error().message), answer_patience);
      return;
    }
    if (!*request) return;
    std::string answer;
    try {
      answer = answer_(**request);
    } catch (const std::exception& error) {
      answer = control_error(error.what());
    }
    if (socket.write_line(std::move(answer), answer_patience).has_error()) return;
  }
}

void ControlServer::join_ended() {
  connections_.remove_if([](Connection& connection) {
    if (!connection.over) return false;
    connection.thread.join();
    return true;
  });
}

}  // namespace mcph
