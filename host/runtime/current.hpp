// A value that many read and one replaces as a whole: whoever has taken it keeps it. Any thread. Each request reads
// some of these, so threads do not share what they lock and count: each has one of a few places, all with the same
// value.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/mutex.hpp"

namespace mcph {

// Which of so many places is this thread's. Threads that serve have different ones, as long as there are enough.
inline std::size_t place_of_this_thread(std::size_t places) {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return number % places;
}

template <class T>
class Current {
 public:
  explicit Current(const std::shared_ptr<const T>& value) { set(value); }

  std::shared_ptr<const T> get() const {
    const auto& place = places_[place_of_this_thread(places_.size())];
    const MutexLock lock(place.mutex);
    return place.value;
  }
  void set(const std::shared_ptr<const T>& value) {
    std::array<std::shared_ptr<const T>, places> gone;  // without a lock, because it may be anything
    const MutexLock one_at_a_time(setting_);
    for (std::size_t i = 0; i < places; ++i) {
      if (value != nullptr) gone[i] = std::shared_ptr<const T>(value.get(), [value](const T*) {});
      const MutexLock lock(places_[i].mutex);
      places_[i].value.swap(gone[i]);
    }
  }

 private:
  static constexpr std::size_t places = 4;
  static constexpr std::size_t cache_line = 64;
  struct alignas(cache_line) Place {
    mutable Mutex mutex;
    std::shared_ptr<const T> value GUARDED_BY(mutex);
  };

  Mutex setting_;
  std::array<Place, places> places_;
};

}  // namespace mcph
