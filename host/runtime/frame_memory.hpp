// Memory for what an event loop needs all the time and soon gives back: frames of coroutines, and what Asio notes of an
// operation. A thread keeps what it has been given back, up to a bound, and takes it again without malloc. Free
// functions; any thread, and it may be given back by another one.
#pragma once

#include <cstddef>

namespace mcph {

void* take_frame_memory(std::size_t bytes);
void return_frame_memory(void* memory, std::size_t bytes) noexcept;

// The same as an allocator.
template <class T>
class FrameAllocator {
 public:
  using value_type = T;

  FrameAllocator() = default;
  template <class U>
  FrameAllocator(const FrameAllocator<U>& /*other*/) noexcept {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) { return static_cast<T*>(take_frame_memory(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { return_frame_memory(memory, count * sizeof(T)); }

  friend bool operator==(const FrameAllocator&, const FrameAllocator&) { return true; }
};

}  // namespace mcph
