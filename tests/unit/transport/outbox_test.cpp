#include "transport/outbox.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "transport/counting_reader.hpp"

namespace mcph {
namespace {

using Messages = std::vector<std::string>;

class OutboxTest : public ::testing::Test {
 protected:
  void overflow() {
    EXPECT_TRUE(outbox_.put(std::string(Outbox::max_bytes + 1, 'x')));
    EXPECT_FALSE(outbox_.put("x"));
  }

  const std::shared_ptr<CountingReader> reader_ = std::make_shared<CountingReader>();
  Outbox outbox_{reader_};
};

TEST_F(OutboxTest, GivesMessagesInOrderAndThenTheReply) {
  EXPECT_TRUE(outbox_.put("1"));
  EXPECT_TRUE(outbox_.put("2"));
  outbox_.end({"done"});
  const auto content = outbox_.take();
  EXPECT_EQ(content.messages, (Messages{"1", "2"}));
  ASSERT_TRUE(content.reply);
  EXPECT_EQ(content.reply->body, "done");
  EXPECT_EQ(content.overflow, Outbox::Overflow::none);
  EXPECT_TRUE(outbox_.take().empty());
}

TEST_F(OutboxTest, WakesOnlyAReaderThatFoundNothing) {
  outbox_.put("before anybody waits");
  EXPECT_EQ(reader_->wakes, 0);
  EXPECT_FALSE(outbox_.take().empty());
  outbox_.put("the reader has not come back yet");
  EXPECT_EQ(reader_->wakes, 0);
  EXPECT_FALSE(outbox_.take().empty());
  EXPECT_TRUE(outbox_.take().empty());
  outbox_.put("1");
  outbox_.put("2");
  EXPECT_EQ(reader_->wakes, 1);
}

TEST_F(OutboxTest, WakesTheReaderForTheReply) {
  EXPECT_TRUE(outbox_.take().empty());
  outbox_.end({"done"});
  EXPECT_EQ(reader_->wakes, 1);
  EXPECT_TRUE(outbox_.take().reply);
}

TEST_F(OutboxTest, AnswersThatThereIsNoMemoryWhereOthersHaveIt) {
  const auto budget = std::make_shared<MemoryBudget>(1'000'000);
  Outbox others(reader_, budget);
  Outbox outbox(reader_, budget);
  others.end({std::string(900'000, 'x')});
  outbox.end({R"({"jsonrpc":"2.0","id":"a","result":{"text":")" + std::string(200'000, 'x') + "\"}}"});
  const auto content = outbox.take();
  ASSERT_TRUE(content.reply);
  EXPECT_EQ(content.reply->status, ReplyStatus::unavailable);
  EXPECT_EQ(
      content.reply->body,
      R"({"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"The server has no memory left for this answer )"
      R"(of 200047 bytes, because answers that clients are slow to read take all of its 1000000 bytes; try again )"
      R"(later, or raise --max-buffered-bytes"}})");
}

TEST_F(OutboxTest, HoldsItsShareUntilTheReaderHasWrittenWhatItTook) {
  const auto budget = std::make_shared<MemoryBudget>(1'000'000);
  Outbox outbox(reader_, budget);
  EXPECT_TRUE(outbox.put(std::string(100'000, 'x')));
  EXPECT_TRUE(outbox.put(std::string(100'000, 'y')));
  {
    const auto content = outbox.take();
    EXPECT_EQ(budget->taken(), 200'000U);
    outbox.end({std::string(50'000, 'z')});
    EXPECT_EQ(budget->taken(), 250'000U);
  }
  EXPECT_EQ(budget->taken(), 50'000U);
}

TEST_F(OutboxTest, AnswersAnErrorThatThereIsNoMemoryForWithItsId) {
  const auto budget = std::make_shared<MemoryBudget>(1'000'000);
  Outbox others(reader_, budget);
  Outbox outbox(reader_, budget);
  others.end({std::string(1'000'000, 'x')});
  const auto text = std::string(50'000, 'x');
  outbox.put_answer(R"({"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"","data":{"a":")" + text +
                    R"(","result":2}}})");
  outbox.end({R"({"jsonrpc":"2.0","id":"a\",b","result":{"text":")" + text + "\"}}"});
  const auto content = outbox.take();
  ASSERT_EQ(content.messages.size(), 1U);
  EXPECT_EQ(content.messages[0].find(R"({"jsonrpc":"2.0","id":7,"error":{"code":-32603,)"), 0U) << content.messages[0];
  EXPECT_EQ(content.reply->body.find(R"({"jsonrpc":"2.0","id":"a\",b","error":{"code":-32603,)"), 0U);
}

TEST_F(OutboxTest, SaysWhatToRaiseForAnAnswerThatTheMemoryIsTooSmallFor) {
  Outbox outbox(reader_, std::make_shared<MemoryBudget>(20'000));
  outbox.end({R"({"jsonrpc":"2.0","id":1,"result":{"text":")" + std::string(30'000, 'x') + "\"}}"});
  EXPECT_EQ(outbox.take().reply->body,
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The server has less memory than this answer )"
            R"(of 30045 bytes needs: 20000 bytes; raise --max-buffered-bytes"}})");
}

TEST_F(OutboxTest, ReplacesNoAnswerThatIsShorterThanTheErrorInstead) {
  const auto budget = std::make_shared<MemoryBudget>(100'000);
  Outbox others(reader_, budget);
  Outbox outbox(reader_, budget);
  EXPECT_TRUE(outbox.put(std::string(MemoryBudget::free_bytes, 'x')));
  others.end({std::string(100'000, 'x')});
  const std::string answer = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  outbox.put_answer(answer);
  outbox.end({answer});
  const auto content = outbox.take();
  EXPECT_EQ(content.messages.back(), answer);
  EXPECT_EQ(content.reply->body, answer);
  EXPECT_EQ(content.reply->status, ReplyStatus::answered);
}

TEST_F(OutboxTest, CountsAnAnswerThatThereIsNoRoomForAndAsksForNothingMore) {
  const auto budget = std::make_shared<MemoryBudget>(100'000);
  Outbox others(reader_, budget);
  Outbox outbox(reader_, budget);
  others.end({std::string(100'000, 'x')});
  const std::string answer = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  for (int round = 0; round < 2; ++round) {
    outbox.put_answer(std::string(MemoryBudget::free_bytes, 'x'));
    EXPECT_TRUE(outbox.has_room());
    outbox.put_answer(answer);
    EXPECT_FALSE(outbox.has_room()) << "before the reader has taken it";
    EXPECT_EQ(budget->taken(), 100'000 + MemoryBudget::free_bytes + answer.size());
    EXPECT_TRUE(outbox.put("a notification")) << "of a client that may be about to read";
    EXPECT_EQ(outbox.take().messages.size(), 3U);
    EXPECT_TRUE(outbox.has_room());
    EXPECT_EQ(budget->taken(), 100'000U);
  }
}

TEST_F(OutboxTest, AnswersEachRequestOfABatchThatThereIsNoMemoryFor) {
  Outbox outbox(reader_, std::make_shared<MemoryBudget>(20'000));
  const auto text = std::string(20'000, 'x');
  const auto deep = std::string(128, '[') + std::string(128, ']');  // as a plugin may answer
  outbox.put_answer(R"([{"jsonrpc":"2.0","id":"a,]","result":{"text":")" + text +
                    R"("}},{"jsonrpc":"2.0","id":7,"result":)" + deep + "}]");
  const auto content = outbox.take();
  ASSERT_EQ(content.messages.size(), 1U);
  const auto errors = JsonDocument::read(content.messages[0]);
  ASSERT_EQ(errors->root().size(), 2U) << content.messages[0];
  Messages ids;
  for (const auto error : errors->root().elements()) {
    ids.emplace_back(error.find("id").text());
    EXPECT_TRUE(error.contains("error"));
  }
  EXPECT_EQ(ids, (Messages{R"("a,]")", "7"}));
}

TEST_F(OutboxTest, LosesNoStreamOfAClientThatReadsBecauseOthersHaveTheMemory) {
  const auto budget = std::make_shared<MemoryBudget>(100'000);
  Outbox others(reader_, budget);
  Outbox outbox(reader_, budget);
  others.end({std::string(100'000, 'x')});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(outbox.put(std::string(50'000, 'x')));
    EXPECT_EQ(budget->taken(), 150'000U) << "what there is, though it is more than there should be";
    EXPECT_EQ(outbox.take().messages.size(), 1U);
  }
  EXPECT_TRUE(outbox.put(std::string(50'000, 'x')));
  EXPECT_FALSE(outbox.put("one more that its client does not read"));
  EXPECT_EQ(outbox.overflow(), Outbox::Overflow::no_memory);
}

TEST_F(OutboxTest, TakesNoLongMessageThatTheMemoryIsTooShortFor) {
  const auto budget = std::make_shared<MemoryBudget>(100'000);
  Outbox others(reader_, budget);
  Outbox outbox(reader_, budget);
  others.end({std::string(100'000, 'x')});
  EXPECT_FALSE(outbox.put(std::string(Outbox::max_overdrawn_bytes + 1, 'x')));
  EXPECT_EQ(budget->taken(), 100'000U);
  EXPECT_EQ(outbox.overflow(), Outbox::Overflow::no_memory);
}

TEST_F(OutboxTest, TakesNothingAfterTheReply) {
  outbox_.end({"first"});
  EXPECT_FALSE(outbox_.put("late"));
  outbox_.end({"second"});
  const auto content = outbox_.take();
  EXPECT_TRUE(content.messages.empty());
  EXPECT_EQ(content.reply->body, "first");
}

TEST_F(OutboxTest, OverflowsWhenTheReaderLeavesTooManyMessages) {
  for (std::size_t i = 0; i < Outbox::max_messages; ++i)
    ASSERT_TRUE(outbox_.put("m"));
  EXPECT_FALSE(outbox_.put("one too many"));
  EXPECT_FALSE(outbox_.put("none after it"));
  const auto content = outbox_.take();
  EXPECT_EQ(content.overflow, Outbox::Overflow::too_much);
  EXPECT_EQ(content.messages.size(), Outbox::max_messages);
}

TEST_F(OutboxTest, OverflowsWhenTheReaderLeavesTooManyBytes) {
  EXPECT_TRUE(outbox_.put(std::string(Outbox::max_bytes, 'x')));
  EXPECT_TRUE(outbox_.put("x"));
  EXPECT_EQ(outbox_.overflow(), Outbox::Overflow::none);
  EXPECT_FALSE(outbox_.put("x"));
  EXPECT_EQ(outbox_.overflow(), Outbox::Overflow::too_much);
  EXPECT_EQ(outbox_.take().overflow, Outbox::Overflow::too_much);
  EXPECT_EQ(outbox_.overflow(), Outbox::Overflow::none) << "the reader knows";
}

TEST_F(OutboxTest, TakesAMessageHoweverLongItIsFromAReaderThatKeepsUp) {
  const std::string longest(Outbox::max_bytes + 1, 'x');
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(outbox_.put("before it"));
    EXPECT_TRUE(outbox_.put(longest));
    EXPECT_EQ(outbox_.take().messages.size(), 2U);
  }
}

TEST_F(OutboxTest, TakesAnswersHowManyBytesEverWait) {
  for (int i = 0; i < 3; ++i)
    outbox_.put_answer(std::string(Outbox::max_bytes, 'x'));
  EXPECT_FALSE(outbox_.has_room()) << "for what would be asked now";
  EXPECT_TRUE(outbox_.put("a notification")) << "which answers do not count against";
  const auto content = outbox_.take();
  EXPECT_EQ(content.messages.size(), 4U);
  EXPECT_EQ(content.overflow, Outbox::Overflow::none);
  EXPECT_TRUE(outbox_.has_room());
}

TEST_F(OutboxTest, TakesWhatIsNoAnswerHowManyAnswersEverWait) {
  for (std::size_t i = 0; i <= Outbox::max_messages; ++i)
    outbox_.put_answer("answer");
  EXPECT_TRUE(outbox_.put("a notification"));
  outbox_.put_if_room("progress");
  EXPECT_EQ(outbox_.take().messages.size(), Outbox::max_messages + 3);
}

TEST_F(OutboxTest, HasNoRoomBesideWhatTheReaderHasTakenAndNotWritten) {
  outbox_.put_answer("answer");
  EXPECT_TRUE(outbox_.has_room(Outbox::max_bytes - 6));
  EXPECT_FALSE(outbox_.has_room(Outbox::max_bytes - 5));
}

TEST_F(OutboxTest, DropsWhatComesWhenItsReaderHasGone) {
  const auto budget = std::make_shared<MemoryBudget>(1'000'000);
  Outbox unread({}, budget);
  EXPECT_TRUE(unread.put("to a reader that is still to come"));
  auto gone = std::make_shared<CountingReader>();
  Outbox outbox(gone, budget);
  gone.reset();
  EXPECT_FALSE(outbox.put(std::string(100'000, 'x')));
  outbox.put_if_room(std::string(100'000, 'x'));
  EXPECT_EQ(budget->taken(), 0U);
  outbox.read_by(reader_);
  EXPECT_TRUE(outbox.put("x"));
}

TEST_F(OutboxTest, DropsWhatTheReaderCanDoWithoutLongBeforeItIsTooSlow) {
  outbox_.put_if_room(std::string(Outbox::max_bytes_for_optional, 'x'));
  outbox_.put_if_room("one too many");
  EXPECT_TRUE(outbox_.put("needed"));
  EXPECT_EQ(outbox_.take().messages.size(), 2U);
}

TEST_F(OutboxTest, KnowsWhetherSomebodyWillTake) {
  EXPECT_TRUE(outbox_.has_reader());
  auto gone = std::make_shared<CountingReader>();
  outbox_.read_by(gone);
  gone.reset();
  EXPECT_FALSE(outbox_.has_reader());
  outbox_.read_by(reader_);
  EXPECT_TRUE(outbox_.has_reader());
  outbox_.end({});
  EXPECT_FALSE(outbox_.has_reader());
}

TEST_F(OutboxTest, WakesTheReaderWhenItOverflows) {
  EXPECT_TRUE(outbox_.take().empty());
  overflow();
  EXPECT_FALSE(outbox_.put("x"));
  EXPECT_EQ(reader_->wakes, 1);
  EXPECT_EQ(reader_->overflows, 1);
}

TEST_F(OutboxTest, HasRoomAgainWhenTheReaderHasTaken) {
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < Outbox::max_messages; ++i)
      ASSERT_TRUE(outbox_.put(std::string(Outbox::max_bytes / Outbox::max_messages, 'x')));
    EXPECT_EQ(outbox_.take().messages.size(), Outbox::max_messages);
  }
}

TEST_F(OutboxTest, HasNoReplyOnceItOverflowed) {
  overflow();
  outbox_.end({"done"});
  EXPECT_FALSE(outbox_.take().reply);
}

TEST_F(OutboxTest, WakesTheReaderThatTookOver) {
  const auto other = std::make_shared<CountingReader>();
  EXPECT_TRUE(outbox_.take().empty());
  outbox_.read_by(other);
  outbox_.put("1");
  EXPECT_EQ(reader_->wakes, 0);
  EXPECT_EQ(other->wakes, 1);
  overflow();
  EXPECT_EQ(other->overflows, 1);
}

TEST_F(OutboxTest, LosesNothingBetweenWritersAndAReader) {
  constexpr std::size_t each = Outbox::max_messages / 4;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([this] {
      for (std::size_t i = 0; i < each; ++i)
        EXPECT_TRUE(outbox_.put("m"));
    });
  }
  std::size_t taken = 0;
  while (taken < 4 * each)
    taken += outbox_.take().messages.size();
  for (auto& writer : writers)
    writer.join();
  EXPECT_TRUE(outbox_.take().empty());
}

}  // namespace
}  // namespace mcph
