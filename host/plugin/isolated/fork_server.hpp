// A worker that is started for no plugin, and then forks: the workers that it becomes need no program to be loaded and
// linked. What they cost is a copy of its page tables, and of the pages that they write. They are children of the host
// and not of it (CLONE_PARENT), so its end is nobody's but its own.
//
// What is forked has the places of its program and libraries, and the canaries of its stacks, in common with all others
// that were forked. A plugin that can be made to crash could be asked for them byte by byte, and one that is hostile
// knows them, so the worker that takes the place of one that has ended (Workers::open_anew), and each that has a
// sandbox, is a program of its own.
//
// What is said, over a socket that keeps the boundaries of messages: a request is the plugin's name, with two
// descriptors, the worker's end of its socket and where it prints; its answer the number of the process, or 0 if there
// is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.hpp"
#include "plugin/isolated/worker_process.hpp"

namespace mcph {

// Where a worker has the name of its plugin among its arguments, the fork server has this, and behind it room for it.
inline constexpr std::string_view fork_server_name = "fork-server";
// The longest name of a file.
inline constexpr std::size_t max_plugin_name_bytes = 255;

// What the fork server is asked for, with both descriptors; nothing: the host is gone, or this is no host.
struct ForkRequest {
  std::string plugin;
  FileDescriptor socket;
  FileDescriptor output;
};
std::optional<ForkRequest> receive_fork_request(int socket);
// False: nobody is left to hear it.
bool send_fork_answer(int socket, std::int32_t process);

// The host's side. One thread at a time, which lives as long as the workers may, because the system ends them with the
// thread that has started their server.
class ForkServer {
 public:
  explicit ForkServer(std::filesystem::path program) : program_(std::move(program)) {}

  // Begins it, if it is not there. To be said early: the first worker need not wait for it then.
  void begin();

  // The process of a worker, a child of this one, which nobody has waited for. Nothing: it cannot be had in this way.
  std::optional<int> fork(std::string_view plugin, const WorkerProcess::Ends& ends);

 private:
  // One that does not answer is begun anew, but not for ever.
  static constexpr int max_failures = 3;

  void give_up();

  const std::filesystem::path program_;
  FileDescriptor socket_;
  std::shared_ptr<WorkerProcess> process_;
  bool has_answered_ = false;  // this process
  int failures_ = 0;
};

}  // namespace mcph
