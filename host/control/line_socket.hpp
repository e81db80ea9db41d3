// Local sockets (unix(7)) that carry lines, each way, with a time and a size for everything. Both ends of the control
// socket use it. Owned by one thread each.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "plugin/file_descriptor.hpp"
#include "result.hpp"

namespace mcph {

class LineSocket {
 public:
  // `stop` is a descriptor that ends every wait once it is readable; -1: there is none.
  explicit LineSocket(FileDescriptor socket, int stop = -1) : socket_(std::move(socket)), stop_(stop) {}

  // Errors: nobody listens there.
  static Result<LineSocket> connect(const std::filesystem::path& path);

  // The next line without its end; nothing: the other side has closed. Fails for a line of more than `most` bytes, one
  // that takes longer, and where `stop` ended it.
  Result<std::optional<std::string>> read_line(std::size_t most, std::chrono::milliseconds patience);

  Result<> write_line(std::string line, std::chrono::milliseconds patience) const;

  // Whether whoever is at the other end is of our user, or root.
  bool peer_may_command() const;

 private:
  using Clock = std::chrono::steady_clock;
  Result<> wait_for(short events, Clock::time_point deadline) const;

  FileDescriptor socket_;
  int stop_;
  std::string buffer_;
};

// Listens at `path`, for our user alone. A socket that nobody listens at is replaced; anything else that lies there is
// an error.
Result<FileDescriptor> listen_at(const std::filesystem::path& path);

// Nobody listens at the socket any more. False, too, where that cannot be told.
bool is_stale_socket(const std::filesystem::path& path);

}  // namespace mcph
