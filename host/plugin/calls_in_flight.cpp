#include "plugin/calls_in_flight.hpp"

#include <algorithm>
#include <utility>

namespace mcph {

std::uint64_t CallsInFlight::add(std::shared_ptr<Call> call) {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  calls_.emplace(++last_id_, Entry{std::move(call), now});
  statistics_.began();
  return last_id_;
}

std::shared_ptr<Call> CallsInFlight::find(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : found->second.call;
}

std::shared_ptr<Call> CallsInFlight::take(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(id);
  if (found == calls_.end()) return nullptr;
  auto call = std::move(found->second.call);
  calls_.erase(found);
  return call;
}

std::shared_ptr<Call> CallsInFlight::take_answered(std::uint64_t id) {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(id);
  if (found == calls_.end()) return nullptr;
  statistics_.answered(now - found->second.since);
  auto call = std::move(found->second.call);
  calls_.erase(found);
  return call;
}

void CallsInFlight::failed(std::string why) {
  const std::lock_guard lock(mutex_);
  statistics_.failed();
  statistics_.went_wrong(std::move(why));
}

void CallsInFlight::went_wrong(std::string what) {
  const std::lock_guard lock(mutex_);
  statistics_.went_wrong(std::move(what));
}

CallStatistics::Summary CallsInFlight::summary() const {
  const std::lock_guard lock(mutex_);
  auto summary = statistics_.summary();
  summary.in_flight = calls_.size();
  return summary;
}

CallsInFlight::Taken CallsInFlight::take_all() {
  const std::lock_guard lock(mutex_);
  Taken taken{.calls = {}, .last_id = last_id_};
  for (auto& [id, entry] : calls_)
    taken.calls.push_back(std::move(entry.call));
  calls_.clear();
  return taken;
}

std::vector<std::shared_ptr<Call>> CallsInFlight::take_claimed() {
  std::vector<std::shared_ptr<Call>> taken;
  const std::lock_guard lock(mutex_);
  std::erase_if(calls_, [&](auto& each) {
    if (!each.second.call->claimed()) return false;
    taken.push_back(std::move(each.second.call));
    return true;
  });
  return taken;
}

std::optional<CallsInFlight::Begun> CallsInFlight::oldest() const {
  const std::lock_guard lock(mutex_);
  const auto found = std::min_element(calls_.begin(), calls_.end(),
                                      [](const auto& a, const auto& b) { return a.second.since < b.second.since; });
  if (found == calls_.end()) return std::nullopt;
  return Begun{found->first, found->second.call, found->second.since};
}

std::vector<CallsInFlight::Begun> CallsInFlight::begun_before(Clock::time_point time) const {
  std::vector<Begun> begun;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, entry] : calls_) {
    if (entry.since <= time) begun.push_back({id, entry.call, entry.since});
  }
  return begun;
}

std::vector<std::shared_ptr<Call>> CallsInFlight::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Call>> calls;
  calls.reserve(calls_.size());
  for (const auto& [id, entry] : calls_)
    calls.push_back(entry.call);
  return calls;
}

std::size_t CallsInFlight::size() const {
  const std::lock_guard lock(mutex_);
  return calls_.size();
}

}  // namespace mcph
