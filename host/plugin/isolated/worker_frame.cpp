#include "plugin/isolated/worker_frame.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <thread>
#include <unistd.h>

#include "base/regular_file.hpp"
#include "plugin/isolated/passed_descriptors.hpp"

namespace mcph {
namespace {

struct Header {
  std::uint32_t kind;
  std::int32_t number;
  std::uint64_t id;
  std::uint64_t text_size;
  std::uint64_t more_size;
};

constexpr std::size_t buffer_size = sizeof(Header) + max_short_text_bytes;

// Where descriptors crowd out others, for how long it is tried again: those that are read at all have been by then.
constexpr std::chrono::seconds crowd_time{5};
constexpr std::chrono::milliseconds crowd_wait{1};

iovec as_iovec(const void* data, std::size_t size) {
  return {const_cast<void*>(data), size};  // NOLINT(cppcoreguidelines-pro-type-const-cast): it is only read
}

FileDescriptor make_memory_file(const Frame& frame) {
  FileDescriptor file(::memfd_create("mcp-frame", MFD_CLOEXEC));
  if (!file) return {};
  if (!write_all(file, frame.text) || !write_all(file, frame.more)) return {};
  return file;
}

}  // namespace

Result<std::pair<FileDescriptor, FileDescriptor>> make_frame_sockets() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_for_now("no sockets can be made: " + last_error());
  }
  return std::pair(FileDescriptor(ends[0]), FileDescriptor(ends[1]));
}

namespace {

bool is_too_long(const Frame& frame) {
  return frame.text.size() > max_frame_bytes || frame.more.size() > max_frame_bytes - frame.text.size();
}

Header header_of(const Frame& frame) {
  return {static_cast<std::uint32_t>(frame.kind), frame.number, frame.id, frame.text.size(), frame.more.size()};
}

Sent send_message(int socket, const msghdr& message, bool wait) {
  while (uninterrupted([&] { return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT); }) < 0) {
    if (errno == ETOOMANYREFS) return Sent::crowded;
    if (errno == ENOBUFS || errno == ENOMEM || errno == EMSGSIZE) return Sent::too_much;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return Sent::gone;
    if (!wait) return Sent::no_room;
    pollfd writable{socket, POLLOUT, 0};
    uninterrupted([&] { return ::poll(&writable, 1, -1); });
  }
  return Sent::whole;
}

Sent send_over_socket(int socket, const Frame& frame, const FileDescriptor& file, bool wait) {
  const auto header = header_of(frame);
  std::array<iovec, 3> pieces{as_iovec(&header, sizeof header), as_iovec(frame.text.data(), frame.text.size()),
                              as_iovec(frame.more.data(), frame.more.size())};
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = file ? 1 : pieces.size();
  DescriptorRoom<1> room;
  if (file) room.attach(message, {file.get()});
  return send_message(socket, message, wait);
}

// One byte, which is no frame. Where the socket is full the other side is awake, or will be. False: the system has not
// taken it.
bool wake(int socket) {
  const char byte = 0;
  auto piece = as_iovec(&byte, sizeof byte);
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  return uninterrupted([&] { return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT); }) >= 0 ||
         errno == EAGAIN;
}
constexpr std::size_t wake_size = 1;

bool has_hung_up(int socket) {
  pollfd end{socket, POLLRDHUP, 0};
  return ::poll(&end, 1, 0) != 0;
}

// Sent by signal handlers.
bool has_no_mark(Frame::Kind kind) {
  return kind == Frame::Kind::crashed || kind == Frame::Kind::place_follows || kind == Frame::Kind::stack_line ||
         kind == Frame::Kind::lacks_memory;
}

}  // namespace

Sent send_frame(int socket, const Frame& frame, bool wait) {
  return FrameWriter(socket).send(frame, wait);
}

Sent send_rings(int socket, FileDescriptor memory) {
  return send_over_socket(socket, {.kind = Frame::Kind::rings}, memory, false);
}

Sent FrameWriter::send(const Frame& frame, bool wait) {
  if (is_too_long(frame)) return Sent::too_much;
  auto sent = try_to_send(frame, wait);
  if (sent == Sent::crowded && wait) {
    const auto end = std::chrono::steady_clock::now() + crowd_time;
    while (sent == Sent::crowded && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(crowd_wait);
      sent = try_to_send(frame, wait);
    }
  }
  if (sent == Sent::crowded && !wait) {
    full_ = Full::descriptors;
    sent = Sent::no_room;
  }
  if (sent != Sent::no_room) drop();
  return sent;
}

Sent FrameWriter::try_to_send(const Frame& frame, bool wait) {
  if (!ring_) return send_apart(frame, wait);
  const auto header = header_of(frame);
  const std::array<std::string_view, 3> pieces{std::string_view(reinterpret_cast<const char*>(&header), sizeof header),
                                               frame.text, frame.more};
  if (sizeof header + frame.text.size() + frame.more.size() <= SharedRings::max_record_bytes)
    return write(pieces, wait);
  if (const auto begin = texts_ && is_long(frame) ? texts_->lay(frame.text, frame.more) : std::nullopt) {
    const std::uint64_t place = *begin;
    const auto sent =
        write(std::array{pieces[0], std::string_view(reinterpret_cast<const char*>(&place), sizeof place)}, wait);
    if (sent != Sent::whole) texts_->take_back();
    return sent;
  }
  return send_apart(frame, wait);
}

Sent FrameWriter::send_apart(const Frame& frame, bool wait) {
  // There is room for the mark before there is a frame that needs it. And before a long text is copied: the other side
  // may have this one try as often as it likes.
  if (ring_) {
    const auto found = try_ring([&] { return ring_->find_room_for_mark(); }, wait);
    if (found != Sent::whole) return found;
  }
  if (is_long(frame) && !file_) {
    file_ = make_memory_file(frame);
    if (!file_) return Sent::too_much;
  }
  full_ = Full::socket;
  const auto sent = send_over_socket(socket_, frame, file_, wait);
  return sent == Sent::whole && ring_ ? write({}, wait) : sent;
}

Sent FrameWriter::write(std::span<const std::string_view> pieces, bool wait) {
  const auto sent = try_ring([&] { return ring_->write(pieces); }, wait);
  if (sent == Sent::whole && ring_->has_to_wake_reader() && !wake(socket_)) ring_->has_not_woken_reader();
  return sent;
}

template <class Attempt>
Sent FrameWriter::try_ring(const Attempt& attempt, bool wait) {
  full_ = Full::ring;
  for (;;) {
    switch (attempt()) {
      case RingWriter::Written::whole:
        return Sent::whole;
      case RingWriter::Written::no_room:
        if (!wait) return Sent::no_room;
        ring_->wait_for_room();
        break;
      case RingWriter::Written::broken:
        return Sent::broken;
    }
  }
}

FrameReader::FrameReader() : buffer_(std::make_unique_for_overwrite<char[]>(buffer_size)) {}

void FrameReader::forget_text() {
  frame_.owner = nullptr;
  free_place();
}

void FrameReader::free_place() {
  if (std::exchange(long_.place, std::nullopt)) texts_->free_place();
}

FrameReader::Outcome FrameReader::whole(Outcome outcome) {
  if (outcome != Outcome::long_text) return outcome;
  return read_long_text() ? Outcome::frame : Outcome::wrong;
}

FrameReader::Outcome FrameReader::glance(int socket) {
  forget_text();
  if (!ring_) return receive_message(socket);
  return is_marked_ ? receive_marked(socket) : read_ring(socket);
}

FrameReader::Outcome FrameReader::receive(int socket) {
  const auto glanced = glance(socket);
  if (!ring_ || is_marked_ || glanced != Outcome::none) return glanced;
  const auto outcome = receive_message(socket);
  if (outcome == Outcome::none) return read_ring(socket);  // for which it may have been woken
  if (outcome == Outcome::end) {
    const auto last = read_ring(socket);  // which was written before that
    return last == Outcome::none ? outcome : last;
  }
  const bool is_frame = outcome == Outcome::frame || outcome == Outcome::long_text;
  if (!is_frame || has_no_mark(frame_.kind)) return outcome;
  // What was sent before it has come meanwhile, and perhaps its mark.
  held_ = outcome;
  held_frame_ = frame_;
  held_long_ = long_;
  return read_ring(socket);
}

FrameReader::Outcome FrameReader::read_ring(int socket) {
  for (;;) {
    switch (ring_->read()) {
      case RingReader::Read::record:
        if (!ring_->record().empty()) return take_record(ring_->record());
        if (std::exchange(owes_mark_, false)) break;
        is_marked_ = true;
        return receive_marked(socket);
      case RingReader::Read::none:
        if (ring_->has_to_wake_writer()) wake(socket);
        if (!held_) return Outcome::none;
        owes_mark_ = true;
        return take_held();
      case RingReader::Read::broken:
        return Outcome::wrong;
    }
  }
}

FrameReader::Outcome FrameReader::receive_marked(int socket) {
  auto outcome = held_ ? take_held() : receive_message(socket);
  if (outcome == Outcome::none) outcome = receive_message(socket);  // there may have been a wake-up before it
  const bool is_frame = outcome == Outcome::frame || outcome == Outcome::long_text;
  if (is_frame && !has_no_mark(frame_.kind)) is_marked_ = false;
  return outcome;
}

FrameReader::Outcome FrameReader::take_held() {
  frame_ = held_frame_;
  long_ = held_long_;
  return *std::exchange(held_, std::nullopt);
}

namespace {

// No other kind has seals. Any other might make this wait, when it is read, for whoever serves it, or when it is
// closed.
bool is_memory_file(const FileDescriptor& file) {
  return ::fcntl(file.get(), F_GET_SEALS) >= 0;
}

}  // namespace

FrameReader::Outcome FrameReader::receive_message(int socket) {
  using Room = DescriptorRoom<max_passed_descriptors>;
  file_ = {};
  auto piece = as_iovec(buffer_.get(), buffer_size);
  Room room;
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  room.make_room(message);
  const auto receive = [&] { return ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC); };
  auto count = uninterrupted(receive);
  // The system tells first, and once, that the other side has closed without having read all; then what it had sent.
  if (count < 0 && errno == ECONNRESET) count = uninterrupted(receive);
  if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Outcome::none : Outcome::end;
  auto passed = Room::received(message);
  FileDescriptor file;
  if (passed && !passed->at(1) && is_memory_file(passed->at(0))) {
    file = std::move(passed->at(0));
  } else if (passed) {
    close_elsewhere(*std::move(passed));
    return Outcome::wrong;
  }
  // An empty message looks like the end, and says nothing.
  if (count == 0) return has_hung_up(socket) ? Outcome::end : Outcome::none;
  if ((message.msg_flags & MSG_TRUNC) != 0) return Outcome::wrong;
  if ((message.msg_flags & MSG_CTRUNC) != 0) return Outcome::lost;
  const auto size = static_cast<std::size_t>(count);
  if (ring_ && size == wake_size && !file) return Outcome::none;
  return take_message({buffer_.get(), size}, std::move(file));
}

namespace {

// Nothing: these are no bytes of a frame.
std::optional<Header> read_header(std::string_view message) {
  Header header{};
  if (message.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, message.data(), sizeof header);
  const bool is_frame = header.kind >= static_cast<std::uint32_t>(Frame::Kind::load) &&
                        header.kind <= static_cast<std::uint32_t>(Frame::Kind::last) &&
                        header.text_size <= max_frame_bytes && header.more_size <= max_frame_bytes - header.text_size;
  return is_frame ? std::optional(header) : std::nullopt;
}

// Read and not mapped, because whoever made the file can shorten it meanwhile.
bool read_file(const FileDescriptor& file, std::span<char> bytes) {
  struct ::stat status {};
  if (::fstat(file.get(), &status) != 0) return false;
  if (static_cast<std::uint64_t>(status.st_size) < bytes.size()) return false;
  for (std::size_t done = 0; done < bytes.size();) {
    const auto rest = bytes.subspan(done);
    const auto count =
        uninterrupted([&] { return ::pread(file.get(), rest.data(), rest.size(), static_cast<off_t>(done)); });
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

// One that is as long as a header and a place, and says that its text is longer than any in a record, has that beside.
FrameReader::Outcome FrameReader::take_record(std::string_view record) {
  std::uint64_t place = 0;
  const auto header = read_header(record);
  if (!header || record.size() != sizeof *header + sizeof place ||
      header->text_size + header->more_size <= max_short_text_bytes) {
    return take_message(record, {});
  }
  std::memcpy(&place, record.data() + sizeof *header, sizeof place);
  if (!texts_ || !LongTextReader::has_place(place, header->text_size + header->more_size)) return Outcome::wrong;
  frame_ = {static_cast<Frame::Kind>(header->kind), header->number, header->id};
  long_ = {static_cast<std::size_t>(header->text_size), static_cast<std::size_t>(header->more_size), place};
  return Outcome::long_text;
}

FrameReader::Outcome FrameReader::take_message(std::string_view message, FileDescriptor file) {
  const auto header = read_header(message);
  if (!header) return Outcome::wrong;
  frame_ = {static_cast<Frame::Kind>(header->kind), header->number, header->id};
  const auto text_size = static_cast<std::size_t>(header->text_size);
  const auto more_size = static_cast<std::size_t>(header->more_size);
  if (message.size() == sizeof *header + text_size + more_size) {
    frame_.text = message.substr(sizeof *header, text_size);
    frame_.more = message.substr(sizeof *header + text_size);
    if (!file) return Outcome::frame;
    if (frame_.kind != Frame::Kind::rings) return Outcome::wrong;
    file_ = std::move(file);
    return Outcome::frame;
  }
  if (message.size() != sizeof *header || !file) return Outcome::wrong;
  file_ = std::move(file);
  long_ = {text_size, more_size, std::nullopt};
  return Outcome::long_text;
}

bool FrameReader::read_long_text() {
  const auto size = long_text_bytes();
  const auto bytes = std::make_shared_for_overwrite<char[]>(size);
  if (long_.place) {
    texts_->copy(*long_.place, bytes.get(), size);
    free_place();
  } else if (!read_file(std::exchange(file_, {}), {bytes.get(), size})) {
    return false;
  }
  frame_.text = {bytes.get(), long_.text_size};
  frame_.more = {bytes.get() + long_.text_size, long_.more_size};
  frame_.owner = bytes;
  return true;
}

}  // namespace mcph
