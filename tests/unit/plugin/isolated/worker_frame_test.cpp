#include "plugin/isolated/worker_frame.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

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

TEST_F(WorkerFrameTest, ArrivesAsItWasSent) {
  ASSERT_EQ(send({Frame::Kind::completed, -7, 1ULL << 40, "a text", "more"}), Sent::whole);
  ASSERT_EQ(receive(), FrameReader::Outcome::frame);
  const auto& frame = reader_.frame();
  EXPECT_EQ(frame.kind, Frame::Kind::completed);
  EXPECT_EQ(frame.number, -7);
  EXPECT_EQ(frame.id, 1ULL << 40);
  EXPECT_EQ(frame.text, "a text");
  EXPECT_EQ(frame.more, "more");
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
  ASSERT_EQ(reader_.receive(sockets_.second.get()), FrameReader::Outcome::in_file);
  EXPECT_EQ(reader_.frame().kind, Frame::Kind::completed);
  EXPECT_EQ(reader_.frame().id, 7U);
  EXPECT_EQ(reader_.frame().text, "");
  EXPECT_EQ(reader_.bytes_in_file(), 100'004U);
  ASSERT_EQ(reader_.receive(sockets_.second.get()), FrameReader::Outcome::in_file) << "the first is left";
  ASSERT_TRUE(reader_.read_file());
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

// A descriptor that comes with a frame, for a text of `size` bytes.
void send_descriptor(int socket, int descriptor, std::uint64_t size) {
  Header header{1, 0, 0, size, 0};
  iovec piece{&header, sizeof header};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  auto* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::copy_n(reinterpret_cast<const char*>(&descriptor), sizeof descriptor, CMSG_DATA(rights));
  ASSERT_GE(::sendmsg(socket, &message, 0), 0);
}

TEST_F(WorkerFrameTest, TakesNoFileThatIsShorterThanItsText) {
  const FileDescriptor file(::memfd_create("test", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(file.get(), 99'999), 0);
  send_descriptor(sockets_.first.get(), file.get(), 100'000);
  EXPECT_EQ(receive(), FrameReader::Outcome::wrong);
}

// The sender decides how many there are; all of them are the receiver's to close.
TEST_F(WorkerFrameTest, KeepsNoDescriptorThatItDoesNotWant) {
  const auto open_descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const FileDescriptor file(::memfd_create("test", MFD_CLOEXEC));
  const auto before = open_descriptors();
  for (const std::size_t count : {1U, 2U, 3U}) {
    Header header{static_cast<std::uint32_t>(Frame::Kind::said), 0, 0, 0, 0};
    iovec piece{&header, sizeof header};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(3 * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    auto* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(count * sizeof(int));
    const std::array descriptors{file.get(), file.get(), file.get()};
    std::copy_n(reinterpret_cast<const char*>(descriptors.data()), count * sizeof(int), CMSG_DATA(rights));
    ASSERT_GE(::sendmsg(sockets_.first.get(), &message, 0), 0);
    EXPECT_EQ(receive(), FrameReader::Outcome::wrong) << count;
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(WorkerFrameTest, TakesNoDescriptorThatIsNoFile) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const FileDescriptor reading(ends[0]);
  const FileDescriptor writing(ends[1]);
  send_descriptor(sockets_.first.get(), reading.get(), 100'000);
  EXPECT_EQ(receive(), FrameReader::Outcome::wrong) << "and does not wait for it";
}

}  // namespace
}  // namespace mcph
