// AnswerCache: answers that may be given again for a while. Bounded in number and bytes: those go first that have not
// been used for longest. Every function may be called from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>

#include <mcp/plugin.hpp>

#include "shared/mutex.hpp"

namespace plugins::http {

class AnswerCache {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t max_answers = 1000;
  static constexpr std::size_t max_bytes = 33'554'432;

  // Nothing: there is none, or its time is over.
  std::optional<mcp::ToolResult> find(const std::string& key);
  // `bytes` is how much memory the answer takes, about.
  void put(const std::string& key, const mcp::ToolResult& answer, std::size_t bytes, Clock::time_point expiry);

 private:
  struct Entry {
    std::string key;
    mcp::ToolResult answer;
    std::size_t bytes;
    Clock::time_point expiry;
  };
  using Entries = std::list<Entry>;

  void remove(Entries::iterator entry) REQUIRES(mutex_);

  Mutex mutex_;
  Entries entries_ GUARDED_BY(mutex_);  // the last used first
  std::unordered_map<std::string, Entries::iterator> by_key_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace plugins::http
