// Memory for a vector that is read here and there, in huge pages from the size of one on, where the system has them
// (madvise(2)): what finds the address of a byte keeps few of the small ones in mind. An allocator; any thread.
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace mcph {

template <class T>
struct HugePages {
  using value_type = T;

  static constexpr std::size_t page = std::size_t{2} << 20;

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>& /*other*/) {}

  T* allocate(std::size_t count) {
    const auto bytes = count * sizeof(T);
    if (bytes < page) return static_cast<T*>(::operator new(bytes));
    // Mapped for it alone, and unmapped with it: malloc does so with what is large (main.cpp).
    auto* const memory = ::operator new(bytes, std::align_val_t(page));
    ::madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < page) return ::operator delete(memory);
    ::operator delete(memory, std::align_val_t(page));
  }

  friend bool operator==(const HugePages&, const HugePages&) { return true; }
};

}  // namespace mcph
