#include "auth/known_tokens.hpp"

#include <utility>

namespace mcph {

std::optional<KnownTokens::Finding> KnownTokens::find(const std::string& digest, Time now) {
  Findings gone;
  const MutexLock lock(mutex_);
  auto found = recent_.find(digest);
  if (found == recent_.end()) {
    auto older = older_.extract(digest);
    if (older.empty()) return std::nullopt;
    gone = make_room();
    found = recent_.insert(std::move(older)).position;
  }
  if (now < found->second.until) return found->second;
  return std::nullopt;
}

bool KnownTokens::has(const std::string& digest) {
  const MutexLock lock(mutex_);
  return recent_.contains(digest) || older_.contains(digest);
}

void KnownTokens::add(const std::string& digest, Finding finding) {
  Findings gone;
  const MutexLock lock(mutex_);
  gone = make_room();
  older_.erase(digest);
  recent_.insert_or_assign(digest, std::move(finding));
}

KnownTokens::Findings KnownTokens::make_room() {
  Findings gone;
  if (recent_.size() >= capacity_) gone = std::exchange(older_, std::exchange(recent_, {}));
  // It would grow several times else. So sparse that what is not there is mostly found out without a look at what is.
  if (recent_.empty()) recent_.reserve(2 * capacity_);
  return gone;
}

}  // namespace mcph
