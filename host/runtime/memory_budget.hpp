// The memory that large messages of all clients may take together: bodies of requests from when they are read until
// they are answered, answers until they are written. Who finds no room waits or is refused, so that clients who are
// many, or who do not read, cannot take all that the host has. What can neither wait nor be refused is counted, too,
// and may be more than there is. Shared by the HTTP server and everything that holds a share, which may outlive it; any
// thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace mcph {

class MemoryBudget {
 public:
  // What every holder has besides, because small messages are bounded by the number of connections. In bytes.
  static constexpr std::size_t free_bytes = std::size_t{16} << 10;

  // `free` is what every holder has of one whose holders nothing else bounds.
  explicit MemoryBudget(std::size_t bytes, std::size_t free = free_bytes) : limit_(bytes), free_(free) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  std::size_t limit() const { return limit_; }
  std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }

  // The bytes that have ever been taken, and those that have been given back.
  std::uint64_t moved() const { return moved_.load(std::memory_order_relaxed); }
  // Whether somebody has found no room since this was asked last.
  bool was_short() { return was_short_.load(std::memory_order_relaxed) && was_short_.exchange(false); }

  // What one holder has of a budget, given back with it. Used by one thread at a time.
  class Share {
   public:
    Share() = default;
    ~Share() { give_back(); }
    Share(Share&& other) noexcept : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      if (this == &other) return *this;
      give_back();
      budget_ = std::move(other.budget_);
      bytes_ = std::exchange(other.bytes_, 0);
      return *this;
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Makes it enough for so many bytes. False: there is no room, and it is as before. Always the same budget, or null,
    // which has room for everything.
    bool grow(const std::shared_ptr<MemoryBudget>& budget, std::size_t bytes);
    // Makes it no more than enough for so many bytes.
    void shrink(std::size_t bytes);
    // As grow, even if there is no room.
    void overdraw(const std::shared_ptr<MemoryBudget>& budget, std::size_t bytes);
    bool is_empty() const { return bytes_ == 0; }

   private:
    bool has(const std::shared_ptr<MemoryBudget>& budget, std::size_t bytes) const {
      return budget == nullptr || bytes <= budget->free_ || bytes <= bytes_;
    }
    void give_back() {
      if (bytes_ == 0) return;
      budget_->taken_.fetch_sub(bytes_, std::memory_order_relaxed);
      budget_->moved_.fetch_add(bytes_, std::memory_order_relaxed);
    }

    std::shared_ptr<MemoryBudget> budget_;  // set once there are bytes
    std::size_t bytes_ = 0;
  };

 private:
  bool take(std::size_t bytes);

  const std::size_t limit_;
  const std::size_t free_;
  std::atomic<std::size_t> taken_{0};
  std::atomic<std::uint64_t> moved_{0};
  std::atomic<bool> was_short_{false};
};

}  // namespace mcph
