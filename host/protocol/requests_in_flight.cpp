#include "protocol/requests_in_flight.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/exchange.hpp"

namespace mcph {

RequestsInFlight::Place::~Place() {
  if (requests_ == nullptr) return;
  Requests ended;  // freed after the lock is gone
  const MutexLock lock(requests_->mutex_);
  ended.splice(ended.end(), requests_->requests_, request_);
}

void RequestsInFlight::add(std::string id, Principal principal, const std::shared_ptr<Exchange>& exchange) {
  Requests added;
  added.push_back({std::move(id), std::move(principal), exchange});
  const auto request = added.begin();
  {
    const MutexLock lock(mutex_);
    requests_.splice(requests_.end(), added);
  }
  exchange->hold_place({shared_from_this(), request});
}

std::shared_ptr<Exchange> RequestsInFlight::find(const std::string& id) const {
  const MutexLock lock(mutex_);
  const auto found =
      std::find_if(requests_.rbegin(), requests_.rend(), [&](const auto& each) { return each.id == id; });
  return found == requests_.rend() ? nullptr : found->exchange.lock();
}

bool RequestsInFlight::any() const {
  const MutexLock lock(mutex_);
  return !requests_.empty();
}

template <class Ends>
void RequestsInFlight::abandon_where(const Ends& ends) {
  std::vector<std::shared_ptr<Exchange>> exchanges;
  {
    const MutexLock lock(mutex_);
    for (const auto& request : requests_) {
      if (auto exchange = ends(request) ? request.exchange.lock() : nullptr) exchanges.push_back(std::move(exchange));
    }
  }
  for (const auto& exchange : exchanges)
    exchange->abandon();
}

void RequestsInFlight::abandon_all() {
  abandon_where([](const Request&) { return true; });
}

void RequestsInFlight::abandon_of(const IsGood& is_good) {
  abandon_where([&](const Request& request) { return !is_good(request.principal); });
}

}  // namespace mcph
