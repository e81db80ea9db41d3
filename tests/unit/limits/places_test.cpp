#include "limits/places.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(Places, AreSoManyForEachKey) {
  const auto places = std::make_shared<Places>();
  const auto first = places->take(1, 2);
  auto second = places->take(1, 2);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(places->take(1, 2), nullptr);
  EXPECT_NE(places->take(2, 2), nullptr) << "another one has its own";
  second.reset();
  EXPECT_NE(places->take(1, 2), nullptr);
}

TEST(Places, CountThoseThatWereTakenWhenMoreWereAllowed) {
  const auto places = std::make_shared<Places>();
  std::vector<Place> taken;
  for (int i = 0; i < 5; ++i)
    taken.push_back(places->take(1, 5));
  EXPECT_EQ(places->take(1, 3), nullptr);
  taken.resize(2);
  EXPECT_NE(places->take(1, 3), nullptr);
}

TEST(Places, MayBeGivenBackWhenNothingElseIsLeft) {
  auto places = std::make_shared<Places>();
  auto place = places->take(1, 1);
  const std::weak_ptr<Places> trace = places;
  places.reset();
  EXPECT_FALSE(trace.expired()) << "a place keeps what it is given back to";
  place.reset();
  EXPECT_TRUE(trace.expired());
}

TEST(Places, AreNeverMoreThanThereMayBeUnderManyThreads) {
  constexpr std::uint64_t most = 3;
  const auto places = std::make_shared<Places>();
  std::atomic<std::uint64_t> held{0};
  std::atomic<std::uint64_t> peak{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&] {
      for (int each = 0; each < 1000; ++each) {
        const auto place = places->take(9, most);
        if (place == nullptr) continue;
        const auto now = held.fetch_add(1) + 1;
        auto before = peak.load();
        while (before < now && !peak.compare_exchange_weak(before, now)) {
        }
        held.fetch_sub(1);
      }
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_LE(peak.load(), most);
  EXPECT_NE(places->take(9, 1), nullptr) << "all have been given back";
}

}  // namespace
}  // namespace mcph
