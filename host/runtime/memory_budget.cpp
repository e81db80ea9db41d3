#include "runtime/memory_budget.hpp"

namespace mcph {

bool MemoryBudget::take(std::size_t bytes) {
  auto taken = taken_.load(std::memory_order_relaxed);
  while (taken <= limit_ && bytes <= limit_ - taken) {
    if (!taken_.compare_exchange_weak(taken, taken + bytes, std::memory_order_relaxed)) continue;
    moved_.fetch_add(bytes, std::memory_order_relaxed);
    return true;
  }
  was_short_.store(true, std::memory_order_relaxed);
  return false;
}

bool MemoryBudget::Share::grow(const std::shared_ptr<MemoryBudget>& budget, std::size_t bytes) {
  if (has(budget, bytes)) return true;
  if (!budget->take(bytes - bytes_)) return false;
  budget_ = budget;
  bytes_ = bytes;
  return true;
}

void MemoryBudget::Share::shrink(std::size_t bytes) {
  if (bytes >= bytes_) return;
  const auto kept = bytes <= budget_->free_ ? 0 : bytes;
  budget_->taken_.fetch_sub(bytes_ - kept, std::memory_order_relaxed);
  budget_->moved_.fetch_add(bytes_ - kept, std::memory_order_relaxed);
  bytes_ = kept;
}

void MemoryBudget::Share::overdraw(const std::shared_ptr<MemoryBudget>& budget, std::size_t bytes) {
  if (has(budget, bytes)) return;
  budget->taken_.fetch_add(bytes - bytes_, std::memory_order_relaxed);
  budget->moved_.fetch_add(bytes - bytes_, std::memory_order_relaxed);
  budget_ = budget;
  bytes_ = bytes;
}

}  // namespace mcph
