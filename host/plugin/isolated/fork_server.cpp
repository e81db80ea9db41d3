#include "plugin/isolated/fork_server.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/regular_file.hpp"
#include "plugin/isolated/passed_descriptors.hpp"
#include "plugin/isolated/worker_frame.hpp"

namespace mcph {
namespace {

// A fork takes less than a millisecond, but the first one waits until the server has been loaded and linked. Deadlines
// and restarts of all plugins wait meanwhile. Where a busy machine takes longer, the worker is a program of its own.
constexpr std::chrono::milliseconds first_fork_time{10'000};
constexpr std::chrono::milliseconds fork_time{1000};

// 0, or the error.
int send_request(int socket, std::string_view plugin, const WorkerProcess::Ends& ends) {
  iovec piece{const_cast<char*>(plugin.data()),
              plugin.size()};  // NOLINT(cppcoreguidelines-pro-type-const-cast): it is only read
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  DescriptorRoom<2> room;
  room.attach(message, {ends.socket.get(), ends.output.get()});
  const auto sent = uninterrupted([&] { return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT); });
  return sent >= 0 ? 0 : errno;
}

std::optional<std::int32_t> receive_answer(int socket, std::chrono::milliseconds time) {
  pollfd readable{socket, POLLIN, 0};
  if (uninterrupted([&] { return ::poll(&readable, 1, static_cast<int>(time.count())); }) != 1) return std::nullopt;
  std::int32_t process = 0;
  // By MSG_TRUNC the size of all of the message, of which there may be more.
  constexpr int flags = MSG_DONTWAIT | MSG_TRUNC;
  const auto count = uninterrupted([&] { return ::recv(socket, &process, sizeof process, flags); });
  if (count != sizeof process) return std::nullopt;
  return process;
}

}  // namespace

std::optional<ForkRequest> receive_fork_request(int socket) {
  std::array<char, max_plugin_name_bytes> name{};
  iovec piece{name.data(), name.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  DescriptorRoom<2> room;
  room.make_room(message);
  const auto count = uninterrupted([&] { return ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC); });
  if (count <= 0) return std::nullopt;
  auto passed = DescriptorRoom<2>::received(message);
  if (!passed) return std::nullopt;
  auto& [channel, output] = *passed;
  if (!channel || !output) return std::nullopt;
  return ForkRequest{std::string(name.data(), static_cast<std::size_t>(count)), std::move(channel), std::move(output)};
}

bool send_fork_answer(int socket, std::int32_t process) {
  return uninterrupted([&] { return ::send(socket, &process, sizeof process, MSG_NOSIGNAL); }) == sizeof process;
}

void ForkServer::begin() {
  if (process_ != nullptr || failures_ >= max_failures) return;
  auto sockets = make_frame_sockets();
  // It says nothing but its answers.
  FileDescriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (sockets.has_error() || !nowhere) return give_up();
  // Behind its name there is room for that of each plugin.
  const auto name = std::string(fork_server_name) + std::string(max_plugin_name_bytes - fork_server_name.size(), ' ');
  auto process = WorkerProcess::spawn(program_, name, {std::move(sockets->second), std::move(nowhere)});
  if (process.has_error()) return give_up();
  process_ = *std::move(process);
  socket_ = std::move(sockets->first);
}

std::optional<int> ForkServer::fork(std::string_view plugin, const WorkerProcess::Ends& ends) {
  begin();
  if (process_ == nullptr) return std::nullopt;
  plugin = plugin.substr(0, max_plugin_name_bytes);
  const int error = send_request(socket_.get(), plugin, ends);
  // Descriptors of others crowd these out, which is not its fault.
  if (error == ETOOMANYREFS) return std::nullopt;
  const auto time = has_answered_ ? fork_time : first_fork_time;
  const auto process = error == 0 ? receive_answer(socket_.get(), time) : std::nullopt;
  has_answered_ = process.has_value();
  if (!process) give_up();
  if (process.value_or(0) <= 0) return std::nullopt;
  return process;
}

void ForkServer::give_up() {
  ++failures_;
  socket_ = {};
  process_ = nullptr;
}

}  // namespace mcph
