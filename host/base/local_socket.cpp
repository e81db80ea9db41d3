#include "base/local_socket.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/base64.hpp"
#include "base/random_bytes.hpp"
#include "base/regular_file.hpp"

namespace mcph {
namespace {

// Under a name that nobody can know, in the folder of `path`, so that it is nobody else's file.
std::filesystem::path name_beside(const std::filesystem::path& path) {
  constexpr std::size_t bytes = 6;
  return path.parent_path() / (".~" + base64url_encode(random_bytes(bytes)));
}

// Who may connect is who may write to it. Nobody can before it listens.
Result<ListeningSocket> bind_at(const std::filesystem::path& path, ::mode_t mode) {
  const auto address = local_address(path);
  if (address.has_error()) return address.error();
  ListeningSocket socket{local_socket()};
  const int own = socket.descriptor.get();
  if (own < 0 || ::bind(own, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
    return fail(last_error());
  }
  struct ::stat status {};
  if (::chmod(path.c_str(), mode) != 0 || ::listen(own, SOMAXCONN) != 0 || ::lstat(path.c_str(), &status) != 0) {
    auto error = fail(last_error());
    ::unlink(path.c_str());
    return error;
  }
  socket.device = status.st_dev;
  socket.inode = status.st_ino;
  return socket;
}

}  // namespace

Result<sockaddr_un> local_address(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto& text = path.native();
  if (text.size() >= sizeof address.sun_path) {
    return fail("the path " + text + " is too long for a socket, which may have " +
                std::to_string(sizeof address.sun_path - 1) + " bytes");
  }
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

FileDescriptor local_socket() {
  return FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

int connect_local(const FileDescriptor& socket, const sockaddr_un& address) {
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(socket.get(), generic, sizeof address) == 0 ? 0 : errno;
}

Result<> check_socket_path(const std::filesystem::path& path) {
  struct ::stat status {};
  if (::lstat(path.c_str(), &status) != 0 || S_ISSOCK(status.st_mode)) return {};
  return fail(path.string() + " is there already, and no socket");
}

Result<ListeningSocket> listen_at(const std::filesystem::path& path, ::mode_t mode) {
  if (const auto address = local_address(path); address.has_error()) return address.error();
  if (const auto checked = check_socket_path(path); checked.has_error()) return checked.error();
  struct ::stat status {};
  if (::lstat(path.c_str(), &status) == 0 && !is_stale_socket(path))
    return fail("another host listens at " + path.string());
  const auto failed = [&path](const std::string& reason) {
    return fail("cannot listen at " + path.string() + ": " + reason);
  };
  // Under its name it listens from the beginning, so that nobody takes it for one that a dead host has left.
  const auto beside = name_beside(path);
  auto socket = bind_at(beside, mode);
  if (socket.has_error()) return failed(socket.error().message);
  if (::rename(beside.c_str(), path.c_str()) == 0) return socket;
  auto error = failed(last_error());
  ::unlink(beside.c_str());
  return error;
}

bool can_listen_at(const std::filesystem::path& path) {
  return local_address(path).has_value() && local_address(name_beside(path)).has_value();
}

void remove_socket(const std::filesystem::path& path, const ListeningSocket& socket) {
  struct ::stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (status.st_dev == socket.device && status.st_ino == socket.inode) ::unlink(path.c_str());
}

bool is_stale_socket(const std::filesystem::path& path) {
  struct ::stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  const auto address = local_address(path);
  const auto socket = local_socket();
  return address.has_value() && socket && connect_local(socket, *address) == ECONNREFUSED;
}

}  // namespace mcph
