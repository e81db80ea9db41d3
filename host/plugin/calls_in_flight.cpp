#include "plugin/calls_in_flight.hpp"

#include <utility>

namespace mcph {

std::uint64_t CallsInFlight::add(std::shared_ptr<Call> call) {
  const auto id = last_id_.fetch_add(1, std::memory_order_relaxed) + 1;
  auto& part = part_of(id);
  size_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(part.mutex);
  part.calls.emplace(id, std::move(call));
  return id;
}

std::shared_ptr<Call> CallsInFlight::find(std::uint64_t id) const {
  const auto& part = part_of(id);
  const std::lock_guard lock(part.mutex);
  const auto found = part.calls.find(id);
  return found == part.calls.end() ? nullptr : found->second;
}

std::shared_ptr<Call> CallsInFlight::take(std::uint64_t id) {
  auto& part = part_of(id);
  const std::lock_guard lock(part.mutex);
  const auto found = part.calls.find(id);
  if (found == part.calls.end()) return nullptr;
  auto call = std::move(found->second);
  part.calls.erase(found);
  size_.fetch_sub(1, std::memory_order_relaxed);
  return call;
}

std::vector<std::shared_ptr<Call>> CallsInFlight::take_all() {
  std::vector<std::shared_ptr<Call>> taken;
  for (auto& part : parts_) {
    const std::lock_guard lock(part.mutex);
    for (auto& [id, call] : part.calls)
      taken.push_back(std::move(call));
    size_.fetch_sub(part.calls.size(), std::memory_order_relaxed);
    part.calls.clear();
  }
  return taken;
}

std::vector<std::shared_ptr<Call>> CallsInFlight::all() const {
  std::vector<std::shared_ptr<Call>> calls;
  for (const auto& part : parts_) {
    const std::lock_guard lock(part.mutex);
    for (const auto& [id, call] : part.calls)
      calls.push_back(call);
  }
  return calls;
}

}  // namespace mcph
