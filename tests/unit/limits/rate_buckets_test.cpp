#include "limits/rate_buckets.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/manual_clock.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

constexpr auto take = RateDraw::Kind::take;
constexpr std::size_t many_keys = 100'000;

BucketSize per_second(std::uint64_t count, std::uint64_t burst) {
  return BucketSize::of({.count = count, .period = 1s}, burst);
}

class RateBucketsTest : public ::testing::Test {
 protected:
  RateDecision take_from(RateBuckets& buckets, std::uint64_t key) {
    const RateDraw one{&buckets, key, take};
    return draw({&one, 1}, clock_);
  }
  // How often something can be taken at this moment.
  std::uint64_t drain(RateBuckets& buckets, std::uint64_t key) {
    std::uint64_t taken = 0;
    while (take_from(buckets, key).is_admitted)
      ++taken;
    return taken;
  }

  test::ManualClock time_;
  const LimitClock clock_ = time_.clock();
};

// What a bucket is by definition: tokens, here in the time that they take to come.
class NaiveBucket {
 public:
  explicit NaiveBucket(const BucketSize& size) : size_(size), level_(size.depth) {}

  bool take(std::int64_t now) {
    level_ = std::min(size_.depth, level_ + now - filled_at_);
    filled_at_ = now;
    if (level_ < size_.interval) return false;
    level_ -= size_.interval;
    return true;
  }

 private:
  const BucketSize size_;
  std::int64_t level_;
  std::int64_t filled_at_ = 0;
};

// In any window.
void expect_within(const std::vector<std::int64_t>& times, const BucketSize& size) {
  for (std::size_t first = 0; first < times.size(); ++first) {
    for (auto last = first; last < times.size(); ++last) {
      const auto admitted = static_cast<std::int64_t>(last - first + 1);
      const auto most = static_cast<std::int64_t>(size.burst()) + (times[last] - times[first]) / size.interval;
      ASSERT_LE(admitted, most) << "from " << times[first] << " to " << times[last];
    }
  }
}

TEST_F(RateBucketsTest, DecideLikeANaiveBucketOfEachKey) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    const auto size = per_second(1 + random() % 20, 1 + random() % 10);
    RateBuckets buckets(size, many_keys);
    std::map<std::uint64_t, NaiveBucket> naive;
    std::map<std::uint64_t, std::vector<std::int64_t>> admitted;
    for (int i = 0; i < 1000; ++i) {
      if (random() % 2 == 0)
        time_.advance(std::chrono::nanoseconds(random() % (3 * static_cast<std::uint64_t>(size.interval))));
      const auto key = 1 + random() % 4;
      const auto now = clock_().count();
      const bool expected = naive.try_emplace(key, size).first->second.take(now);
      ASSERT_EQ(take_from(buckets, key).is_admitted, expected);
      if (expected) admitted[key].push_back(now);
    }
    for (const auto& [key, times] : admitted)
      expect_within(times, size);
  }
}

TEST_F(RateBucketsTest, AdmitARetryExactlyWhenTheySayAndNoSooner) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    RateBuckets buckets(per_second(1 + random() % 1000, 1 + random() % 5), many_keys);
    drain(buckets, 7);
    time_.advance(std::chrono::nanoseconds(random() % 1'000'000));
    drain(buckets, 7);
    const auto refused = take_from(buckets, 7);
    ASSERT_FALSE(refused.is_admitted);
    ASSERT_GT(refused.retry_after, 0ns);
    time_.advance(refused.retry_after - 1ns);
    ASSERT_FALSE(take_from(buckets, 7).is_admitted);
    time_.advance(1ns);
    ASSERT_TRUE(take_from(buckets, 7).is_admitted);
  }
}

TEST_F(RateBucketsTest, SayWhatIsLeft) {
  RateBuckets buckets(per_second(1, 3), many_keys);
  const auto first = take_from(buckets, 1);
  EXPECT_EQ(first.remaining, 2U);
  EXPECT_EQ(first.full_after, 1s);
  drain(buckets, 1);
  const auto refused = take_from(buckets, 1);
  EXPECT_EQ(refused.remaining, 0U);
  EXPECT_EQ(refused.retry_after, 1s);
  EXPECT_EQ(refused.full_after, 3s);
}

TEST_F(RateBucketsTest, LookAtAllBeforeAnythingIsTaken) {
  RateBuckets wide(per_second(1, 5), many_keys);
  RateBuckets narrow(per_second(1, 2), many_keys);
  RateBuckets slow(BucketSize::of({.count = 1, .period = 1min}, 3), many_keys);
  const RateDraw draws[] = {{&wide, 1, take}, {&narrow, 2, take}, {&slow, 3, take}};
  EXPECT_EQ(draw(draws, clock_).decisive, 1U) << "the one that has least left";
  ASSERT_TRUE(draw(draws, clock_).is_admitted);
  for (int i = 0; i < 10; ++i)
    ASSERT_FALSE(draw(draws, clock_).is_admitted);
  EXPECT_EQ(drain(wide, 1), 3U);
  EXPECT_EQ(drain(slow, 3), 1U);
  const auto refused = draw(draws, clock_);
  EXPECT_EQ(refused.decisive, 2U) << "the one to be waited for longest";
  EXPECT_EQ(refused.retry_after, 1min);
  time_.advance(1min);
  EXPECT_TRUE(draw(draws, clock_).is_admitted);
}

TEST_F(RateBucketsTest, TakeOnlyFromThoseThatAreToBeTakenFrom) {
  RateBuckets needed(per_second(1, 1), many_keys);
  RateBuckets regarded(per_second(1, 1), many_keys);
  RateBuckets taken(per_second(1, 9), many_keys);
  const RateDraw draws[] = {
      {&needed, 1, RateDraw::Kind::need}, {&regarded, 1, RateDraw::Kind::regard}, {&taken, 1, take}};
  ASSERT_TRUE(draw(draws, clock_).is_admitted);
  EXPECT_EQ(drain(regarded, 1), 1U);
  const auto admitted = draw(draws, clock_);
  EXPECT_TRUE(admitted.is_admitted);
  EXPECT_EQ(admitted.decisive, 1U) << "it is the tightest";
  EXPECT_EQ(drain(needed, 1), 1U);
  EXPECT_FALSE(draw(draws, clock_).is_admitted);
  EXPECT_EQ(drain(taken, 1), 7U);
}

TEST_F(RateBucketsTest, TellNothingOfThoseThatAreOnlyNeeded) {
  RateBuckets needed(per_second(1, 1), many_keys);
  RateBuckets taken(per_second(1, 9), many_keys);
  const RateDraw draws[] = {{&needed, 1, RateDraw::Kind::need}, {&taken, 1, take}};
  const auto admitted = draw(draws, clock_);
  EXPECT_EQ(admitted.decisive, 1U) << "though the other one has less left";
  EXPECT_EQ(admitted.remaining, 8U);
  const RateDraw alone{&needed, 1, RateDraw::Kind::need};
  EXPECT_EQ(draw({&alone, 1}, clock_).decisive, RateDecision::none);
  ASSERT_EQ(drain(needed, 1), 1U);
  EXPECT_EQ(draw(draws, clock_).decisive, 0U) << "it is waited for";
}

TEST_F(RateBucketsTest, AreExactUnderManyThreads) {
  constexpr int thread_count = 32;
  constexpr int attempts = 2000;
  RateBuckets one(BucketSize::of({.count = 10'000, .period = 1s}, 50), many_keys);
  RateBuckets other(BucketSize::of({.count = 20'000, .period = 1s}, 70), many_keys);
  std::atomic<std::int64_t> admitted{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&, i] {
      // In different orders, which must not make two wait for each other.
      const RateDraw first{&one, 5, take};
      const RateDraw second{&other, 6, take};
      const RateDraw draws[] = {i % 2 == 0 ? first : second, i % 2 == 0 ? second : first};
      for (int each = 0; each < attempts; ++each) {
        time_.advance(1us);
        if (draw(draws, clock_).is_admitted) admitted.fetch_add(1);
      }
    });
  }
  for (auto& thread : threads)
    thread.join();
  const auto intervals = thread_count * attempts * 1000 / one.size().interval;
  EXPECT_NEAR(static_cast<double>(admitted.load()), static_cast<double>(50 + intervals), 1);
}

TEST_F(RateBucketsTest, HarmNobodyWhenTheClockStepsBack) {
  RateBuckets buckets(per_second(1, 5), many_keys);
  EXPECT_EQ(drain(buckets, 1), 5U);
  take_from(buckets, 2);
  time_.advance(-1h);
  EXPECT_EQ(drain(buckets, 1), 0U) << "what is used stays used";
  EXPECT_EQ(drain(buckets, 2), 4U);
  EXPECT_EQ(drain(buckets, 3), 5U);
  time_.advance(2s);
  EXPECT_EQ(drain(buckets, 1), 2U) << "time goes on from there";
  time_.advance(-1h);
  time_.advance(1h);
  EXPECT_LE(drain(buckets, 1), 5U);
}

// Keys of one shard, of which there is room for 12.
class FewRateBucketsTest : public RateBucketsTest {
 protected:
  RateBuckets buckets_{per_second(1, 3), 1};
};

TEST_F(FewRateBucketsTest, LetFullOnesGoFirst) {
  drain(buckets_, 1);
  for (std::uint64_t key = 100; key < 110; ++key)
    take_from(buckets_, key);
  time_.advance(1500ms);  // all are full but the first
  for (std::uint64_t key = 200; key < 208; ++key) {
    EXPECT_EQ(take_from(buckets_, key).remaining, 2U) << "it begins with a full one";
  }
  EXPECT_EQ(drain(buckets_, 1), 1U);
}

TEST_F(FewRateBucketsTest, DoNotRefillOneThatHadToGo) {
  for (std::uint64_t key = 1; key <= 200; ++key)
    drain(buckets_, key);
  for (std::uint64_t key = 1; key <= 200; ++key) {
    EXPECT_FALSE(take_from(buckets_, key).is_admitted) << key;
  }
  time_.advance(1s);
  EXPECT_TRUE(take_from(buckets_, 1).is_admitted) << "what is refused is refused no longer than by its own bucket";
  time_.advance(3s);
  EXPECT_EQ(drain(buckets_, 500), 3U) << "later it is as if nothing had been";
}

TEST_F(FewRateBucketsTest, KeepEachKeyWithinItsRateWhateverGoes) {
  std::mt19937_64 random(3);
  std::map<std::uint64_t, std::vector<std::int64_t>> admitted;
  for (int i = 0; i < 30'000; ++i) {
    time_.advance(std::chrono::nanoseconds(random() % 40'000'000));
    const auto key = 1 + random() % 60;
    if (take_from(buckets_, key).is_admitted) admitted[key].push_back(clock_().count());
  }
  std::size_t all = 0;
  for (const auto& [key, times] : admitted) {
    expect_within(times, buckets_.size());
    all += times.size();
  }
  EXPECT_GT(all, 1000U) << "it still admits";
}

TEST_F(RateBucketsTest, TakeNoMoreMemoryThanTheyMay) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  RateBuckets buckets(BucketSize::of({.count = 1, .period = 1h}, 2), 10'000);
  std::mt19937_64 random(4);
  for (int i = 0; i < 200'000; ++i)
    take_from(buckets, random());
  EXPECT_LT(buckets.memory(), mebibyte);
  buckets.keep(1000);
  time_.advance(2h);
  for (int i = 0; i < 20'000; ++i)
    take_from(buckets, random());
  EXPECT_LT(buckets.memory(), mebibyte / 8);
}

TEST_F(RateBucketsTest, KeepAsManyKeysAsPromised) {
  constexpr std::size_t keys = 20'000;
  RateBuckets buckets(BucketSize::of({.count = 1, .period = 1h}, 2), keys);
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> used;
  for (std::size_t i = 0; i < keys; ++i)
    take_from(buckets, used.emplace_back(random()));
  for (const auto key : used)
    ASSERT_EQ(take_from(buckets, key).remaining, 0U);
  EXPECT_EQ(take_from(buckets, random()).remaining, 1U);
}

}  // namespace
}  // namespace mcph
