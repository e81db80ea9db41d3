#include "runtime/loop_check.hpp"

#include <atomic>

#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/held_loop.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

class LoopCheckTest : public ::testing::Test {
 protected:
  // Once all that has been asked is answered.
  bool answer() {
    std::atomic<std::size_t> answered{0};
    const auto loops = loops_.run_on_each([&] { ++answered; });
    EXPECT_TRUE(test::eventually([&] { return answered == loops; }));
    return check_.ask();
  }

  std::atomic<LoopCheck::Clock::time_point> now_{LoopCheck::Clock::time_point()};
  EventLoops loops_{2, 4};
  LoopCheck check_{loops_, 10ms, [this] { return now_.load(); }};
};

TEST_F(LoopCheckTest, SaysNothingBeforeTheFirstAnswer) {
  EXPECT_FALSE(check_.ask());
  EXPECT_TRUE(answer());
  EXPECT_TRUE(answer());
}

TEST_F(LoopCheckTest, HearsOfOneLoopThatDoesNotAnswerOrIsLate) {
  test::HeldLoop held(loops_.next_context());
  EXPECT_FALSE(check_.ask());
  EXPECT_FALSE(check_.ask());
  now_ = LoopCheck::Clock::time_point() + 11ms;
  EXPECT_FALSE(check_.ask());
  held.let_go();
  EXPECT_FALSE(answer());
  EXPECT_TRUE(answer());
}

}  // namespace
}  // namespace mcph
