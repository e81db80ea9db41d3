#include "runtime/frame_memory.hpp"

#include <array>
#include <new>

#include "base/sanitizer.hpp"

namespace mcph {
namespace {

constexpr std::size_t step = 32;  // between the sizes that are kept apart, in bytes
constexpr std::size_t sizes = 64;
// Of each size: what one request needs at once, and little of what a burst of them has needed.
constexpr unsigned max_kept = 8;

// What is free of one size, linked through its own memory.
struct Free {
  Free* next = nullptr;
};

class KeptMemory {
 public:
  KeptMemory() = default;
  ~KeptMemory() {
    for (auto& list : lists_) {
      while (list.first != nullptr)
        ::operator delete(list.take());
      list.count = max_kept;  // nothing is kept from now on
    }
  }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  void* take(std::size_t size) {
    auto& list = lists_[size];
    return list.first != nullptr ? list.take() : ::operator new((size + 1) * step);
  }
  void give_back(void* memory, std::size_t size) noexcept {
    auto& list = lists_[size];
    if (list.count >= max_kept) return ::operator delete(memory);
    list.first = new (memory) Free{list.first};
    ++list.count;
  }

 private:
  struct List {
    Free* first = nullptr;
    unsigned count = 0;

    void* take() noexcept {
      auto* const taken = first;
      first = taken->next;
      --count;
      return taken;
    }
  };

  std::array<List, sizes> lists_;
};

thread_local KeptMemory kept;

bool is_kept(std::size_t bytes) {
  return !is_address_sanitized && bytes > 0 && bytes <= step * sizes;
}

}  // namespace

void* take_frame_memory(std::size_t bytes) {
  return is_kept(bytes) ? kept.take((bytes - 1) / step) : ::operator new(bytes);
}

void return_frame_memory(void* memory, std::size_t bytes) noexcept {
  is_kept(bytes) ? kept.give_back(memory, (bytes - 1) / step) : ::operator delete(memory);
}

}  // namespace mcph
