#include "limits/rate_buckets.hpp"

#include <algorithm>
#include <bit>

namespace mcph {
namespace {

constexpr std::size_t min_capacity = 16;

// As many as there may be before there is to be more room, so that what is looked for is soon found.
constexpr std::size_t room_in(std::size_t capacity) {
  return capacity / 4 * 3;
}

}  // namespace

void RateBuckets::keep(std::size_t max_keys) {
  const auto of_shard = max_keys / shard_count + 1;
  max_capacity_.store(std::max(min_capacity, std::bit_ceil(of_shard * 2)), std::memory_order_relaxed);
}

std::size_t RateBuckets::memory() const {
  auto bytes = sizeof *this;
  for (const auto& shard : shards_) {
    const MutexLock lock(shard.mutex);
    bytes += shard.buckets.capacity() * sizeof(Bucket);
  }
  return bytes;
}

std::int64_t RateBuckets::Shard::now(std::int64_t reading) {
  // The clock is read under the lock, so that no reading is older than the last one unless the clock has stepped back.
  if (reading < last_reading) lost += last_reading - reading;
  last_reading = reading;
  return reading + lost;
}

std::int64_t RateBuckets::Shard::full_at(std::uint64_t key, std::int64_t now, const BucketSize& size, Bucket*& found) {
  found = nullptr;
  if (!buckets.empty()) {
    const auto mask = buckets.size() - 1;
    for (auto at = key & mask; buckets[at].key != 0; at = (at + 1) & mask) {
      if (buckets[at].key != key) continue;
      found = &buckets[at];
      return std::max(found->full_at, now);
    }
  }
  return std::clamp(gone_full_at, now, now + size.depth);
}

void RateBuckets::Shard::add(const Bucket& bucket, std::int64_t now, std::size_t max_capacity) {
  if (used + 1 > room_in(buckets.size()) || buckets.size() > max_capacity) make_room(now, max_capacity);
  place(bucket);
}

void RateBuckets::Shard::place(const Bucket& bucket) {
  const auto mask = buckets.size() - 1;
  auto at = bucket.key & mask;
  while (buckets[at].key != 0)
    at = (at + 1) & mask;
  buckets[at] = bucket;
  ++used;
}

// Costs as much as there are buckets, so it leaves room for a share of them until the next time.
void RateBuckets::Shard::make_room(std::int64_t now, std::size_t max_capacity) {
  std::vector<Bucket> left;
  left.reserve(used);
  for (const auto& bucket : buckets) {
    if (bucket.key != 0 && bucket.full_at > now) left.push_back(bucket);
  }
  const auto capacity = std::clamp(std::bit_ceil(left.size() * 2), min_capacity, max_capacity);
  const auto most = room_in(capacity) - room_in(capacity) / 8;
  if (left.size() > most) {
    const auto first_kept = left.begin() + static_cast<std::ptrdiff_t>(left.size() - most);
    std::ranges::nth_element(left, first_kept, {}, &Bucket::full_at);
    for (auto gone = left.begin(); gone != first_kept; ++gone)
      gone_full_at = std::max(gone_full_at, gone->full_at);
    left.erase(left.begin(), first_kept);
  }
  buckets = decltype(buckets)(capacity);
  used = 0;
  for (const auto& bucket : left)
    place(bucket);
}

// The buckets of one decision, and the locks of them all for as long as it lives. The analysis knows no number of locks
// that is found out while the program runs.
class RateBuckets::Looks {
 public:
  Looks(std::span<const RateDraw> draws, const LimitClock& clock) NO_THREAD_SAFETY_ANALYSIS : draws_(draws) {
    for (std::size_t i = 0; i < draws.size(); ++i) {
      looks_[i].key = std::max<std::uint64_t>(draws[i].key, 1);
      locked_[i] = looks_[i].shard = &draws[i].buckets->shard_of(looks_[i].key);
    }
    // In one order for all threads, so that none waits for another one in a circle.
    if (draws.size() > 1) std::sort(locked_.begin(), end(), std::less<>());
    for (auto shard = locked_.begin(); shard != end(); ++shard)
      (*shard)->mutex.lock();
    // Which takes as long as the clock does.
    for (std::size_t i = 0; i < draws.size(); ++i)
      looks_[i].shard->fetch(looks_[i].key);
    const auto reading = clock().count();
    for (std::size_t i = 0; i < draws.size(); ++i) {
      auto& look = looks_[i];
      look.now = look.shard->now(reading);
      look.full_at = look.shard->full_at(look.key, look.now, size_of(i), look.found);
    }
  }
  ~Looks() NO_THREAD_SAFETY_ANALYSIS {
    for (auto shard = locked_.begin(); shard != end(); ++shard)
      (*shard)->mutex.unlock();
  }
  Looks(const Looks&) = delete;
  Looks& operator=(const Looks&) = delete;

  // What is to be waited for longest; an admission if nothing is.
  RateDecision decide() const {
    RateDecision decision;
    for (std::size_t i = 0; i < draws_.size(); ++i) {
      const auto& look = looks_[i];
      const std::chrono::nanoseconds wait(look.full_at + size_of(i).interval - size_of(i).depth - look.now);
      if (draws_[i].kind == RateDraw::Kind::regard || wait <= decision.retry_after) continue;
      decision = {false, i, remaining_in(i), wait, full_after(i)};
    }
    return decision;
  }

  // The tightest of them then.
  RateDecision take() NO_THREAD_SAFETY_ANALYSIS {
    RateDecision decision;
    for (std::size_t i = 0; i < draws_.size(); ++i) {
      if (draws_[i].kind == RateDraw::Kind::need) continue;
      if (draws_[i].kind == RateDraw::Kind::take) take_from(i);
      const auto remaining = remaining_in(i);
      const bool is_first = decision.decisive == RateDecision::none;
      if (is_first || remaining < decision.remaining) decision = {true, i, remaining, {}, full_after(i)};
    }
    return decision;
  }

 private:
  struct Look {
    Shard* shard;
    Bucket* found;
    std::uint64_t key;
    std::int64_t now;
    std::int64_t full_at;
  };

  std::array<Shard*, max_rate_draws>::iterator end() {
    return locked_.begin() + static_cast<std::ptrdiff_t>(draws_.size());
  }
  const BucketSize& size_of(std::size_t i) const { return draws_[i].buckets->size_; }
  std::chrono::nanoseconds full_after(std::size_t i) const {
    return std::chrono::nanoseconds(looks_[i].full_at - looks_[i].now);
  }
  std::uint64_t remaining_in(std::size_t i) const {
    return static_cast<std::uint64_t>((size_of(i).depth - full_after(i).count()) / size_of(i).interval);
  }
  void take_from(std::size_t i) NO_THREAD_SAFETY_ANALYSIS {
    auto& look = looks_[i];
    look.full_at += size_of(i).interval;
    if (look.found != nullptr) {
      look.found->full_at = look.full_at;
    } else {
      const auto max_capacity = draws_[i].buckets->max_capacity_.load(std::memory_order_relaxed);
      look.shard->add({look.key, look.full_at}, look.now, max_capacity);
    }
  }

  const std::span<const RateDraw> draws_;
  // Not initialized, because most decisions are about few.
  std::array<Look, max_rate_draws> looks_;
  std::array<Shard*, max_rate_draws> locked_;
};

RateDecision draw(std::span<const RateDraw> draws, const LimitClock& clock) {
  RateBuckets::Looks looks(draws, clock);
  const auto refused = looks.decide();
  return refused.is_admitted ? looks.take() : refused;
}

}  // namespace mcph
