#include "plugin/isolated/worker_frame.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <linux/capability.h>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "plugin/isolated/passed_descriptors.hpp"
#include "support/eventually.hpp"

namespace mcph {
namespace {

class WorkerFrameTest : public ::testing::Test {
 protected:
  Sent send(const Frame& frame) const { return send_frame(sockets_.first.get(), frame, false); }
  FrameReader::Outcome receive() { return reader_.receive_whole(sockets_.second.get()); }
  // Bytes that are not what send_frame makes.
  void send_bytes(const void* bytes, std::size_t size) const {
    ASSERT_EQ(::send(sockets_.first.get(), bytes, size, 0), static_cast<ssize_t>(size));
  }

  std::pair<FileDescriptor, FileDescriptor> sockets_ = *make_frame_sockets();
  FrameReader reader_;
};

// As it goes over the socket.
struct Header {
  std::uint32_t kind;
  std::int32_t number;
  std::uint64_t id;
  std::uint64_t text_size;
  std::uint64_t more_size;
};

const Frame full_frame{Frame::Kind::completed, -7, 1ULL << 40, "a text", "more"};

void expect_full_frame(const Frame& frame) {
  EXPECT_EQ(frame.kind, full_frame.kind);
  EXPECT_EQ(frame.number, full_frame.number);
  EXPECT_EQ(frame.id, full_frame.id);
  EXPECT_EQ(frame.text, full_frame.text);
  EXPECT_EQ(frame.more, full_frame.more);
}

TEST_F(WorkerFrameTest, ArrivesAsItWasSent) {
  ASSERT_EQ(send(full_frame), Sent::whole);
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  expect_full_frame(reader_.frame());
  EXPECT_EQ(receive(), FrameReader::Outcome::none);
}

TEST_F(WorkerFrameTest, ArrivesWithoutText) {
  send({.kind = Frame::Kind::stop});
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_EQ(reader_.frame().kind, Frame::Kind::stop);
  EXPECT_EQ(reader_.frame().text, "");
}

TEST_F(WorkerFrameTest, ArrivesWhole) {
  for (const std::size_t size : {65535U, 65536U, 65537U, 10'000'000U}) {
    std::string text(size, 'x');
    text.back() = 'y';
    ASSERT_EQ(send({.kind = Frame::Kind::completed, .text = text, .more = "more"}), Sent::whole);
    ASSERT_EQ(receive(), FrameReader::Outcome::frame);
    EXPECT_TRUE(reader_.frame().text == text) << size;
    EXPECT_EQ(reader_.frame().more, "more");
  }
}

TEST_F(WorkerFrameTest, LeavesALongTextInItsFileUntilItIsWanted) {
  const std::string text(100'000, 'x');
  send({Frame::Kind::completed, 1, 7, text, "more"});
  send({Frame::Kind::completed, 1, 8, text, "more"});
  ASSERT_EQ(reader_.receive(sockets_.second.get()), FrameReader::Outcome::long_text);
  EXPECT_EQ(reader_.frame().kind, Frame::Kind::completed);
  EXPECT_EQ(reader_.frame().id, 7U);
  EXPECT_EQ(reader_.frame().text, "");
  EXPECT_EQ(reader_.long_text_bytes(), 100'004U);
  ASSERT_EQ(reader_.receive(sockets_.second.get()), FrameReader::Outcome::long_text) << "the first is left";
  ASSERT_TRUE(reader_.read_long_text());
  EXPECT_EQ(reader_.frame().id, 8U);
  EXPECT_TRUE(reader_.frame().text == text);
  EXPECT_EQ(reader_.frame().more, "more");
}

TEST_F(WorkerFrameTest, FindsNoRoomWhereNobodyReads) {
  Sent sent = Sent::whole;
  for (int i = 0; i < 100'000 && sent == Sent::whole; ++i)
    sent = send({.kind = Frame::Kind::said, .text = "some words"});
  EXPECT_EQ(sent, Sent::no_room);
  EXPECT_EQ(receive(), FrameReader::Outcome::frame);
}

TEST_F(WorkerFrameTest, WaitsForRoomIfItIsToldTo) {
  constexpr int count = 10'000;
  std::thread sender([&] {
    for (int i = 0; i < count; ++i)
      send_frame(sockets_.first.get(), {.kind = Frame::Kind::said, .number = i, .text = "some words"}, true);
  });
  for (int i = 0; i < count;) {
    if (receive() != FrameReader::Outcome::frame) continue;
    EXPECT_EQ(reader_.frame().number, i++);
  }
  sender.join();
}

TEST_F(WorkerFrameTest, KnowsThatTheOtherSideIsGone) {
  send({.kind = Frame::Kind::ready, .text = "last words"});
  sockets_.first = {};
  EXPECT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_EQ(reader_.frame().text, "last words");
  EXPECT_EQ(receive(), FrameReader::Outcome::end);
  EXPECT_EQ(send_frame(sockets_.second.get(), {.kind = Frame::Kind::stop}, true), Sent::gone);
}

TEST_F(WorkerFrameTest, ReadsTheLastWordsOfWhoHasNotReadAll) {
  ASSERT_EQ(send_frame(sockets_.second.get(), {.kind = Frame::Kind::stop}, false), Sent::whole);
  send({.kind = Frame::Kind::crashed, .text = "last words"});
  sockets_.first = {};
  EXPECT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_EQ(reader_.frame().text, "last words");
  EXPECT_EQ(receive(), FrameReader::Outcome::end);
}

TEST_F(WorkerFrameTest, DoesNotTakeAnEmptyMessageForTheEnd) {
  send_bytes("", 0);
  send({.kind = Frame::Kind::stop});
  EXPECT_EQ(receive(), FrameReader::Outcome::none);
  EXPECT_EQ(receive(), FrameReader::Outcome::frame);
  sockets_.first = {};
  EXPECT_EQ(receive(), FrameReader::Outcome::end);
}

TEST_F(WorkerFrameTest, TakesNothingThatIsNoFrame) {
  send_bytes("short", 5);
  EXPECT_EQ(receive(), FrameReader::Outcome::wrong);
  const std::array wrong{Header{0, 0, 0, 0, 0},            // no kind
                         Header{1000, 0, 0, 0, 0},         // another one
                         Header{1, 0, 0, 5, 0},            // a text that does not follow, and no file
                         Header{1, 0, 0, ~0ULL, 1},        // sizes whose sum overflows
                         Header{1, 0, 0, ~0ULL, ~0ULL},    //
                         Header{1, 0, 0, 1ULL << 40, 0}};  // too much
  for (const auto& header : wrong) {
    send_bytes(&header, sizeof header);
    EXPECT_EQ(receive(), FrameReader::Outcome::wrong) << header.kind << " " << header.text_size;
  }
}

// With so many copies of a descriptor. False: the system does not take it.
bool send_descriptors(int socket, Header header, int descriptor, std::size_t count) {
  iovec piece{&header, sizeof header};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(max_passed_descriptors * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(count * sizeof(int));
  auto* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(count * sizeof(int));
  const std::vector<int> descriptors(count, descriptor);
  std::copy_n(reinterpret_cast<const char*>(descriptors.data()), count * sizeof(int), CMSG_DATA(rights));
  return ::sendmsg(socket, &message, MSG_DONTWAIT) >= 0;
}

// For a text of `size` bytes.
void send_descriptor(int socket, int descriptor, std::uint64_t size) {
  ASSERT_TRUE(send_descriptors(socket, {1, 0, 0, size, 0}, descriptor, 1));
}

TEST_F(WorkerFrameTest, TakesNoFileThatIsShorterThanItsText) {
  const FileDescriptor file(::memfd_create("test", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(file.get(), 99'999), 0);
  send_descriptor(sockets_.first.get(), file.get(), 100'000);
  EXPECT_EQ(receive(), FrameReader::Outcome::wrong);
}

// The sender decides how many there are; all of them are the receiver's to close, on whatever thread.
TEST_F(WorkerFrameTest, KeepsNoDescriptorThatItDoesNotWant) {
  const auto open_descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const FileDescriptor file(::memfd_create("test", MFD_CLOEXEC));
  const auto before = open_descriptors();
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{3}, max_passed_descriptors}) {
    const Header header{static_cast<std::uint32_t>(Frame::Kind::said), 0, 0, 0, 0};
    ASSERT_TRUE(send_descriptors(sockets_.first.get(), header, file.get(), count));
    EXPECT_EQ(receive(), FrameReader::Outcome::wrong) << count;
  }
  EXPECT_TRUE(test::eventually([&] { return open_descriptors() == before; }));
}

// Two ends of a connection, of which closing the first waits for a minute, or until the other is closed: what has been
// written to it nobody takes.
std::pair<FileDescriptor, FileDescriptor> make_lingering_connection() {
  const FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  FileDescriptor first(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener.get(), place, size), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(::getsockname(listener.get(), place, &size), 0);
  EXPECT_EQ(::connect(first.get(), place, size), 0);
  FileDescriptor other(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  const std::string text(1 << 20, 'x');
  while (::send(first.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
  }
  const linger a_minute{1, 60};
  EXPECT_EQ(::setsockopt(first.get(), SOL_SOCKET, SO_LINGER, &a_minute, sizeof a_minute), 0);
  return {std::move(first), std::move(other)};
}

constexpr std::chrono::seconds much_less_than_a_minute{30};

TEST_F(WorkerFrameTest, DoesNotWaitForTheEndOfAConnectionThatIsPassed) {
  const auto begun = std::chrono::steady_clock::now();
  auto connection = make_lingering_connection();
  send_descriptor(sockets_.first.get(), connection.first.get(), 100'000);
  connection.first = {};
  EXPECT_EQ(receive(), FrameReader::Outcome::wrong);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, much_less_than_a_minute);
}

TEST_F(WorkerFrameTest, IsNotWaitedForWhereAConnectionIsLeftUnread) {
  const auto begun = std::chrono::steady_clock::now();
  auto connection = make_lingering_connection();
  send_descriptor(sockets_.first.get(), connection.first.get(), 100'000);
  connection.first = {};
  close_elsewhere(std::array{std::move(sockets_.second)});
  EXPECT_LT(std::chrono::steady_clock::now() - begun, much_less_than_a_minute);
}

TEST_F(WorkerFrameTest, TakesNoDescriptorThatIsNoFile) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const FileDescriptor reading(ends[0]);
  const FileDescriptor writing(ends[1]);
  send_descriptor(sockets_.first.get(), reading.get(), 100'000);
  EXPECT_EQ(receive(), FrameReader::Outcome::wrong) << "and does not wait for it";
}

// Two ends with rings, as a host and its worker have them.
class FrameRingsTest : public ::testing::Test {
 protected:
  FrameRingsTest() {
    writer_.use(RingWriter(mapped_, SharedRings::Direction::to_host));
    reader_.use(RingReader(made_.first, SharedRings::Direction::to_host));
    reader_.stay_awake();
  }
  Sent send(const Frame& frame) { return writer_.send(frame, false); }
  FrameReader::Outcome receive() { return reader_.receive_whole(sockets_.second.get()); }
  FrameReader::Outcome glance() { return reader_.glance_whole(sockets_.second.get()); }
  bool is_readable() const {
    pollfd socket{sockets_.second.get(), POLLIN, 0};
    return ::poll(&socket, 1, 0) == 1;
  }

  std::pair<FileDescriptor, FileDescriptor> sockets_ = *make_frame_sockets();
  std::pair<std::shared_ptr<SharedRings>, FileDescriptor> made_ = SharedRings::make();
  std::shared_ptr<SharedRings> mapped_ = SharedRings::map(made_.second);
  FrameWriter writer_{sockets_.first.get()};
  FrameReader reader_;
  const std::string long_text_ = std::string(100'000, 'y');
};

TEST_F(FrameRingsTest, PassAFrameAsItWasSent) {
  ASSERT_EQ(send(full_frame), Sent::whole);
  ASSERT_EQ(glance(), FrameReader::Outcome::frame);
  expect_full_frame(reader_.frame());
  EXPECT_EQ(glance(), FrameReader::Outcome::none);
}

TEST_F(FrameRingsTest, WakeAReaderThatSleepsAndNoOther) {
  ASSERT_TRUE(reader_.prepare_to_sleep());
  send({.kind = Frame::Kind::said, .text = "one"});
  EXPECT_TRUE(is_readable());
  EXPECT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_EQ(receive(), FrameReader::Outcome::none) << "the wake-up is no frame";
  EXPECT_FALSE(is_readable());
  send({.kind = Frame::Kind::said, .text = "two"});
  EXPECT_FALSE(is_readable()) << "it has not said that it sleeps";
  EXPECT_FALSE(reader_.prepare_to_sleep());
  EXPECT_EQ(glance(), FrameReader::Outcome::frame);
}

TEST_F(FrameRingsTest, KeepTheOrderOfFramesThatGoOverTheSocket) {
  constexpr std::array sizes{10U, 20'000U, 100'000U, 10U, 16'384U, 70'000U, 10U};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    ASSERT_EQ(send({Frame::Kind::completed, 0, i, std::string(sizes[i], 'x')}), Sent::whole);
  for (const bool asks_system : {true, false}) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      ASSERT_EQ(asks_system ? receive() : glance(), FrameReader::Outcome::frame) << i;
      EXPECT_EQ(reader_.frame().id, i);
      EXPECT_EQ(reader_.frame().text.size(), sizes[i]);
      if (asks_system) {
        ASSERT_EQ(send({Frame::Kind::completed, 0, i, std::string(sizes[i], 'x')}), Sent::whole);
      }
    }
  }
}

// It has come when the ring had nothing yet, with what was sent before it.
TEST_F(FrameRingsTest, LeaveAFrameOfTheSocketUntilItsMark) {
  constexpr std::uint64_t rounds = 2000;
  std::thread sender([this] {
    for (std::uint64_t i = 0; i < rounds; ++i) {
      writer_.send({Frame::Kind::said, 0, 2 * i, "short"}, true);
      writer_.send({Frame::Kind::said, 0, 2 * i + 1, std::string(17'000, 'x')}, true);
    }
  });
  for (std::uint64_t next = 0; next < 2 * rounds;) {
    const auto outcome = receive();
    if (outcome == FrameReader::Outcome::none) continue;
    ASSERT_EQ(outcome, FrameReader::Outcome::frame);
    ASSERT_EQ(reader_.frame().id, next);
    ++next;
  }
  sender.join();
}

// Who sends it has not come to that yet, and the other thread of its process wakes this side for something else.
TEST_F(FrameRingsTest, PassOverAMarkThatComesAfterItsFrameWasRead) {
  RingWriter ring(mapped_, SharedRings::Direction::to_host);
  const auto write = [&](std::string_view text) {
    const Header header{static_cast<std::uint32_t>(Frame::Kind::said), 0, 0, text.size(), 0};
    const std::array<std::string_view, 2> pieces{
        std::string_view(reinterpret_cast<const char*>(&header), sizeof header), text};
    ASSERT_EQ(ring.write(pieces), RingWriter::Written::whole);
  };
  write("before");
  send_frame(sockets_.first.get(), {.kind = Frame::Kind::said, .text = std::string(20'000, 'x')}, false);
  ASSERT_EQ(::send(sockets_.first.get(), "", 1, 0), 1);
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_EQ(reader_.frame().text, "before");
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_EQ(reader_.frame().text.size(), 20'000U);
  ASSERT_EQ(ring.write({}), RingWriter::Written::whole);
  write("after");
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_EQ(reader_.frame().text, "after");
  EXPECT_EQ(receive(), FrameReader::Outcome::none);
}

TEST_F(FrameRingsTest, PassWhatASignalHandlerSaysWithoutAMark) {
  send({.kind = Frame::Kind::said, .text = "before"});
  send_frame(sockets_.first.get(), {.kind = Frame::Kind::crashed, .text = "SEGV"}, false);
  send({.kind = Frame::Kind::said, .text = std::string(20'000, 'x')});
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_EQ(reader_.frame().text, "before");
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_EQ(reader_.frame().text, "SEGV");
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_EQ(reader_.frame().text.size(), 20'000U);
}

TEST_F(FrameRingsTest, WakeTheWriterThatFoundNoRoom) {
  const std::string text(10'000, 'x');
  while (send({.kind = Frame::Kind::said, .text = text}) == Sent::whole) {
  }
  EXPECT_EQ(writer_.full(), FrameWriter::Full::ring);
  while (glance() == FrameReader::Outcome::frame) {
  }
  pollfd socket{sockets_.first.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&socket, 1, 0), 1);
  EXPECT_EQ(send({.kind = Frame::Kind::said, .text = text}), Sent::whole);
}

TEST_F(FrameRingsTest, SendAFrameOfTheSocketOnceThereIsRoom) {
  const std::string text(60'000, 'x');
  std::uint64_t sent = 0;
  while (send({Frame::Kind::said, 0, sent, text}) == Sent::whole)
    ++sent;
  EXPECT_EQ(writer_.full(), FrameWriter::Full::socket) << "whose marks are in the ring";
  for (std::uint64_t i = 0; i < sent; ++i) {
    ASSERT_EQ(glance(), FrameReader::Outcome::frame);
    ASSERT_EQ(reader_.frame().id, i);
  }
  EXPECT_EQ(glance(), FrameReader::Outcome::none);
  EXPECT_TRUE(reader_.prepare_to_sleep());
  ASSERT_EQ(send({Frame::Kind::said, 0, sent, text}), Sent::whole);
  EXPECT_TRUE(is_readable());
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_EQ(reader_.frame().id, sent);
  EXPECT_EQ(receive(), FrameReader::Outcome::none) << "one mark was enough";
}

// How many descriptors this process may have, as long as this lives.
class OpenFileLimit {
 public:
  explicit OpenFileLimit(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit limit{std::min(most, before_.rlim_cur), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~OpenFileLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  OpenFileLimit(const OpenFileLimit&) = delete;
  OpenFileLimit& operator=(const OpenFileLimit&) = delete;

 private:
  rlimit before_{};
};

constexpr rlim_t no_more_files = 3;

// The other side may have this one try again and again.
TEST_F(FrameRingsTest, CopyNoLongTextBeforeThereIsRoomForItsFrame) {
  const Frame next{.kind = Frame::Kind::said, .text = std::string_view(long_text_)};
  constexpr std::string_view text_of_64_bytes_in_the_ring = "which then is full: ....";
  while (send({.kind = Frame::Kind::said, .text = text_of_64_bytes_in_the_ring}) == Sent::whole) {
  }
  {
    const OpenFileLimit limit(no_more_files);
    EXPECT_EQ(send(next), Sent::no_room);
    EXPECT_EQ(writer_.full(), FrameWriter::Full::ring);
  }
  while (glance() == FrameReader::Outcome::frame) {
  }
  EXPECT_EQ(send(next), Sent::whole);
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_TRUE(reader_.frame().text == long_text_);
}

TEST_F(FrameRingsTest, CopyALongTextOnceHoweverOftenItsFrameFindsNoRoom) {
  const Frame next{.kind = Frame::Kind::said, .text = std::string_view(long_text_)};
  while (send({.kind = Frame::Kind::said, .text = std::string(60'000, 'x')}) == Sent::whole) {
  }
  while (send_frame(sockets_.first.get(), {.kind = Frame::Kind::crashed}, false) == Sent::whole) {
  }
  EXPECT_EQ(send(next), Sent::no_room);
  EXPECT_EQ(writer_.full(), FrameWriter::Full::socket);
  {
    const OpenFileLimit limit(no_more_files);
    EXPECT_EQ(send(next), Sent::no_room);
  }
  while (receive() == FrameReader::Outcome::frame) {
  }
  EXPECT_EQ(send(next), Sent::whole);
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_TRUE(reader_.frame().text == long_text_);
}

TEST_F(FrameRingsTest, TakeNothingFromARingThatIsNoFrame) {
  RingWriter ring(mapped_, SharedRings::Direction::to_host);
  const Header wrong{1, 0, 0, 5, 0};  // a text that does not follow
  ring.write(std::array{std::string_view(reinterpret_cast<const char*>(&wrong), sizeof wrong)});
  EXPECT_EQ(glance(), FrameReader::Outcome::wrong);
}

TEST_F(FrameRingsTest, HaveNoPlaceForLongTextsUnlessThereIsOne) {
  RingWriter ring(mapped_, SharedRings::Direction::to_host);
  const Header header{static_cast<std::uint32_t>(Frame::Kind::completed), 0, 0, 100'000, 0};
  const std::uint64_t place = 0;
  ring.write(std::array{std::string_view(reinterpret_cast<const char*>(&header), sizeof header),
                        std::string_view(reinterpret_cast<const char*>(&place), sizeof place)});
  EXPECT_EQ(glance(), FrameReader::Outcome::wrong);
}

// As a worker's way to its host is.
class LongTextFramesTest : public FrameRingsTest {
 protected:
  LongTextFramesTest() {
    writer_.use(LongTextWriter(mapped_));
    reader_.use(LongTextReader(made_.first));
  }
};

TEST_F(LongTextFramesTest, ArriveWithoutTheSocket) {
  const std::string text(1 << 20, 'x');
  for (std::uint64_t i = 0; i < 10; ++i) {
    ASSERT_EQ(send({Frame::Kind::completed, 1, i, text, "more"}), Sent::whole);
    EXPECT_FALSE(is_readable());
    ASSERT_EQ(glance(), FrameReader::Outcome::frame);
    EXPECT_EQ(reader_.frame().id, i);
    EXPECT_TRUE(reader_.frame().text == text);
    EXPECT_EQ(reader_.frame().more, "more");
  }
}

TEST_F(LongTextFramesTest, KeepTheirTextAsLongAsItIsWanted) {
  send({Frame::Kind::completed, 1, 7, std::string(100'000, 'x')});
  ASSERT_EQ(glance(), FrameReader::Outcome::frame);
  const auto [text, owner] = std::pair(reader_.frame().text, reader_.frame().owner);
  send({Frame::Kind::completed, 1, 8, std::string(100'000, 'y')});
  ASSERT_EQ(glance(), FrameReader::Outcome::frame);
  EXPECT_TRUE(text == std::string(100'000, 'x'));
  EXPECT_TRUE(reader_.frame().text == std::string(100'000, 'y'));
}

TEST_F(LongTextFramesTest, LeaveATextThatNobodyWants) {
  const std::string text(SharedRings::long_text_bytes, 'x');
  for (std::uint64_t i = 0; i < 10; ++i) {
    ASSERT_EQ(send({Frame::Kind::completed, 1, i, text}), Sent::whole);
    EXPECT_FALSE(is_readable());
    ASSERT_EQ(reader_.glance(sockets_.second.get()), FrameReader::Outcome::long_text);
    EXPECT_EQ(reader_.frame().id, i);
    EXPECT_EQ(reader_.long_text_bytes(), text.size());
    ASSERT_EQ(glance(), FrameReader::Outcome::none);
  }
}

TEST_F(LongTextFramesTest, TakeNoPlaceThatThereIsNot) {
  for (const std::uint64_t place : {std::uint64_t{SharedRings::long_text_bytes} - 99'999, ~std::uint64_t{0}}) {
    RingWriter ring(mapped_, SharedRings::Direction::to_host);
    const Header header{static_cast<std::uint32_t>(Frame::Kind::completed), 0, 0, 100'000, 0};
    FrameReader reader;
    reader.use(RingReader(made_.first, SharedRings::Direction::to_host));
    reader.use(LongTextReader(made_.first));
    ring.write(std::array{std::string_view(reinterpret_cast<const char*>(&header), sizeof header),
                          std::string_view(reinterpret_cast<const char*>(&place), sizeof place)});
    EXPECT_EQ(reader.glance(sockets_.second.get()), FrameReader::Outcome::wrong) << place;
  }
}

// Where there is no room beside the ring they go by files, and what comes after them does not overtake them.
TEST_F(LongTextFramesTest, KeepTheOrderWhateverWayTheyGo) {
  constexpr std::array<std::size_t, 4> sizes{10, 100'000, 2'500'000, 17'000};
  constexpr std::uint64_t count = 400;
  const auto text_of = [&](std::uint64_t id) {
    return std::string(sizes[id % sizes.size()], static_cast<char>('a' + id % 26));
  };
  std::thread sender([&] {
    for (std::uint64_t i = 0; i < count; ++i)
      writer_.send({Frame::Kind::completed, 0, i, text_of(i)}, true);
  });
  for (std::uint64_t next = 0; next < count;) {
    const auto outcome = receive();
    if (outcome == FrameReader::Outcome::none) continue;
    ASSERT_EQ(outcome, FrameReader::Outcome::frame);
    ASSERT_EQ(reader_.frame().id, next);
    ASSERT_EQ(reader_.frame().text, text_of(next)) << next;
    ++next;
  }
  sender.join();
}

// Root is not held to what other processes of its user have on their way.
void give_up_privileges_of_this_thread() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  ASSERT_EQ(::syscall(SYS_capset, &header, none.data()), 0);
}

// Descriptors on their way to nobody, so many that this process may send no more.
class Crowd {
 public:
  // On a thread without privileges.
  Crowd() {
    const FileDescriptor file(::memfd_create("test", MFD_CLOEXEC));
    for (int i = 0; i < 10 && send_descriptors(sockets_.first.get(), {}, file.get(), max_passed_descriptors); ++i) {
    }
    EXPECT_EQ(errno, ETOOMANYREFS);
  }

 private:
  const OpenFileLimit limit_{200};
  std::pair<FileDescriptor, FileDescriptor> sockets_ = *make_frame_sockets();
};

TEST_F(FrameRingsTest, FindNoRoomForADescriptorWhileTooManyAreOnTheirWay) {
  std::thread([this] {
    give_up_privileges_of_this_thread();
    const Frame next{.kind = Frame::Kind::said, .text = std::string_view(long_text_)};
    std::optional<Crowd> crowd(std::in_place);
    EXPECT_EQ(send(next), Sent::no_room);
    EXPECT_EQ(writer_.full(), FrameWriter::Full::descriptors);
    EXPECT_EQ(send(next), Sent::no_room);
    crowd.reset();
    EXPECT_TRUE(test::eventually([&] { return send(next) == Sent::whole; }));
  }).join();
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_TRUE(reader_.frame().text == long_text_);
}

TEST_F(LongTextFramesTest, NeedNoDescriptorWhereThereIsRoomBesideTheRing) {
  std::atomic<bool> has_read{false};
  std::thread sender([&] {
    give_up_privileges_of_this_thread();
    const Crowd crowd;
    EXPECT_EQ(writer_.send({Frame::Kind::completed, 0, 1, std::string(SharedRings::long_text_bytes, 'x')}, true),
              Sent::whole);
    EXPECT_EQ(writer_.send({Frame::Kind::completed, 0, 2, long_text_}, true), Sent::whole);
    test::eventually([&] { return has_read.load(); });
  });
  for (const std::uint64_t id : {1U, 2U}) {
    EXPECT_TRUE(test::eventually([this] { return glance() == FrameReader::Outcome::frame; }));
    EXPECT_EQ(reader_.frame().id, id);
  }
  EXPECT_TRUE(reader_.frame().text == long_text_);
  has_read = true;
  sender.join();
}

TEST_F(FrameRingsTest, KnowThatTheOtherSideIsGone) {
  send({.kind = Frame::Kind::ready, .text = "last words"});
  sockets_.first = {};
  EXPECT_EQ(receive(), FrameReader::Outcome::frame);
  EXPECT_EQ(reader_.frame().text, "last words");
  EXPECT_EQ(receive(), FrameReader::Outcome::end);
}

}  // namespace
}  // namespace mcph
