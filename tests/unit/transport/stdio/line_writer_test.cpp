#include "transport/stdio/line_writer.hpp"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// The two ends of a pipe: the writer's, and the client's.
class LineWriterTest : public ::testing::Test {
 protected:
  LineWriterTest() {
    std::signal(SIGPIPE, SIG_IGN);  // as the program does
    if (::pipe(ends_) != 0) throw std::runtime_error("no pipe can be made");
    start({});
  }
  ~LineWriterTest() override {
    close_client();
    writer_.reset();
    ::close(ends_[1]);
  }

  void start(LineWriter::Limits limits) {
    limits_ = limits;
    writer_ = std::make_unique<LineWriter>(ends_[1], limits, [this](const LineWriter::Failure& failure) {
      failure_ = failure.reason;
      client_left_ = failure.client_left;
      ++failures_;
    });
  }

  // Until it has read as many bytes.
  std::string read(std::size_t count) const {
    std::string text(count, '\0');
    std::size_t have = 0;
    while (have < count) {
      const auto got = ::read(ends_[0], text.data() + have, count - have);
      if (got <= 0) return text.substr(0, have);
      have += static_cast<std::size_t>(got);
    }
    return text;
  }
  void close_client() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }

  int ends_[2] = {-1, -1};
  LineWriter::Limits limits_;
  std::string failure_;
  bool client_left_ = false;
  std::atomic<int> failures_{0};
  std::unique_ptr<LineWriter> writer_;
};

TEST_F(LineWriterTest, WritesOneMessageALineInOrder) {
  EXPECT_TRUE(writer_->send("{\"a\":1}"));
  EXPECT_TRUE(writer_->send("{}"));
  EXPECT_EQ(read(11), "{\"a\":1}\n{}\n");
}

TEST_F(LineWriterTest, WritesLongLinesBetweenShortOnesInOrder) {
  const std::string long_line(100'000, 'x');
  std::string all;
  for (const auto& line : {std::string("a"), long_line, std::string("b"), std::string("c"), long_line, long_line}) {
    EXPECT_TRUE(writer_->send(line));
    all.append(line).append("\n");
  }
  EXPECT_TRUE(read(all.size()) == all);
}

TEST_F(LineWriterTest, NeverWaitsForAClientThatDoesNotRead) {
  const std::string long_message(1 << 20, 'x');
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(writer_->send(long_message));
  const auto line = long_message + "\n";
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(read(line.size()) == line);
}

TEST_F(LineWriterTest, GivesUpOnAClientThatLeavesTooManyNotificationsUnread) {
  const std::string long_message(8 << 20, 'x');
  bool taken = true;
  for (int i = 0; taken && i < 20; ++i)
    taken = writer_->send(long_message);
  EXPECT_FALSE(taken);
  EXPECT_EQ(failures_, 1);
  EXPECT_THAT(failure_, HasSubstr("bytes of notifications unread"));
  EXPECT_FALSE(client_left_);
  EXPECT_FALSE(writer_->send("more"));
  EXPECT_EQ(failures_, 1);
}

TEST_F(LineWriterTest, TakesOneMessageThatIsLongerThanTheLimit) {
  const std::string long_message(limits_.unread_bytes + 1, 'x');
  EXPECT_TRUE(writer_->send(long_message));
  EXPECT_EQ(read(long_message.size() + 1).size(), long_message.size() + 1);
  EXPECT_EQ(failures_, 0);
}

TEST_F(LineWriterTest, KeepsAllAnswersOfAClientThatReadsSlowly) {
  constexpr int count = 12;
  const std::string long_message(8 << 20, 'x');
  for (int i = 0; i < count; ++i) {
    writer_->expect_answer();
    writer_->answer(long_message);
  }
  EXPECT_FALSE(writer_->has_room());
  EXPECT_GT(writer_->unread_bytes(), limits_.unread_bytes);
  EXPECT_TRUE(writer_->send("a notification")) << "which answers do not count against";
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(read(long_message.size() + 1).size(), long_message.size() + 1);
  EXPECT_EQ(read(15), "a notification\n");
  EXPECT_TRUE(writer_->drain(test::patience));
  EXPECT_TRUE(writer_->has_room());
  EXPECT_EQ(writer_->unread_bytes(), 0U);
  EXPECT_EQ(failures_, 0);
}

TEST_F(LineWriterTest, GivesUpOnAClientThatReadsNothingForTooLong) {
  writer_.reset();
  start({.patience = 50ms});
  writer_->expect_answer();
  writer_->answer(std::string(1 << 20, 'x'));
  ASSERT_TRUE(test::eventually([&] { return failures_ == 1; }));
  EXPECT_THAT(failure_, HasSubstr("has read nothing for 0 s, with 1048576 bytes on their way to it"));
  EXPECT_FALSE(client_left_);
  EXPECT_TRUE(writer_->drain(test::patience));
}

TEST_F(LineWriterTest, WaitsForAClientThatGoesOnReading) {
  writer_->send(std::string(1 << 20, 'x'));
  EXPECT_FALSE(writer_->drain_while_read(50ms));
  read(1 << 20);
  EXPECT_EQ(read(1), "\n");
  EXPECT_TRUE(writer_->drain_while_read(test::patience));
}

TEST_F(LineWriterTest, DoesNotWaitForAClientThatReadsNextToNothing) {
  constexpr std::size_t piece = 4096;
  writer_->send(std::string(16 << 20, 'x'));
  std::atomic<bool> waited{false};
  std::thread slow([&] {
    for (std::size_t all = 0; !waited && all < (16 << 20); all += piece) {
      std::this_thread::sleep_for(5ms);
      read(piece);
    }
  });
  EXPECT_FALSE(writer_->drain_while_read(50ms));
  waited = true;
  slow.join();
}

TEST_F(LineWriterTest, DropsWhatIsNotNeededWhereItWouldGiveUp) {
  const std::string long_message(limits_.unread_bytes, 'x');
  writer_->send("first");  // so that the next one may wait behind it
  writer_->send(long_message);
  writer_->send_if_room(long_message);
  writer_->send_if_room(long_message);
  EXPECT_LE(writer_->unread_bytes(), limits_.unread_bytes + 5);
  EXPECT_EQ(failures_, 0);
}

TEST_F(LineWriterTest, EndsAlthoughTheClientDoesNotRead) {
  writer_->send(std::string(1 << 20, 'x'));
  writer_.reset();
  EXPECT_EQ(failures_, 0);
}

TEST_F(LineWriterTest, WritesToADescriptorThatDoesNotBlock) {
  ::fcntl(ends_[1], F_SETFL, O_NONBLOCK);
  const std::string long_message(1 << 20, 'x');
  EXPECT_TRUE(writer_->send(long_message));
  EXPECT_FALSE(writer_->drain(50ms));
  EXPECT_EQ(read(long_message.size() + 1), long_message + "\n");
  EXPECT_EQ(failures_, 0);
}

TEST_F(LineWriterTest, SaysOnceThatTheClientIsGone) {
  close_client();
  writer_->send("1");
  ASSERT_TRUE(test::eventually([&] { return failures_ == 1; }));
  EXPECT_EQ(failure_, "writing failed: Broken pipe");
  EXPECT_TRUE(client_left_);
  EXPECT_FALSE(writer_->send("2"));
  EXPECT_TRUE(writer_->drain(0ms));
  EXPECT_EQ(failures_, 1);
}

TEST_F(LineWriterTest, IsDrainedWhenEverythingIsAnsweredAndWritten) {
  EXPECT_TRUE(writer_->drain(0ms));
  writer_->expect_answer();
  writer_->expect_answer();
  EXPECT_EQ(writer_->answers_due(), 2U);
  EXPECT_FALSE(writer_->drain(0ms));
  writer_->answer("1");
  writer_->answer("");
  EXPECT_EQ(writer_->answers_due(), 0U);
  EXPECT_TRUE(writer_->drain(test::patience));
  EXPECT_EQ(read(2), "1\n");
}

TEST_F(LineWriterTest, IsNotDrainedWhileTheClientHasNotReadWhatFillsThePipe) {
  const std::string long_message(1 << 20, 'x');
  writer_->send(long_message);
  EXPECT_FALSE(writer_->drain(0ms));
  read(long_message.size() + 1);
  EXPECT_TRUE(writer_->drain(test::patience));
}

TEST_F(LineWriterTest, WritesWhatIsQueuedBeforeItGoes) {
  for (int i = 0; i < 1000; ++i)
    writer_->send("m");
  writer_.reset();
  EXPECT_EQ(read(2000).size(), 2000U);
}

TEST_F(LineWriterTest, StaysOpenWhenItsSessionClosesItsStreams) {
  writer_->close();
  EXPECT_TRUE(writer_->send("{}"));
  EXPECT_EQ(read(3), "{}\n");
}

}  // namespace
}  // namespace mcph
