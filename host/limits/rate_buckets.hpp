// The token buckets of one limit, one for each key that has been used of late. A bucket is one time: when it will be
// full again (the generic cell rate algorithm, ITU-T I.371 section A). A key without a bucket has a full one. Owned by
// the limits of a configuration, and by the next one that has the same limit; any thread.
//
// There are so many buckets at most. Those that are full again go first, because nothing is lost with them. Where that
// is not enough, the fullest of the others go, and what comes new from then on begins with no more than what the
// emptiest of those had: whoever made somebody's bucket go by using many keys has not refilled it.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "base/mutex.hpp"
#include "limits/huge_pages.hpp"
#include "limits/rate.hpp"

namespace mcph {

// Since some moment. Where it steps back, time stands still for that moment and goes on from there.
using LimitClock = std::function<std::chrono::nanoseconds()>;

class RateBuckets;

// What a decision is to take from, by the hash of a key.
struct RateDraw {
  enum class Kind {
    take,   // one, and nothing is taken from any where there is none
    need,   // there must be one, which stays; what is left of it tells nobody how often he may ask
    regard  // it does not decide, but may be the tightest
  };

  // Not initialized, because there is room for many and most decisions are about few.
  RateBuckets* buckets;
  std::uint64_t key;
  Kind kind;
};

struct RateDecision {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  bool is_admitted = true;
  // The draw that is decisive: of an admission the one that has least left, none where all are only needed; of a
  // refusal the one to be waited for longest.
  std::size_t decisive = none;
  std::uint64_t remaining = 0;              // in the decisive one
  std::chrono::nanoseconds retry_after{0};  // of a refusal: by then there is one in each, if nobody else takes it
  std::chrono::nanoseconds full_after{0};   // until the decisive one is full
};

// Looks at all of them before anything is taken from any. At most max_rate_draws, no two from the same buckets, at
// least one.
inline constexpr std::size_t max_rate_draws = 40;
RateDecision draw(std::span<const RateDraw> draws, const LimitClock& clock);

class RateBuckets {
 public:
  // Keeps at least `max_keys`, and at most three times as many, of 16 bytes each.
  RateBuckets(const BucketSize& size, std::size_t max_keys) : size_(size) { keep(max_keys); }
  RateBuckets(const RateBuckets&) = delete;
  RateBuckets& operator=(const RateBuckets&) = delete;

  const BucketSize& size() const { return size_; }
  // From now on.
  void keep(std::size_t max_keys);
  // What the buckets take. In bytes.
  std::size_t memory() const;

 private:
  friend RateDecision draw(std::span<const RateDraw> draws, const LimitClock& clock);

  struct Bucket {
    std::uint64_t key = 0;     // 0: there is none
    std::int64_t full_at = 0;  // in ns
  };

  // Of a cache line's alignment, so that threads that use different ones do not meet.
  struct alignas(64) Shard {
    std::int64_t now(std::int64_t reading) REQUIRES(mutex);
    // When the key's bucket is full; and where it is, null: it has none.
    std::int64_t full_at(std::uint64_t key, std::int64_t now, const BucketSize& size, Bucket*& found) REQUIRES(mutex);
    // Into the cache.
    void fetch(std::uint64_t key) const REQUIRES(mutex) {
      if (!buckets.empty()) __builtin_prefetch(&buckets[key & (buckets.size() - 1)], 1);
    }
    void add(const Bucket& bucket, std::int64_t now, std::size_t max_capacity) REQUIRES(mutex);
    void make_room(std::int64_t now, std::size_t max_capacity) REQUIRES(mutex);
    void place(const Bucket& bucket) REQUIRES(mutex);

    mutable Mutex mutex;
    std::int64_t last_reading GUARDED_BY(mutex) = std::numeric_limits<std::int64_t>::min();
    std::int64_t lost GUARDED_BY(mutex) = 0;  // by steps back of the clock, in ns
    // Open addressing with linear probing; as many as a power of two.
    std::vector<Bucket, HugePages<Bucket>> buckets GUARDED_BY(mutex);
    std::size_t used GUARDED_BY(mutex) = 0;
    // When the emptiest bucket is full that had to go before it was.
    std::int64_t gone_full_at GUARDED_BY(mutex) = std::numeric_limits<std::int64_t>::min();
  };
  class Looks;
  static constexpr std::size_t shard_count = 16;
  Shard& shard_of(std::uint64_t key) { return shards_[key >> 60U]; }

  const BucketSize size_;
  std::atomic<std::size_t> max_capacity_{0};  // of a shard
  std::array<Shard, shard_count> shards_;
};

}  // namespace mcph
