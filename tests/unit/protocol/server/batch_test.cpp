#include "protocol/server/batch.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "protocol/message.hpp"
#include "support/recording_exchange.hpp"

namespace mcph {
namespace {

class BatchTest : public ::testing::Test {
 protected:
  std::shared_ptr<Batch> batch_of(std::size_t parts) { return std::make_shared<Batch>(parts, whole_, gathered_); }

  const std::shared_ptr<test::RecordingExchange> whole_ = std::make_shared<test::RecordingExchange>();
  const std::shared_ptr<MemoryBudget> gathered_ = std::make_shared<MemoryBudget>(1'000'000);
};

TEST_F(BatchTest, RepliesOnceWhenEveryPartHasReplied) {
  const auto batch = batch_of(2);
  const auto first = batch->part();
  const auto second = batch->part();
  second->reply({"2"});
  EXPECT_TRUE(whole_->replies().empty());
  first->reply({"1"});
  ASSERT_EQ(whole_->replies().size(), 1U);
  EXPECT_EQ(whole_->body(), "[2,1]");
  EXPECT_EQ(whole_->status(), ReplyStatus::answered);
}

TEST_F(BatchTest, LeavesOutPartsThatNeedNoAnswer) {
  const auto batch = batch_of(3);
  batch->part()->reply({{}, ReplyStatus::accepted});
  batch->part()->reply({"1"});
  batch->part()->reply({{}, ReplyStatus::accepted});
  EXPECT_EQ(whole_->body(), "[1]");
}

TEST_F(BatchTest, IsAcceptedWithoutABodyWhenNoPartNeedsAnAnswer) {
  const auto batch = batch_of(2);
  batch->part()->reply({{}, ReplyStatus::accepted});
  batch->part()->abandon();
  EXPECT_EQ(whole_->body(), "");
  EXPECT_EQ(whole_->status(), ReplyStatus::accepted);
}

TEST_F(BatchTest, KeepsNoMoreThanAllBatchesMay) {
  const auto answer = [](int id) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":")" + std::string(600'000, 'x') + "\"}";
  };
  {
    const auto batch = batch_of(4);
    batch->part()->reply({answer(1)});
    batch->part()->reply({answer(2)});
    EXPECT_GT(gathered_->taken(), 500'000U);
    MemoryBudget::Share rest;
    ASSERT_TRUE(rest.grow(gathered_, gathered_->limit() - gathered_->taken()));
    batch->part()->reply({{}, ReplyStatus::accepted});
    batch->part()->reply({R"({"jsonrpc":"2.0","id":3,"result":{}})"});
  }
  EXPECT_EQ(gathered_->taken(), 0U);
  const auto all = Json::parse(whole_->body());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].value("id", 0), 1);
  EXPECT_EQ(all[0].value("result", "").size(), 600'000U);
  EXPECT_EQ(all[1].value("id", 0), 2);
  EXPECT_EQ(all[1].value("/error/code"_json_pointer, 0), error_code::internal_error);
  EXPECT_EQ(all[2].value("id", 0), 3);
}

TEST_F(BatchTest, PassesOnNotificationsAtOnce) {
  const auto batch = batch_of(2);
  const auto part = batch->part();
  part->notify("progress");
  EXPECT_EQ(whole_->notifications(), std::vector<std::string>{"progress"});
  part->reply({"1"});
  part->notify("late");
  EXPECT_EQ(whole_->notifications().size(), 1U);
}

TEST_F(BatchTest, LeavesOutAPartThatTheClientCancelled) {
  const auto batch = batch_of(2);
  const auto cancelled = batch->part();
  cancelled->abandon();
  cancelled->reply({"too late"});
  batch->part()->reply({"1"});
  EXPECT_EQ(whole_->body(), "[1]");
}

TEST_F(BatchTest, GathersPartsThatReplyOnManyThreads) {
  constexpr int count = 32;
  const auto batch = batch_of(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([part = batch->part()] { part->reply({"1"}); });
  for (auto& thread : threads)
    thread.join();
  ASSERT_EQ(whole_->replies().size(), 1U);
  EXPECT_EQ(whole_->body().size(), 1U + 2 * count);
}

}  // namespace
}  // namespace mcph
