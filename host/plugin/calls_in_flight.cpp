#include "plugin/calls_in_flight.hpp"

#include <algorithm>
#include <utility>

namespace mcph {
namespace {

constexpr std::size_t max_given_up = 1024;

}  // namespace

std::uint64_t CallsInFlight::add(std::shared_ptr<Call> call) {
  const auto now = Clock::now();
  const MutexLock lock(mutex_);
  calls_.emplace(++last_id_, Entry{std::move(call), now});
  statistics_.began();
  return last_id_;
}

std::shared_ptr<Call> CallsInFlight::find(std::uint64_t id) const {
  const MutexLock lock(mutex_);
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : found->second.call;
}

CallsInFlight::Entry CallsInFlight::remove(std::uint64_t id) {
  auto removed = calls_.extract(id);
  return removed.empty() ? Entry{} : std::move(removed.mapped());
}

std::shared_ptr<Call> CallsInFlight::take(std::uint64_t id) {
  return removing([&]() REQUIRES(mutex_) { return remove(id).call; });
}

std::shared_ptr<Call> CallsInFlight::take_answered(std::uint64_t id) {
  const auto now = Clock::now();
  return removing([&]() REQUIRES(mutex_) {
    auto [call, since] = remove(id);
    if (call != nullptr) statistics_.answered(now - since);
    return std::move(call);
  });
}

std::shared_ptr<Call> CallsInFlight::hold_answered(std::uint64_t id) {
  const auto now = Clock::now();
  const MutexLock lock(mutex_);
  held_.reserve(held_.size() + 1);  // first, because it may find no memory
  auto entry = calls_.extract(id);
  if (entry.empty()) return nullptr;
  statistics_.answered(now - entry.mapped().since);
  return held_.insert(std::move(entry)).position->second.call;
}

std::shared_ptr<Call> CallsInFlight::take_held(std::uint64_t id) {
  return removing([&]() REQUIRES(mutex_) {
    auto taken = held_.extract(id);
    return taken.empty() ? nullptr : std::move(taken.mapped().call);
  });
}

std::vector<std::shared_ptr<Call>> CallsInFlight::take_all_held() {
  return removing([&]() REQUIRES(mutex_) {
    std::vector<std::shared_ptr<Call>> calls;
    calls.reserve(held_.size());
    for (auto& [id, entry] : held_)
      calls.push_back(std::move(entry.call));
    held_.clear();
    return calls;
  });
}

void CallsInFlight::failed(std::string why) {
  const MutexLock lock(mutex_);
  statistics_.failed();
  if (!why.empty()) statistics_.went_wrong(std::move(why));
}

void CallsInFlight::went_wrong(std::string what) {
  const MutexLock lock(mutex_);
  statistics_.went_wrong(std::move(what));
}

void CallsInFlight::went_wrong(LastError error) {
  const MutexLock lock(mutex_);
  statistics_.went_wrong(std::move(error));
}

CallStatistics::Summary CallsInFlight::summary() const {
  const MutexLock lock(mutex_);
  auto summary = statistics_.summary();
  summary.in_flight = calls_.size() + held_.size();
  return summary;
}

std::shared_ptr<Call> CallsInFlight::give_up(std::uint64_t id) {
  return removing([&]() REQUIRES(mutex_) {
    auto call = remove(id).call;
    if (call != nullptr) given_up_.insert(id);
    if (given_up_.size() > max_given_up) given_up_.erase(given_up_.begin());
    return call;
  });
}

std::vector<std::shared_ptr<Call>> CallsInFlight::give_up_all() {
  return removing([&]() REQUIRES(mutex_) {
    std::vector<std::shared_ptr<Call>> calls;
    calls.reserve(calls_.size());
    for (auto& [id, entry] : calls_)
      calls.push_back(std::move(entry.call));
    if (calls.empty()) return calls;
    calls_.clear();
    given_up_.clear();
    all_given_up_to_ = last_id_;
    return calls;
  });
}

bool CallsInFlight::take_given_up(std::uint64_t id) {
  const MutexLock lock(mutex_);
  // No call has the id 0.
  return (id != 0 && id <= all_given_up_to_) || given_up_.erase(id) > 0;
}

bool CallsInFlight::has_given_up() const {
  const MutexLock lock(mutex_);
  return all_given_up_to_ > 0 || !given_up_.empty();
}

std::vector<std::shared_ptr<Call>> CallsInFlight::take_claimed() {
  return removing([&]() REQUIRES(mutex_) {
    std::vector<std::shared_ptr<Call>> taken;
    std::erase_if(calls_, [&](auto& each) {
      if (!each.second.call->claimed()) return false;
      taken.push_back(std::move(each.second.call));
      return true;
    });
    return taken;
  });
}

std::vector<CallsInFlight::Begun> CallsInFlight::begun() const {
  const MutexLock lock(mutex_);
  std::vector<Begun> begun;
  begun.reserve(calls_.size());
  for (const auto& [id, entry] : calls_)
    begun.push_back({id, entry.call, entry.since});
  return begun;
}

std::vector<std::shared_ptr<Call>> CallsInFlight::all() const {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<Call>> calls;
  calls.reserve(calls_.size());
  for (const auto& [id, entry] : calls_)
    calls.push_back(entry.call);
  return calls;
}

std::size_t CallsInFlight::size() const {
  const MutexLock lock(mutex_);
  return calls_.size() + held_.size();
}

}  // namespace mcph
