#include "dashboard/recent_calls.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/caller.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using Outcome = CallEnd::Outcome;

class RecentCallsTest : public ::testing::Test {
 protected:
  void end(const std::string& tool, Outcome outcome = Outcome::result, std::chrono::nanoseconds took = 1ms) {
    static const auto caller =
        std::make_shared<const Caller>(Caller{"2026-07-28", Json{{"name", "client"}, {"version", "2"}}});
    const ObservedCall call{.id = "1",
                            .method = Method::tools_call,
                            .component = tool,
                            .is_served = true,
                            .plugin = "sums",
                            .caller = caller};
    calls_.ended({call, outcome, 0, took});
  }
  std::vector<std::string> names_since(std::uint64_t seen, std::size_t most) const {
    std::vector<std::string> names;
    for (const auto& call : calls_.since(seen, most).calls)
      names.push_back(call.component);
    return names;
  }

  RecentCalls calls_{3};
};

TEST_F(RecentCallsTest, SaysWhatThereIsToKnow) {
  end("add", Outcome::tool_error, 7ms);
  const auto news = calls_.since(0, 10);
  ASSERT_EQ(news.calls.size(), 1U);
  const auto& call = news.calls.front();
  EXPECT_EQ(call.method, "tools/call");
  EXPECT_EQ(call.plugin, "sums");
  EXPECT_EQ(call.client, "client 2");
  EXPECT_EQ(call.revision, "2026-07-28");
  EXPECT_EQ(call.who, "");
  EXPECT_EQ(call.took, 7ms);
  EXPECT_TRUE(call.is_notable());
}

TEST_F(RecentCallsTest, KeepsTheBeginningsOfBodiesWhereTheyAreWanted) {
  RecentCalls kept(10'000, true);
  EXPECT_EQ(kept.kept_params(), RecentCalls::max_body_bytes);
  EXPECT_EQ(calls_.kept_params(), 0U);
  const std::string answer(RecentCalls::max_body_bytes + 1, 'x');
  ObservedCall call;
  call.params = "{}";
  call.params_bytes = 2;
  const auto end_all = [&] {
    for (auto* const calls : {&kept, &calls_})
      calls->ended({call, Outcome::result, 0, 1ms, answer});
  };
  end_all();
  ASSERT_TRUE(kept.bodies_of(1));
  EXPECT_EQ(kept.bodies_of(1)->params, "{}");
  EXPECT_EQ(kept.bodies_of(1)->answer.size(), RecentCalls::max_body_bytes);
  EXPECT_FALSE(kept.bodies_of(2));
  EXPECT_FALSE(calls_.bodies_of(1));
  EXPECT_EQ(calls_.since(0, 1).calls.front().params_bytes, 2U);
  EXPECT_EQ(calls_.since(0, 1).calls.front().answer_bytes, answer.size());
  constexpr auto fitting = RecentCalls::max_bodies_bytes / (RecentCalls::max_body_bytes + 2);
  for (std::size_t i = 0; i < fitting; ++i)
    end_all();
  EXPECT_FALSE(kept.bodies_of(1));
  EXPECT_TRUE(kept.bodies_of(2));
}

TEST_F(RecentCallsTest, TellsWhatIsNew) {
  end("a");
  end("b");
  EXPECT_THAT(names_since(0, 10), ElementsAre("a", "b"));
  end("c");
  EXPECT_THAT(names_since(2, 10), ElementsAre("c"));
  EXPECT_THAT(names_since(3, 10), ElementsAre());
}

TEST_F(RecentCallsTest, ForgetsWhatWentWellBeforeWhatDidNot) {
  end("failed", Outcome::error);
  end("slow", Outcome::result, 1s);
  for (const auto* name : {"a", "b", "c", "d"})
    end(name);
  EXPECT_THAT(names_since(0, 10), ElementsAre("failed", "slow", "b", "c", "d"));
  EXPECT_EQ(calls_.since(0, 10).left_out, 1U);
  EXPECT_THAT(names_since(0, 1), ElementsAre("failed", "slow", "d"));
  EXPECT_EQ(calls_.since(0, 1).left_out, 3U);
}

TEST_F(RecentCallsTest, CountsHowLongAnswersTook) {
  end("a", Outcome::result, 7us);
  end("a", Outcome::result, 8us);
  end("a", Outcome::result, 15us);
  end("a", Outcome::result, 10h);
  const auto times = calls_.times_of("sums");
  EXPECT_EQ(times[0], 1U);
  EXPECT_EQ(times[1], 2U);
  EXPECT_EQ(times.back(), 1U);
  EXPECT_EQ(calls_.times_of("others"), RecentCalls::Histogram{});
}

TEST_F(RecentCallsTest, CutsLongTexts) {
  end(std::string(10'000, 'x'));
  EXPECT_EQ(names_since(0, 1).front().size(), RecentCalls::max_text_bytes);
}

}  // namespace
}  // namespace mcph
