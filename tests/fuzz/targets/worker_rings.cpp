// What a worker does to the memory that it shares with its host, beside what the host reads and writes. A letter for
// what is done, and what that needs of the bytes that follow:
//   f N     a frame of N bytes, as a worker writes it            F N     the same of the host
//   m       a mark                                               k       a byte on the socket that wakes
//   s N     N bytes on the socket                                u       a frame on the socket
//   g, r    the host reads, without and with asking the system   z       it is about to sleep
//   w, p    the positions of the worker's ends: four bytes each  W, P    the same, by (byte - 'm') * 8
//   l N     a frame of N * 2000 bytes, beside the ring           L S A   one of S bytes there at A: four bytes each
//   t N     the count of long texts that are free, by N
//   h       the flags: two bytes                                 b A A N N bytes at the place A of a ring
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <sys/socket.h>

#include "expect.hpp"
#include "plugin/isolated/worker_messages.hpp"

using namespace mcph;
using mcph::fuzz::expect;
using Direction = SharedRings::Direction;

namespace {

class Sides {
 public:
  explicit Sides(std::string_view input) : input_(input) {
    from_host_.use(RingWriter(made_.first, Direction::to_worker));
    host_.use(RingReader(made_.first, Direction::to_host));
    host_.use(LongTextReader(made_.first));
    from_worker_.use(RingWriter(mapped_, Direction::to_host));
    from_worker_.use(LongTextWriter(mapped_));
  }
  // Until the input ends or the host has seen that the worker is none.
  void run() {
    while (!input_.empty() && goes_on_)
      act();
    // Whatever is left has an end.
    is_quiet_ = false;
    for (int i = 0; goes_on_ && !is_quiet_ && i < 100'000; ++i)
      read(host_.receive_whole(host_socket()), true);
    expect(!goes_on_ || is_quiet_);
  }

 private:
  int host_socket() const { return sockets_.first.get(); }
  int worker_socket() const { return sockets_.second.get(); }
  unsigned char byte() {
    if (input_.empty()) return 0;
    const auto first = static_cast<unsigned char>(input_.front());
    input_.remove_prefix(1);
    return first;
  }
  std::string_view bytes(std::size_t count) {
    const auto some = input_.substr(0, count);
    input_.remove_prefix(some.size());
    return some;
  }
  std::uint32_t number() {
    std::uint32_t number = 0;
    const auto some = bytes(sizeof number);
    std::memcpy(&number, some.data(), some.size());
    return number;
  }
  std::uint32_t distance() { return static_cast<std::uint32_t>((byte() - 'm') * 8); }
  void send_bytes(std::string_view some) const {
    ::send(worker_socket(), some.data(), some.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  void read(FrameReader::Outcome outcome, bool asked_system) {
    expect(outcome != FrameReader::Outcome::long_text);
    is_quiet_ = asked_system && outcome == FrameReader::Outcome::none;
    if (outcome == FrameReader::Outcome::wrong || outcome == FrameReader::Outcome::end) goes_on_ = false;
    if (outcome != FrameReader::Outcome::frame) return;
    // It is the host's own by now.
    const std::string before = std::string(host_.frame().text) + std::string(host_.frame().more);
    std::fill_n(mapped_->bytes(Direction::to_host), 64, std::byte{0x55});
    if (host_.frame().owner != nullptr) std::fill_n(mapped_->long_texts(), 64, std::byte{0x55});
    expect(before == std::string(host_.frame().text) + std::string(host_.frame().more));
    const auto message = to_host::read(host_.frame());
    if (!message) goes_on_ = false;
  }

  void act() {
    auto& to_host = mapped_->header(Direction::to_host);
    auto& to_worker = mapped_->header(Direction::to_worker);
    const auto text = [this] { return std::string(std::size_t{byte()} * 100, 'x'); };
    switch (byte()) {
      case 'f':
        from_worker_.send({.kind = Frame::Kind::said, .text = text()}, false);
        break;
      case 'F': {
        const auto sent = from_host_.send({.kind = Frame::Kind::invoke, .text = text()}, false);
        if (sent == Sent::broken) goes_on_ = false;
        break;
      }
      case 'm':
        RingWriter(mapped_, Direction::to_host).write({});
        break;
      case 'k':
        send_bytes("k");
        break;
      case 's':
        send_bytes(bytes(byte()));
        break;
      case 'u':
        send_frame(worker_socket(), {.kind = Frame::Kind::said, .text = "over the socket"}, false);
        break;
      case 'g':
        return read(host_.glance_whole(host_socket()), false);
      case 'r':
        return read(host_.receive_whole(host_socket()), true);
      case 'z':
        host_.prepare_to_sleep();
        break;
      case 'w':
        to_host.written = number();
        break;
      case 'p':
        to_worker.read = number();
        break;
      case 'W':
        to_host.written += distance();
        break;
      case 'P':
        to_worker.read += distance();
        break;
      case 'l':
        from_worker_.send({.kind = Frame::Kind::completed, .text = std::string(std::size_t{byte()} * 2000, 'x')},
                          false);
        break;
      case 'L': {
        const auto within = [this] { return number() % (SharedRings::long_text_bytes + 2); };
        const std::uint64_t size = within();
        const std::array<std::uint64_t, 5> record{static_cast<std::uint32_t>(Frame::Kind::completed), 0, size, 0,
                                                  within()};
        RingWriter(mapped_, Direction::to_host)
            .write(std::array{std::string_view(reinterpret_cast<const char*>(record.data()), sizeof record)});
        break;
      }
      case 't':
        mapped_->long_texts_freed() += byte();
        break;
      case 'h':
        to_host.writer_waits = byte();
        to_worker.reader_sleeps = byte();
        break;
      case 'b': {
        const std::size_t place = (byte() * 256U + byte()) % SharedRings::capacity;
        const auto some = bytes(std::min<std::size_t>(byte(), SharedRings::capacity - place));
        std::memcpy(mapped_->bytes(Direction::to_host) + place, some.data(), some.size());
        break;
      }
      default:
        break;
    }
  }

  std::string_view input_;
  const std::pair<FileDescriptor, FileDescriptor> sockets_ = *make_frame_sockets();
  const std::pair<std::shared_ptr<SharedRings>, FileDescriptor> made_ = SharedRings::make();
  const std::shared_ptr<SharedRings> mapped_ = SharedRings::map(made_.second);
  FrameWriter from_host_{host_socket()};
  FrameReader host_;
  FrameWriter from_worker_{worker_socket()};
  bool goes_on_ = true;
  bool is_quiet_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Sides(std::string_view(reinterpret_cast<const char*>(data), size)).run();
  return 0;
}
