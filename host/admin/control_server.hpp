// Answers the operator at a local socket: one line in, one line out, as often as the other side likes. Each connection
// has a thread, because an answer may have to wait for a plugin that is slow to start, and others are not to wait for
// that. A connection that asks nothing keeps nobody out: it makes room for a new one. Owned by a command that serves;
// the destructor ends the connections and takes the socket away.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "admin/line_socket.hpp"
#include "base/result.hpp"
#include "runtime/self_pipe.hpp"

namespace mcph {

class ControlServer {
 public:
  static constexpr std::size_t max_request_bytes = std::size_t{64} << 10;
  // Where there are so many, one is closed for the next: of those that are not being answered, and have had their stay,
  // the one that came first. Where there is none, the next waits in the socket's queue.
  static constexpr std::size_t max_connections = 64;
  // What a connection has in any case to send its request, and to be written an answer.
  static constexpr std::chrono::milliseconds min_stay{50};
  static constexpr std::chrono::milliseconds request_patience{10'000};

  // Whoever has asked, while the answer is being made.
  class Asker {
   public:
    virtual ~Asker() = default;
    // A line that comes before the answer. Fails where it is not read in time, and where the server ends.
    virtual Result<> tell(std::string line) = 0;
    // False: nobody waits for the answer any more, because the other side has closed or says more, or the server ends.
    virtual bool waits() const = 0;
  };
  // From a request to its answer, both without the end of line. On several threads at once; must return soon after
  // whatever it waits for has been stopped.
  using Answer = std::function<std::string(std::string_view request, Asker& asker)>;

  static Result<std::unique_ptr<ControlServer>> listen(const std::filesystem::path& path, Answer answer);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

 private:
  class Connection;
  class AskerAtSocket;

  ControlServer(std::filesystem::path path, ListeningSocket socket, Answer answer);

  void run();
  void accept();
  void serve_to_end(Connection& connection) const;
  void serve(Connection& connection) const;
  void join_ended();
  // False: no connection can be closed yet.
  bool make_room();
  void pause() const;

  const std::filesystem::path path_;
  const ListeningSocket socket_;
  const Answer answer_;
  const SelfPipe stop_;
  std::list<Connection> connections_;  // the thread's own
  std::thread thread_;
};

// {"error": message}, as an answer.
std::string control_error(std::string_view message);

}  // namespace mcph
