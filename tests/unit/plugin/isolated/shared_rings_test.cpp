#include "plugin/isolated/shared_rings.hpp"

#include <array>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace mcph {
namespace {

using Direction = SharedRings::Direction;
using Read = RingReader::Read;
using Written = RingWriter::Written;

constexpr std::uint32_t capacity = SharedRings::capacity;
constexpr std::size_t overhead = 8;  // of a record

class SharedRingsTest : public ::testing::Test {
 protected:
  Written write(std::string_view text) { return writer_.write(std::array{text}); }
  // What comes next; "none" and "broken" where there is nothing.
  std::string read() {
    switch (reader_.read()) {
      case Read::record:
        return std::string(reader_.record());
      case Read::none:
        return "none";
      case Read::broken:
        return "broken";
    }
    return {};
  }
  RingHeader& header() const { return rings_->header(Direction::to_host); }
  std::byte* bytes() const { return rings_->bytes(Direction::to_host); }
  // Moves both ends on by so many bytes, a multiple of 8, by records that are read at once.
  void move_on(std::size_t size) {
    while (size > 0) {
      const auto record = std::min<std::size_t>(size, 8192);
      ASSERT_EQ(write(std::string(record - overhead, 'm')), Written::whole);
      ASSERT_EQ(reader_.read(), Read::record);
      size -= record;
    }
    ASSERT_EQ(reader_.read(), Read::none);
  }

  std::pair<std::shared_ptr<SharedRings>, FileDescriptor> made_ = SharedRings::make();
  std::shared_ptr<SharedRings> rings_ = made_.first;
  std::shared_ptr<SharedRings> mapped_ = SharedRings::map(made_.second);
  RingWriter writer_{mapped_, Direction::to_host};
  RingReader reader_{rings_, Direction::to_host};
};

TEST_F(SharedRingsTest, AreOfASizeThatNobodyCanChange) {
  EXPECT_NE(::ftruncate(made_.second.get(), 4096), 0);
  EXPECT_NE(::ftruncate(made_.second.get(), 1 << 20), 0);
  EXPECT_NE(::fcntl(made_.second.get(), F_ADD_SEALS, F_SEAL_WRITE), 0);
}

TEST_F(SharedRingsTest, PassWhatIsWrittenInOrder) {
  EXPECT_EQ(read(), "none");
  EXPECT_EQ(writer_.write(std::array<std::string_view, 3>{"one", "", " piece"}), Written::whole);
  EXPECT_EQ(write("two"), Written::whole);
  EXPECT_EQ(writer_.write({}), Written::whole);
  EXPECT_EQ(read(), "one piece");
  EXPECT_EQ(read(), "two");
  EXPECT_EQ(read(), "") << "a mark";
  EXPECT_EQ(read(), "none");
}

TEST_F(SharedRingsTest, AreTwo) {
  RingWriter to_worker(rings_, Direction::to_worker);
  RingReader of_worker(mapped_, Direction::to_worker);
  write("to the host");
  to_worker.write(std::array<std::string_view, 1>{"to the worker"});
  ASSERT_EQ(of_worker.read(), Read::record);
  EXPECT_EQ(of_worker.record(), "to the worker");
  EXPECT_EQ(read(), "to the host");
}

TEST_F(SharedRingsTest, GoAroundTheirEndAtEveryPlace) {
  std::string text(100, ' ');
  for (std::size_t i = 0; i < text.size(); ++i)
    text[i] = static_cast<char>('!' + i % 90);
  // A round is 8 bytes short of the capacity with the record that is looked at.
  constexpr std::size_t record = 112;
  for (std::size_t round = 0; round < 40; ++round) {
    move_on(capacity - record - 8);
    ASSERT_EQ(write(text), Written::whole);
    EXPECT_EQ(read(), text) << round;
  }
}

TEST_F(SharedRingsTest, TakeAsMuchAsFits) {
  const std::string quarter(capacity / 4 - overhead, 'q');
  ASSERT_LE(quarter.size(), SharedRings::max_record_bytes);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(write(quarter), Written::whole) << i;
  EXPECT_EQ(write(""), Written::no_room) << "not even a record of no bytes";
  EXPECT_EQ(writer_.write({}), Written::no_room);
  EXPECT_EQ(read(), quarter);
  EXPECT_EQ(write(quarter), Written::whole) << "exactly what has been read";
  EXPECT_EQ(write(""), Written::no_room);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(read(), quarter) << i;
  EXPECT_EQ(read(), "none");
}

TEST_F(SharedRingsTest, TakeTheLongestRecord) {
  const std::string longest(SharedRings::max_record_bytes, 'x');
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(write(longest), Written::whole);
    ASSERT_EQ(read(), longest);
  }
}

TEST_F(SharedRingsTest, GoOnWhenPositionsHaveGoneAroundToo) {
  const std::string longest(SharedRings::max_record_bytes, 'x');
  for (std::uint64_t bytes = 0; bytes < (std::uint64_t{1} << 32) + capacity; bytes += longest.size()) {
    ASSERT_EQ(write(longest), Written::whole);
    ASSERT_EQ(reader_.read(), Read::record);
    if (bytes % (capacity / 2) == 0) {
      ASSERT_EQ(reader_.read(), Read::none);
    }
  }
  EXPECT_EQ(write("after that"), Written::whole);
  EXPECT_EQ(read(), "after that");
}

TEST_F(SharedRingsTest, WakeAReaderThatSleepsOnceForSeveralRecords) {
  EXPECT_TRUE(reader_.begin_sleep());
  write("one");
  EXPECT_TRUE(writer_.has_to_wake_reader());
  write("two");
  EXPECT_FALSE(writer_.has_to_wake_reader());
  EXPECT_FALSE(reader_.begin_sleep()) << "there is something";
  EXPECT_FALSE(writer_.has_to_wake_reader()) << "and it does not sleep";
  read();
  read();
  EXPECT_TRUE(reader_.begin_sleep());
  reader_.end_sleep();
  write("three");
  EXPECT_FALSE(writer_.has_to_wake_reader());
}

TEST_F(SharedRingsTest, WakeAWriterThatWaitsWhenTheyAreEmpty) {
  const std::string quarter(capacity / 4 - overhead, 'q');
  while (write(quarter) == Written::whole) {
  }
  for (int i = 0; i < 4; ++i)
    read();
  EXPECT_EQ(read(), "none");
  EXPECT_TRUE(reader_.has_to_wake_writer());
  EXPECT_FALSE(reader_.has_to_wake_writer());
  EXPECT_EQ(write(quarter), Written::whole);
}

// What the other side may do to the memory, one thing at a time.
TEST_F(SharedRingsTest, RefuseAPositionOfAWriterThatCannotBe) {
  for (const std::uint32_t written : {1U, 7U, capacity + 8, 0x7fffffffU, 0x80000000U, 0xfffffff8U, 0xffffffffU}) {
    header().written = written;
    EXPECT_EQ(read(), "broken") << written;
  }
}

TEST_F(SharedRingsTest, RefuseAPositionOfAReaderThatCannotBe) {
  for (const std::uint32_t is_read : {1U, 8U, 0x7fffffffU, 0xffffffffU - capacity}) {
    header().read = is_read;
    EXPECT_EQ(write("text"), Written::broken) << is_read;
  }
  header().read = 0;
  EXPECT_EQ(write("text"), Written::whole);
  header().read = 24;
  EXPECT_EQ(write("text"), Written::broken) << "it has read what was not written";
}

TEST_F(SharedRingsTest, RefuseASizeThatCannotBe) {
  write("a text of the writer's");
  const auto set_size = [this](std::uint32_t size, std::uint32_t zero) {
    const std::array words{size, zero};
    std::copy_n(reinterpret_cast<const std::byte*>(words.data()), sizeof words, bytes());
  };
  for (const std::uint32_t size : {25U, 1000U, 16384U, 16385U, 0x80000000U, 0xffffffffU}) {
    set_size(size, 0);
    EXPECT_EQ(read(), "broken") << size;
  }
  set_size(4, 1);
  EXPECT_EQ(read(), "broken");
  set_size(4, 0);
  EXPECT_EQ(read(), "a te") << "which makes what follows a record";
}

TEST_F(SharedRingsTest, GiveWhatWasCopiedWhateverIsWrittenLater) {
  write("a text");
  ASSERT_EQ(reader_.read(), Read::record);
  std::fill_n(bytes(), capacity, std::byte{0xff});
  header().written = 0xdeadbeef;
  EXPECT_EQ(reader_.record(), "a text");
}

TEST_F(SharedRingsTest, PassRecordsBetweenTwoThreads) {
  constexpr std::uint32_t count = 200'000;
  std::thread writing([this] {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto text = std::to_string(i) + std::string(i % 300, 'x');
      while (write(text) == Written::no_room)
        writer_.wait_for_room();
    }
  });
  for (std::uint32_t i = 0; i < count;) {
    const auto outcome = reader_.read();
    ASSERT_NE(outcome, Read::broken);
    if (outcome == Read::none) {
      reader_.has_to_wake_writer();
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(reader_.record(), std::to_string(i) + std::string(i % 300, 'x'));
    ++i;
  }
  writing.join();
}

}  // namespace
}  // namespace mcph
