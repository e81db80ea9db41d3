#include "runtime/coroutine.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include "runtime/as_value.hpp"
#include "runtime/wake_up.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;

Coroutine<int> number(int value) {
  co_return value;
}

Coroutine<int> count_to(int last) {
  int count = 0;
  while (count < last)
    count += co_await number(1);
  co_return count;
}

Coroutine<> keep_count(int last, int& count) {
  count = co_await count_to(last);
}

Coroutine<> fail_after(asio::io_context& context) {
  co_await asio::post(context, as_value);
  throw std::runtime_error("it failed");
}

// Says that it is gone.
struct Gone {
  explicit Gone(bool& says) : gone(says) {}
  ~Gone() { gone = true; }
  Gone(const Gone&) = delete;
  Gone& operator=(const Gone&) = delete;
  bool& gone;
};

Coroutine<> wait_for(WakeUp& wake_up, int& wakes) {
  for (;;) {
    co_await wake_up.next();
    ++wakes;
  }
}

Coroutine<> wait_for_ever(asio::steady_timer& timer, bool& gone) {
  const Gone end(gone);
  co_await timer.async_wait(as_value);
}

Coroutine<> call(Coroutine<> other, bool& gone) {
  const Gone end(gone);
  co_await std::move(other);
}

TEST(Coroutine, EndsWithWhatThoseReturnThatItAwaits) {
  asio::io_context context;
  int count = 0;
  spawn(context.get_executor(), keep_count(100'000, count));  // for which there is no stack
  EXPECT_EQ(count, 0);
  context.run();
  EXPECT_EQ(count, 100'000);
}

TEST(Coroutine, TellsWhatItHasThrown) {
  asio::io_context context;
  std::string told;
  spawn(context.get_executor(), fail_after(context), nullptr, [&](const std::exception_ptr& failed) {
    try {
      std::rethrow_exception(failed);
    } catch (const std::runtime_error& error) {
      told = error.what();
    }
  });
  context.run();
  EXPECT_EQ(told, "it failed");
}

TEST(Coroutine, GoesWithWhatItWaitsForAndSoDoThoseThatAwaitIt) {
  bool inner = false;
  bool outer = false;
  bool owner = false;
  std::optional<asio::io_context> context(std::in_place);
  {
    auto timer = std::make_shared<asio::steady_timer>(*context, asio::steady_timer::time_point::max());
    auto& waits_for = *timer;
    spawn(context->get_executor(), call(wait_for_ever(waits_for, inner), outer),
          std::shared_ptr<void>(new Gone(owner), [timer](void* gone) { delete static_cast<Gone*>(gone); }));
  }
  context->poll();
  EXPECT_FALSE(inner || outer || owner);
  context.reset();
  EXPECT_TRUE(inner && outer && owner);
}

TEST(Coroutine, NeedNotHaveBegun) {
  bool owner = false;
  bool inner = false;
  asio::io_context other;
  asio::steady_timer timer(other);
  {
    asio::io_context context;
    spawn(context.get_executor(), wait_for_ever(timer, inner), std::make_shared<Gone>(owner));
  }
  EXPECT_TRUE(owner);
  EXPECT_FALSE(inner) << "its variables have never been there";
}

TEST(WakeUp, GoesOnWithAllThatWaitOneInEachTurn) {
  asio::io_context context;
  const auto owned = std::make_shared<WakeUp>(context);
  auto& wake_up = *owned;
  int first = 0;
  int second = 0;
  spawn(context.get_executor(), wait_for(wake_up, first), owned);
  spawn(context.get_executor(), wait_for(wake_up, second), owned);
  EXPECT_FALSE(wake_up.wake_all()) << "nobody waits yet";
  wake_up.resume_one();
  context.poll();
  EXPECT_EQ(first + second, 0);
  for (int round = 1; round <= 2; ++round) {
    EXPECT_TRUE(wake_up.wake_all());
    wake_up.resume_one();
    EXPECT_EQ(first + second, 2 * round - 1);
    EXPECT_FALSE(wake_up.wake_all()) << "who waits anew waits for the next one";
    wake_up.resume_one();
    EXPECT_EQ(first, round);
    EXPECT_EQ(second, round);
  }
}

TEST(WakeUp, HasNobodyWaitBeyondTheEndOfTheContext) {
  // It belongs to who waits, as that of a connection does.
  struct Owner {
    explicit Owner(asio::io_context& context, bool& says) : wake_up(context), gone(says) {}
    WakeUp wake_up;
    int wakes = 0;
    Gone gone;
  };
  bool gone[3] = {};
  {
    asio::io_context context;
    for (auto& each : gone) {
      const auto owner = std::make_shared<Owner>(context, each);
      spawn(context.get_executor(), wait_for(owner->wake_up, owner->wakes), owner);
      spawn(context.get_executor(), wait_for(owner->wake_up, owner->wakes), owner);
    }
    context.poll();
    EXPECT_FALSE(gone[0] || gone[1] || gone[2]);
  }
  EXPECT_TRUE(gone[0] && gone[1] && gone[2]);
}

}  // namespace
}  // namespace mcph
