#include "limits/places.hpp"

#include <new>
#include <utility>

namespace mcph {

class Places::Taken {
 public:
  Taken(std::shared_ptr<Places> places, std::uint64_t key) : places_(std::move(places)), key_(key) {}
  ~Taken() { places_->give_back(key_); }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

 private:
  const std::shared_ptr<Places> places_;
  const std::uint64_t key_;
};

Place Places::take(std::uint64_t key, std::uint64_t most) {
  auto& shard = shard_of(key);
  {
    const MutexLock lock(shard.mutex);
    auto& taken = shard.taken[key];
    if (taken >= most) return nullptr;
    ++taken;
  }
  try {
    return std::make_shared<const Taken>(shared_from_this(), key);
  } catch (const std::bad_alloc&) {
    give_back(key);
    throw;
  }
}

void Places::give_back(std::uint64_t key) {
  auto& shard = shard_of(key);
  const MutexLock lock(shard.mutex);
  const auto found = shard.taken.find(key);
  if (--found->second == 0) shard.taken.erase(found);
}

}  // namespace mcph
