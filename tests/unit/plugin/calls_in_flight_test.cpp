#include "plugin/calls_in_flight.hpp"

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/silent_call.hpp"

namespace mcph {
namespace {

TEST(CallsInFlight, FindsACallByItsIdUntilItIsTaken) {
  CallsInFlight calls;
  const auto call = std::make_shared<test::SilentCall>();
  const auto id = calls.add(call);
  EXPECT_EQ(calls.find(id), call);
  EXPECT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls.take(id), call);
  EXPECT_EQ(calls.find(id), nullptr);
  EXPECT_EQ(calls.take(id), nullptr);
  EXPECT_EQ(calls.size(), 0U);
}

TEST(CallsInFlight, CountsAndTimesOnlyWhatThePluginAnswered) {
  CallsInFlight calls;
  const auto taken = calls.add(std::make_shared<test::SilentCall>());
  const auto answered = calls.add(std::make_shared<test::SilentCall>());
  calls.add(std::make_shared<test::SilentCall>());
  EXPECT_NE(calls.take(taken), nullptr);
  EXPECT_EQ(calls.summary().p99.count(), 0);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(
      test::eventually([&] { return std::chrono::steady_clock::now() - begun > std::chrono::milliseconds(1); }));
  EXPECT_NE(calls.take_answered(answered), nullptr);
  EXPECT_EQ(calls.take_answered(answered), nullptr);
  calls.failed("why");
  const auto summary = calls.summary();
  EXPECT_EQ(summary.calls, 3U);
  EXPECT_EQ(summary.in_flight, 1U);
  EXPECT_EQ(summary.errors, 1U);
  EXPECT_GE(summary.p99.count(), 1000);
  EXPECT_EQ(summary.last_error->what, "why");
}

TEST(CallsInFlight, CountsAnAnsweredCallThatIsHeldAndShowsItToNobody) {
  CallsInFlight calls;
  const auto call = std::make_shared<test::SilentCall>();
  const auto id = calls.add(call);
  call->claim();
  EXPECT_EQ(calls.hold_answered(id), call);
  EXPECT_EQ(calls.hold_answered(id), nullptr);
  EXPECT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls.summary().in_flight, 1U);
  EXPECT_EQ(calls.find(id), nullptr);
  EXPECT_EQ(calls.take_answered(id), nullptr);
  EXPECT_TRUE(calls.take_claimed().empty()) << "the end of its process is none of its concern";
  EXPECT_TRUE(calls.begun().empty()) << "it is not late any more";
  EXPECT_TRUE(calls.give_up_all().empty());
  EXPECT_EQ(calls.take_held(id), call);
  EXPECT_EQ(calls.take_held(id), nullptr);
  EXPECT_EQ(calls.size(), 0U);

  const auto another = calls.add(call);
  calls.hold_answered(another);
  EXPECT_EQ(calls.take_all_held(), std::vector<std::shared_ptr<Call>>{call});
  EXPECT_EQ(calls.take_held(another), nullptr);
  EXPECT_EQ(calls.size(), 0U);
}

TEST(CallsInFlight, NeverGivesTheIdZeroAndNeverOneTwice) {
  CallsInFlight calls;
  std::set<std::uint64_t> ids;
  for (int i = 0; i < 1000; ++i) {
    const auto id = calls.add(std::make_shared<test::SilentCall>());
    EXPECT_NE(id, 0U);
    EXPECT_TRUE(ids.insert(id).second);
    if (i % 2 == 0) calls.take(id);
  }
}

TEST(CallsInFlight, KnowsNothingOfAnIdThatItNeverGave) {
  CallsInFlight calls;
  const auto id = calls.add(std::make_shared<test::SilentCall>());
  EXPECT_EQ(calls.find(0), nullptr);
  EXPECT_EQ(calls.take(id + 1), nullptr);
  EXPECT_FALSE(calls.take_given_up(0));
  EXPECT_EQ(calls.size(), 1U);
}

TEST(CallsInFlight, HoldsEachCallUntilItIsTaken) {
  CallsInFlight calls;
  auto call = std::make_shared<test::SilentCall>();
  const std::weak_ptr<Call> trace = call;
  const auto id = calls.add(std::move(call));
  EXPECT_FALSE(trace.expired());
  calls.take(id);
  EXPECT_TRUE(trace.expired());
}

TEST(CallsInFlight, GivesUpAllAtOnce) {
  CallsInFlight calls;
  const auto first = std::make_shared<test::SilentCall>();
  const auto second = std::make_shared<test::SilentCall>();
  const auto id = calls.add(first);
  const auto last = calls.add(second);
  const auto taken = calls.give_up_all();
  EXPECT_EQ(std::set<std::shared_ptr<Call>>(taken.begin(), taken.end()),
            (std::set<std::shared_ptr<Call>>{first, second}));
  EXPECT_EQ(calls.size(), 0U);
  EXPECT_EQ(calls.take(id), nullptr);
  EXPECT_TRUE(calls.take_given_up(id));
  EXPECT_TRUE(calls.take_given_up(last));
  EXPECT_FALSE(calls.take_given_up(last + 1));
  EXPECT_FALSE(calls.take_given_up(0));
}

TEST(CallsInFlight, KnowsACallThatItGaveUpOnce) {
  CallsInFlight calls;
  const auto call = std::make_shared<test::SilentCall>();
  const auto id = calls.add(call);
  const auto other = calls.add(std::make_shared<test::SilentCall>());
  EXPECT_EQ(calls.give_up(id), call);
  EXPECT_EQ(calls.give_up(id), nullptr);
  calls.take(other);
  EXPECT_TRUE(calls.take_given_up(id));
  EXPECT_FALSE(calls.take_given_up(id));
  EXPECT_FALSE(calls.take_given_up(other));
}

TEST(CallsInFlight, ListsAllThatAreOpen) {
  CallsInFlight calls;
  const auto first = std::make_shared<test::SilentCall>();
  const auto second = std::make_shared<test::SilentCall>();
  calls.add(first);
  calls.take(calls.add(std::make_shared<test::SilentCall>()));
  calls.add(second);
  const auto all = calls.all();
  EXPECT_EQ(std::set<std::shared_ptr<Call>>(all.begin(), all.end()), (std::set<std::shared_ptr<Call>>{first, second}));
}

TEST(CallsInFlight, GivesACallToOneOfManyThatTakeIt) {
  CallsInFlight calls;
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < 1000; ++i)
    ids.push_back(calls.add(std::make_shared<test::SilentCall>()));
  std::atomic<int> taken{0};
  const auto take_all = [&] {
    for (const auto id : ids) {
      if (calls.take(id) != nullptr) ++taken;
    }
  };
  std::thread other(take_all);
  take_all();
  other.join();
  EXPECT_EQ(taken.load(), 1000);
  EXPECT_EQ(calls.size(), 0U);
}

}  // namespace
}  // namespace mcph
