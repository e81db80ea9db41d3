#include "plugin/calls_in_flight.hpp"

#include <utility>

namespace mcph {

std::uint64_t CallsInFlight::add(std::shared_ptr<Call> call) {
  const std::lock_guard lock(mutex_);
  calls_.emplace(++last_id_, std::move(call));
  return last_id_;
}

std::shared_ptr<Call> CallsInFlight::find(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : found->second;
}

std::shared_ptr<Call> CallsInFlight::take(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(id);
  if (found == calls_.end()) return nullptr;
  auto call = std::move(found->second);
  calls_.erase(found);
  return call;
}

CallsInFlight::Taken CallsInFlight::take_all() {
  const std::lock_guard lock(mutex_);
  Taken taken{.calls = {}, .last_id = last_id_};
  for (auto& [id, call] : calls_)
    taken.calls.push_back(std::move(call));
  calls_.clear();
  return taken;
}

std::vector<std::shared_ptr<Call>> CallsInFlight::take_claimed() {
  std::vector<std::shared_ptr<Call>> taken;
  const std::lock_guard lock(mutex_);
  std::erase_if(calls_, [&](auto& entry) {
    if (!entry.second->claimed()) return false;
    taken.push_back(std::move(entry.second));
    return true;
  });
  return taken;
}

std::vector<std::shared_ptr<Call>> CallsInFlight::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Call>> calls;
  calls.reserve(calls_.size());
  for (const auto& [id, call] : calls_)
    calls.push_back(call);
  return calls;
}

std::size_t CallsInFlight::size() const {
  const std::lock_guard lock(mutex_);
  return calls_.size();
}

}  // namespace mcph
