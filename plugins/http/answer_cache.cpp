#include "http/answer_cache.hpp"

#include <iterator>

namespace plugins::http {

std::optional<mcp::ToolResult> AnswerCache::find(const std::string& key) {
  const MutexLock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  if (found->second->expiry <= Clock::now()) {
    remove(found->second);
    return std::nullopt;
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  return entries_.front().answer;
}

void AnswerCache::put(const std::string& key, const mcp::ToolResult& answer, std::size_t bytes,
                      Clock::time_point expiry) {
  const auto all = bytes + 2 * key.size();
  if (all > max_bytes) return;
  const MutexLock lock(mutex_);
  if (const auto old = by_key_.find(key); old != by_key_.end()) remove(old->second);
  while (!entries_.empty() && (entries_.size() >= max_answers || bytes_ + all > max_bytes))
    remove(std::prev(entries_.end()));
  entries_.push_front({key, answer, all, expiry});
  by_key_.emplace(key, entries_.begin());
  bytes_ += all;
}

void AnswerCache::remove(Entries::iterator entry) {
  bytes_ -= entry->bytes;
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

}  // namespace plugins::http
