// The requests of one client that have no reply yet, by JSON-RPC id, so that notifications/cancelled finds them. Where
// a client uses an id twice at once, the later request is meant. Owned by a session or a stdio connection; any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "protocol/exchange.hpp"

namespace mcph {

class RequestsInFlight {
 public:
  // `id` is JSON text.
  void add(const std::string& id, const std::shared_ptr<Exchange>& exchange);

  // Null if it is unknown or has ended, which a client cannot know (MCP, basic/utilities/cancellation).
  std::shared_ptr<Exchange> find(const std::string& id) const;

  bool any() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<Exchange>> exchanges_;
  std::size_t sweep_at_ = 64;
};

}  // namespace mcph
