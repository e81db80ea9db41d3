// A worker that is none: it is told a seed instead of a plugin's name, and does by it to the memory that it shares with
// the host, and to its socket, what a worker does not. Called "honest" it answers every call with what it was given.
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <random>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "plugin/isolated/worker_messages.hpp"

using namespace mcph;
using Direction = SharedRings::Direction;

namespace {

constexpr int host_socket = 3;

// What the host has sent first.
FileDescriptor wait_for_rings(FrameReader& reader) {
  for (;;) {
    pollfd readable{host_socket, POLLIN, 0};
    ::poll(&readable, 1, -1);
    switch (reader.receive_whole(host_socket)) {
      case FrameReader::Outcome::frame:
        return reader.take_rings();
      case FrameReader::Outcome::none:
        break;
      default:
        std::_Exit(EXIT_FAILURE);
    }
  }
}

class Attack {
 public:
  Attack(FileDescriptor memory, unsigned seed)
      : memory_(std::move(memory)), rings_(SharedRings::map(memory_)), random_(seed) {
    reader_.use(RingReader(rings_, Direction::to_worker));
    writer_.emplace(RingWriter(rings_, Direction::to_host));
  }

  void run() {
    // Of all that it could do it does a few things, so that not each of them has its end at once.
    std::array<std::uint32_t, 4> kinds{};
    for (auto& kind : kinds)
      kind = below(20);
    for (auto steps = below(60); steps > 0; --steps)
      step(below(3) == 0 ? kinds[below(kinds.size())] : 19 + below(4));
    if (below(4) == 0) ::raise(SIGKILL);
    std::_Exit(EXIT_SUCCESS);
  }

 private:
  std::uint32_t below(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random_);
  }
  std::uint32_t any() { return static_cast<std::uint32_t>(random_()); }
  // One that is near, or any.
  std::uint32_t position(std::uint32_t now) {
    switch (below(5)) {
      case 0:
        return now + 8 * below(16);
      case 1:
        return now - 8 * below(16);
      case 2:
        return now + SharedRings::capacity;
      case 3:
        return now + below(SharedRings::capacity);
      default:
        return any();
    }
  }
  RingHeader& to_host() const { return rings_->header(Direction::to_host); }
  RingHeader& to_worker() const { return rings_->header(Direction::to_worker); }

  void wake(std::uint32_t times) const {
    for (std::uint32_t i = 0; i < times; ++i)
      ::send(host_socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  void write(const Frame& frame) {
    const std::array<std::uint64_t, 4> header{static_cast<std::uint32_t>(frame.kind), frame.id, frame.text.size(), 0};
    writer_->write(
        std::array{std::string_view(reinterpret_cast<const char*>(header.data()), sizeof header), frame.text});
    if (below(4) != 0) wake(1);
  }
  void send_wrong_header() {
    std::array<std::uint64_t, 4> header{1 + below(30), below(100), below(100), below(2)};
    if (below(2) == 0) header[below(4)] = any();
    writer_->write(std::array{std::string_view(reinterpret_cast<const char*>(header.data()), sizeof header)});
    wake(1);
  }
  // Whose text lies beside the ring, or would.
  void send_long_text() {
    const auto near = [this](std::uint64_t value) { return below(2) == 0 ? value + below(3) - 1 : any(); };
    const std::array<std::uint64_t, 5> record{1 + below(30), below(100), near(below(1 << 20)),
                                              below(2) == 0 ? 0 : below(1 << 20),
                                              near(SharedRings::long_text_bytes - below(1 << 20))};
    writer_->write(std::array{std::string_view(reinterpret_cast<const char*>(record.data()), sizeof record)});
    if (below(4) == 0) rings_->long_texts_freed() += below(100);
    wake(1);
  }
  void wait() const {
    pollfd readable{host_socket, POLLIN, 0};
    ::poll(&readable, 1, 1);
  }
  void answer() {
    if (reader_.receive_whole(host_socket) != FrameReader::Outcome::frame) return;
    write({.kind = Frame::Kind::completed, .id = reader_.frame().id, .text = "{}"});
  }
  void scribble(std::uint32_t most) {
    auto* const bytes = rings_->bytes(below(4) == 0 ? Direction::to_worker : Direction::to_host);
    const auto from = below(SharedRings::capacity);
    const auto count = std::min(below(most) + 1, SharedRings::capacity - from);
    for (std::uint32_t i = 0; i < count; ++i)
      bytes[from + i] = static_cast<std::byte>(any());
  }
  // While the host reads.
  void rage() {
    const auto times = below(20'000);
    for (std::uint32_t i = 0; i < times; ++i) {
      to_host().written.store(position(to_host().written), std::memory_order_relaxed);
      to_worker().read.store(position(to_worker().read), std::memory_order_relaxed);
      if (i % 64 == 0) scribble(64);
      if (i % 1024 == 0) wake(1);
    }
  }
  void say_over_socket() {
    const std::string text(below(4) == 0 ? 70'000 : below(20'000), 'x');
    send_frame(host_socket, {.kind = static_cast<Frame::Kind>(1 + below(30)), .id = below(100), .text = text}, false);
  }
  void send_garbage() {
    std::vector<char> bytes(below(200) + 1);
    for (auto& each : bytes)
      each = static_cast<char>(any());
    ::send(host_socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  void step(std::uint32_t kind) {
    switch (kind) {
      case 0:
        return write({.kind = Frame::Kind::said, .text = std::string(below(SharedRings::max_record_bytes - 32), 'x')});
      case 1:
        return send_wrong_header();
      case 2:
        return rage();
      case 3:
        return say_over_socket();
      case 4:
        return scribble(SharedRings::capacity);
      case 5:
        return scribble(64);
      case 6:
        to_host().written = position(to_host().written);
        return wake(1);
      case 7:
        to_worker().read = position(to_worker().read);
        return;
      case 8:
        to_host().reader_sleeps = any();
        to_host().writer_waits = any();
        return;
      case 9:
        to_worker().reader_sleeps = below(2);
        to_worker().writer_waits = below(2);
        return;
      case 10:
        return wake(below(300));
      case 11:
        return say_over_socket();
      case 12:
        return send_garbage();
      case 13:  // a mark, perhaps of nothing
        writer_->write({});
        return below(2) == 0 ? say_over_socket() : wake(1);
      case 14:
        return send_long_text();
      case 15: {  // as much as there is room for, and nobody is woken
        const std::string text(below(2000), 'y');
        while (writer_->write(std::array{std::string_view(text)}) == RingWriter::Written::whole) {
        }
        return;
      }
      case 16:  // the memory is there, and holds zeros
        ::fallocate(memory_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, SharedRings::file_bytes);
        return wake(1);
      case 17:
        if (below(8) != 0) return;
        // Nothing is left here to go on with.
        ::munmap(&to_worker(), SharedRings::file_bytes);
        wake(3);
        std::_Exit(EXIT_SUCCESS);
      case 18:
        if (below(8) == 0) ::shutdown(host_socket, SHUT_RDWR);
        return;
      case 19:
        if (below(20) == 0) ::raise(SIGKILL);
        return;
      case 20:
        return wait();
      default:
        return answer();
    }
  }

  const FileDescriptor memory_;
  const std::shared_ptr<SharedRings> rings_;
  std::mt19937 random_;
  FrameReader reader_;
  std::optional<RingWriter> writer_;
};

[[noreturn]] void answer_all(FrameReader reader, const FileDescriptor& memory) {
  const auto rings = SharedRings::map(memory);
  reader.use(RingReader(rings, Direction::to_worker));
  FrameWriter writer(host_socket);
  writer.use(RingWriter(rings, Direction::to_host));
  for (;;) {
    const auto outcome = reader.receive_whole(host_socket);
    if (outcome == FrameReader::Outcome::frame) {
      const auto& frame = reader.frame();
      if (frame.kind != Frame::Kind::invoke) std::_Exit(EXIT_SUCCESS);
      writer.send({.kind = Frame::Kind::completed, .id = frame.id, .text = frame.text}, true);
    } else if (outcome != FrameReader::Outcome::none) {
      std::_Exit(EXIT_SUCCESS);
    } else if (reader.prepare_to_sleep()) {
      pollfd readable{host_socket, POLLIN, 0};
      ::poll(&readable, 1, -1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return EXIT_FAILURE;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string_view name(argv[3]);
  FrameReader reader;
  auto memory = wait_for_rings(reader);
  if (name == "honest") answer_all(std::move(reader), memory);
  Attack(std::move(memory), static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10))).run();
}
