// Sockets of this machine that have a path (unix(7)): to listen at one, so that nobody else's file is touched, and to
// connect. Plain functions without state; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

namespace mcph {

// An error: the path is too long for a socket.
Result<sockaddr_un> local_address(const std::filesystem::path& path);

// Whose calls do not wait.
FileDescriptor local_socket();

// 0, or the errno.
int connect_local(const FileDescriptor& socket, const sockaddr_un& address);

// A socket that listens, and the file by which others find it.
struct ListeningSocket {
  FileDescriptor descriptor;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  // nobody else's while the descriptor is open
};

// An error: something else than a socket lies there.
Result<> check_socket_path(const std::filesystem::path& path);

// Listens at `path`, for those whom the mode lets write to it; by default our user alone. A socket that nobody listens
// at is replaced; anything else that lies there is an error, and nothing else in the folder is touched.
Result<ListeningSocket> listen_at(const std::filesystem::path& path, ::mode_t mode = S_IRUSR | S_IWUSR);

// Whether a socket's path may be so long.
bool can_listen_at(const std::filesystem::path& path);

// Takes the file away, unless another one lies there meanwhile.
void remove_socket(const std::filesystem::path& path, const ListeningSocket& socket);

// Nobody listens at the socket any more. False, too, where that cannot be told.
bool is_stale_socket(const std::filesystem::path& path);

}  // namespace mcph
