#include "plugin/component_changes.hpp"

#include <atomic>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/manual_executor.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ComponentChangesTest : public ::testing::Test {
 protected:
  // An answer waits for the test, however long that takes.
  ComponentChangesTest() { timers_.stop(); }

  void answer(const std::string& name) {
    const auto pass_on = [this, name] { answered_.push_back(name); };
    changes_->has_to_wait(0) ? changes_->keep(0, pass_on) : pass_on();
  }

  Timers timers_;
  test::ManualExecutor executor_;
  int told_ = 0;
  std::vector<std::string> answered_;
  std::shared_ptr<ComponentChanges> changes_ =
      std::make_shared<ComponentChanges>([this](const auto&) { ++told_; }, executor_, timers_);
};

TEST_F(ComponentChangesTest, PassesAnAnswerOnAtOnceWhereNothingHasChanged) {
  answer("first");
  EXPECT_THAT(answered_, ElementsAre("first"));
}

TEST_F(ComponentChangesTest, KeepsAnAnswerUntilWhatChangedBeforeItIsServed) {
  changes_->changed();
  answer("first");
  changes_->described();
  executor_.run_all();
  EXPECT_THAT(answered_, IsEmpty());
  changes_->served();
  executor_.run_all();
  EXPECT_THAT(answered_, ElementsAre("first"));
  answer("second");
  EXPECT_THAT(answered_, ElementsAre("first", "second"));
}

TEST_F(ComponentChangesTest, DoesNotKeepAnAnswerForWhatChangesAfterIt) {
  changes_->changed();
  answer("first");
  changes_->described();
  changes_->changed();
  answer("second");
  changes_->served();
  executor_.run_all();
  EXPECT_THAT(answered_, ElementsAre("first"));
  changes_->described();
  changes_->served();
  executor_.run_all();
  EXPECT_THAT(answered_, ElementsAre("first", "second"));
}

TEST_F(ComponentChangesTest, TellsAFloodOnceForEachDescription) {
  for (int i = 0; i < 100; ++i)
    changes_->changed();
  EXPECT_EQ(told_, 1);
  changes_->described();
  for (int i = 0; i < 100; ++i)
    changes_->changed();
  EXPECT_EQ(told_, 2);
}

TEST(ComponentChanges, KeepNoAnswerForLongerThanTheirPatience) {
  struct SameThread final : Executor {
    void run(std::function<void()> task) override { task(); }
  } same_thread;
  std::atomic<bool> answered{false};
  Timers timers;
  const auto changes = std::make_shared<ComponentChanges>([](const auto&) {}, same_thread, timers);
  changes->changed();
  const auto begin = std::chrono::steady_clock::now();
  changes->keep(0, [&] { answered = true; });
  EXPECT_TRUE(test::eventually([&] { return answered.load(); }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, ComponentChanges::patience);
}

TEST_F(ComponentChangesTest, KeepsNoAnswerWhereNobodyServesTheComponents) {
  changes_ = std::make_shared<ComponentChanges>(nullptr, executor_, timers_);
  changes_->changed();
  answer("first");
  EXPECT_THAT(answered_, ElementsAre("first"));
}

}  // namespace
}  // namespace mcph
