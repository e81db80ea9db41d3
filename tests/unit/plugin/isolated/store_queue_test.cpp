#include "plugin/isolated/store_queue.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/manual_executor.hpp"

namespace mcph {
namespace {

class ListingStore final : public PluginStore {
 public:
  StoreAnswer perform(const StoreOperation& operation) override {
    if (operation.key == "throws") throw std::runtime_error("no memory");
    performed.push_back(operation.key);
    return {StoreStatus::done, operation.key};
  }
  std::vector<std::string> performed;
};

class StoreQueueTest : public ::testing::Test {
 protected:
  void add(const std::string& key) {
    queue_->add({StoreOperation::Kind::get, key}, [this](const StoreAnswer& answer) {
      answers_.push_back(std::to_string(int(answer.status)) + " " + answer.text);
    });
  }

  const std::shared_ptr<ListingStore> store_ = std::make_shared<ListingStore>();
  test::ManualExecutor executor_;
  std::shared_ptr<StoreQueue> queue_ = std::make_shared<StoreQueue>(store_, executor_);
  std::vector<std::string> answers_;
};

TEST_F(StoreQueueTest, PerformsOneAfterAnotherElsewhere) {
  add("a");
  add("b");
  EXPECT_TRUE(answers_.empty());
  EXPECT_EQ(executor_.tasks.size(), 1U);
  executor_.run_all();
  EXPECT_EQ(answers_, (std::vector<std::string>{"0 a", "0 b"}));
  add("c");
  executor_.run_all();
  EXPECT_EQ(answers_.back(), "0 c");
}

TEST_F(StoreQueueTest, LetsNoMoreWaitThanItMay) {
  for (std::size_t i = 0; i < StoreQueue::max_waiting; ++i)
    add("a");
  EXPECT_TRUE(answers_.empty());
  add("one more");
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0], "5 more than 256 operations wait; wait for the answers of earlier ones");
  executor_.run_all();
  EXPECT_EQ(answers_.size(), StoreQueue::max_waiting + 1);
  EXPECT_EQ(store_->performed.size(), StoreQueue::max_waiting);
}

TEST_F(StoreQueueTest, AnswersAlsoWhatWentWrongAndAfterItsPluginHasGone) {
  add("throws");
  add("a");
  queue_.reset();
  executor_.run_all();
  EXPECT_EQ(answers_, (std::vector<std::string>{"5 no memory", "0 a"}));
}

TEST_F(StoreQueueTest, PerformsHereWhereThereIsNoMemoryToDoSoElsewhere) {
  executor_.lacks_memory = 1;
  add("a");
  EXPECT_EQ(answers_, (std::vector<std::string>{"0 a"}));
  add("b");
  add("c");
  executor_.lacks_memory = 1;
  executor_.run_all();
  EXPECT_EQ(answers_, (std::vector<std::string>{"0 a", "0 b", "0 c"}));
  add("d");
  executor_.run_all();
  EXPECT_EQ(answers_.back(), "0 d");
}

TEST_F(StoreQueueTest, PerformsHereWhereTheThreadsForItHaveEnded) {
  add("a");
  add("b");
  executor_.has_ended = true;
  executor_.run_all();
  EXPECT_EQ(answers_, (std::vector<std::string>{"0 a", "0 b"}));
  add("c");
  EXPECT_EQ(answers_.back(), "0 c");
}

}  // namespace
}  // namespace mcph
