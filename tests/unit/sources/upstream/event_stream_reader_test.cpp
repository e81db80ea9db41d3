#include "sources/upstream/event_stream_reader.hpp"

#include <string>

#include <gtest/gtest.h>

namespace mcph {
namespace {

constexpr std::size_t max_data = 64;

// Each event as "type(data)", one behind the other.
std::string events(EventStreamReader& reader, std::string_view stream) {
  std::string all;
  reader.read(stream, [&](const EventStreamReader::Event& event) {
    all.append(event.type).append("(").append(event.is_too_long ? "too long" : event.data).append(")");
  });
  return all;
}
std::string events(std::string_view stream) {
  EventStreamReader reader(max_data);
  return events(reader, stream);
}

TEST(EventStreamReaderTest, ReadsEvents) {
  EXPECT_EQ(events("event: message\ndata: {}\n\n"), "message({})");
  EXPECT_EQ(events("data: a\ndata: b\n\n"), "message(a\nb)");
  EXPECT_EQ(events("data:a\n\ndata:  b\n\n"), "message(a)message( b)");
  EXPECT_EQ(events("event: endpoint\ndata: /x\n\n"), "endpoint(/x)");
  EXPECT_EQ(events("data\n\n"), "message()");
  EXPECT_EQ(events("\xEF\xBB\xBF"
                   "data: a\n\n"),
            "message(a)");
}

TEST(EventStreamReaderTest, KnowsAllThreeEndsOfALine) {
  EXPECT_EQ(events("data: a\r\n\r\ndata: b\r\rdata: c\n\n"), "message(a)message(b)message(c)");
}

TEST(EventStreamReaderTest, TellsNothingOfWhatIsNoEvent) {
  EXPECT_EQ(events(": a comment\n\n"), "");
  EXPECT_EQ(events("event: message\n\n"), "");
  EXPECT_EQ(events("other: x\n\n"), "");
  EXPECT_EQ(events("data: unfinished\n"), "");
}

TEST(EventStreamReaderTest, DoesNotMindWhereThePiecesEnd) {
  const std::string stream = "id: 7\r\nevent: message\r\ndata: {\"a\":1}\r\n\r\n: beat\r\rdata: b\n\n";
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    EventStreamReader reader(max_data);
    std::string all;
    for (std::size_t at = 0; at < stream.size(); at += size)
      all += events(reader, std::string_view(stream).substr(at, size));
    EXPECT_EQ(all, "message({\"a\":1})message(b)") << size;
    EXPECT_EQ(reader.last_id(), "7");
  }
}

TEST(EventStreamReaderTest, KnowsWhereToContinueAndWhen) {
  EventStreamReader reader(max_data);
  EXPECT_EQ(reader.retry(), std::nullopt);
  EXPECT_EQ(events(reader, "id: 1\nretry: 20\n\nid: 2\ndata: not whole"), "");
  EXPECT_EQ(reader.last_id(), "1");
  EXPECT_EQ(reader.retry(), std::chrono::milliseconds(20));
  reader.begin_again();
  EXPECT_EQ(events(reader, "data: b\nretry: soon\nid: a" + std::string(1, '\0') + "b\n\n"), "message(b)");
  EXPECT_EQ(reader.last_id(), "1");
  EXPECT_EQ(reader.retry(), std::chrono::milliseconds(20));
}

TEST(EventStreamReaderTest, KeepsNothingOfWhatIsTooLong) {
  const std::string fits(max_data, 'x');
  EXPECT_EQ(events("data: " + fits + "\n\n"), "message(" + fits + ")");
  EXPECT_EQ(events("data: " + fits + "x\n\ndata: b\n\n"), "message(too long)message(b)");
  EXPECT_EQ(events("data: " + fits + "\ndata: more\n\ndata: b\n\n"), "message(too long)message(b)");
  EXPECT_EQ(events(":" + std::string(10'000, 'x') + "\ndata: b\n\n"), "message(b)");
  EXPECT_EQ(events("event: " + std::string(10'000, 'x') + "\ndata: b\n\n"), "message(b)");
}

}  // namespace
}  // namespace mcph
