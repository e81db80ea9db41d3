// The worker's end of its connection to the host: frames out from any thread, and questions that wait for an answer.
// Owned by main.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "plugin/isolated/worker_frame.hpp"

namespace mcph {

class HostLink {
 public:
  explicit HostLink(int socket) : socket_(socket) {}

  int socket() const { return socket_; }

  // [any] Waits while the host is behind. A host that is gone has ended this process by then. Only an answer or a
  // description may be long; of anything else the end is cut off, because the host would take it for an attack.
  void send(Frame frame) const;

  // [any] Sends a question, with an id of its own, and waits for the answer.
  std::string ask(Frame question);
  void answer(std::uint64_t question, std::string_view text);

 private:
  const int socket_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::uint64_t last_question_ = 0;
  std::map<std::uint64_t, std::optional<std::string>> questions_;
};

}  // namespace mcph
