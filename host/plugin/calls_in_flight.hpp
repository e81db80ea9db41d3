// The calls that one plugin version has accepted and not completed, by id. An id is never used twice, so that a second
// or late completion finds nothing instead of somebody else's call. Kept in several parts with a lock each, because
// every call of the plugin, on whatever thread, comes by here twice. Owned by a plugin; any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "plugin/call.hpp"

namespace mcph {

class CallsInFlight {
 public:
  std::uint64_t add(std::shared_ptr<Call> call);

  std::shared_ptr<Call> find(std::uint64_t id) const;

  // Removes it; null if it is unknown or has been taken already.
  std::shared_ptr<Call> take(std::uint64_t id);

  std::vector<std::shared_ptr<Call>> take_all();

  std::vector<std::shared_ptr<Call>> all() const;
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  struct Part {
    mutable std::mutex mutex;
    std::unordered_map<std::uint64_t, std::shared_ptr<Call>> calls;
  };

  Part& part_of(std::uint64_t id) { return parts_[id % parts_.size()]; }
  const Part& part_of(std::uint64_t id) const { return parts_[id % parts_.size()]; }

  std::array<Part, 8> parts_;
  std::atomic<std::uint64_t> last_id_{0};
  std::atomic<std::size_t> size_{0};
};

}  // namespace mcph
