// A value that many read and one replaces as a whole: whoever has taken it keeps it. Any thread.
#pragma once

#include <memory>
#include <utility>

#include "base/mutex.hpp"

namespace mcph {

template <class T>
class Current {
 public:
  explicit Current(std::shared_ptr<const T> value) : value_(std::move(value)) {}

  std::shared_ptr<const T> get() const {
    const MutexLock lock(mutex_);
    return value_;
  }
  void set(std::shared_ptr<const T> value) {
    {
      const MutexLock lock(mutex_);
      value_.swap(value);
    }
    // What is left of the old one goes here, without the lock.
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const T> value_ GUARDED_BY(mutex_);
};

}  // namespace mcph
