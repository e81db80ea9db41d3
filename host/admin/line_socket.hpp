// Local sockets (unix(7)) that carry lines, each way, with a time and a size for everything. Both ends of the control
// socket use it. Owned by one thread each.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.hpp"
#include "base/local_socket.hpp"
#include "base/result.hpp"

namespace mcph {

class LineSocket {
 public:
  // `stop` is a descriptor that ends every wait once it is readable; -1: there is none.
  explicit LineSocket(FileDescriptor socket, int stop = -1) : socket_(std::move(socket)), stop_(stop) {}

  // Waits for a place where others come faster than they are accepted. Errors: nobody listens there.
  static Result<LineSocket> connect(const std::filesystem::path& path);

  // The next line without its end; nothing: the other side has closed. Fails for a line of more than `most` bytes, one
  // that takes longer, and where `stop` ended it. `reads` is set while what has come is read, and stays set with what
  // is returned.
  Result<std::optional<std::string>> read_line(std::size_t most, std::chrono::milliseconds patience,
                                               std::atomic<bool>* reads = nullptr);

  Result<> write_line(std::string line, std::chrono::milliseconds patience) const;

  // Whether whoever is at the other end is of our user, or root.
  bool peer_may_command() const;

  // Of any thread: something has come that has not been read, the end of the other side perhaps.
  bool has_unread() const;
  // Of any thread: nothing more is read or written, and whoever waits for that is woken.
  void shut_down() const;

 private:
  using Clock = std::chrono::steady_clock;
  Result<> wait_for(short events, Clock::time_point deadline) const;

  FileDescriptor socket_;
  int stop_;
  std::string buffer_;
};

}  // namespace mcph
