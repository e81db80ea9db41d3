#include "protocol/requests_in_flight.hpp"

#include <algorithm>

namespace mcph {

void RequestsInFlight::add(const std::string& id, const std::shared_ptr<Exchange>& exchange) {
  constexpr std::size_t least = 64;
  const std::lock_guard lock(mutex_);
  if (exchanges_.size() >= sweep_at_) {
    std::erase_if(exchanges_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = std::max(least, 2 * exchanges_.size());
  }
  exchanges_.insert_or_assign(id, exchange);
}

std::shared_ptr<Exchange> RequestsInFlight::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = exchanges_.find(id);
  return found == exchanges_.end() ? nullptr : found->second.lock();
}

bool RequestsInFlight::any() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(exchanges_, [](const auto& entry) { return !entry.second.expired(); });
}

}  // namespace mcph
