// How many requests of each key are in flight, and no more than may be. A place is taken for each and given back when
// its holder lets go of it, on whatever thread. Shared by the places; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/mutex.hpp"

namespace mcph {

using Place = std::shared_ptr<const void>;

class Places : public std::enable_shared_from_this<Places> {
 public:
  // Null: so many are taken for this key, the hash of what it stands for. To be called on an object that a shared
  // pointer holds.
  Place take(std::uint64_t key, std::uint64_t most);

 private:
  struct Shard {
    Mutex mutex;
    std::unordered_map<std::uint64_t, std::uint64_t> taken GUARDED_BY(mutex);  // none of which is 0
  };
  class Taken;

  void give_back(std::uint64_t key);
  Shard& shard_of(std::uint64_t key) { return shards_[key >> 60U]; }

  std::array<Shard, 16> shards_;
};

}  // namespace mcph
