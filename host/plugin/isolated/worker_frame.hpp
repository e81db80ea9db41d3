// What the host and a worker say to each other: frames, through rings in memory that both share (shared_rings.hpp), or
// over a pair of connected sockets that keep the boundaries of messages. Which of them, a FrameWriter and a FrameReader
// decide, and nobody else knows. Over the socket go: what is said before there are rings; a text that is too long for
// them; what a signal handler says; and all of it where the system has no memory to share. A long text
// (max_short_text_bytes) lies apart: what a worker says beside its ring (long_texts.hpp), while there is room; else in
// a memory file whose descriptor the message carries. To pass the same text again and again costs its sender nothing,
// and to read it costs the reader, who therefore looks at what the frame is before. Both ends are programs of one
// build, so the layout is the compiler's; but the host never trusts a worker: whatever comes from one is checked here
// for its shape and by the reader for its meaning.
//
// Order. A frame is read after all that were sent before it, whichever way they went: one that has gone over the socket
// is followed by a mark in the ring, where the reader takes the socket's next frame. A reader that comes upon the frame
// first reads what was sent before it, which is in the ring, up to the mark or as far as there is something; then the
// mark comes later, and is passed over. So a frame that the system does not take leaves nothing behind. What signal
// handlers say has no mark and is read when it comes.
//
// Sleep. A reader that finds nothing says so in the ring (prepare_to_sleep), and sleeps until its socket is readable.
// Who writes to the ring then sends one byte over the socket, which is no frame. Several frames are one wake-up,
// because the first takes back what the reader has said. A writer that finds no room, and does not wait for it, is
// woken in the same way; which of the two has happened it finds out by trying.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.hpp"
#include "base/result.hpp"
#include "plugin/isolated/long_texts.hpp"
#include "plugin/isolated/shared_rings.hpp"

namespace mcph {

struct Frame {
  // Of which message it is. What the members mean in each is said, and used, in worker_messages.cpp alone.
  enum class Kind : std::uint32_t {
    // From the host.
    load = 1,
    describe,
    start,
    invoke,
    cancel,
    answer,
    stop,
    tell_places,
    subscriptions_changed,
    store_answer,
    // From the worker.
    ready,
    failed,
    completed,
    progressed,
    said,
    logged,
    components_changed,
    resource_updated,
    context_query,
    caller_query,
    server_info_query,
    subscriptions_query,
    subscriptions_taken,
    store_query,
    metrics_recorded,
    crashed,
    place_follows,
    stack_line,
    lacks_memory,
    // From the host, before anything else: the memory with the rings, by its descriptor. No message.
    rings,
    last = rings
  };

  Kind kind = Kind::load;
  std::int32_t number = 0;
  std::uint64_t id = 0;
  // Of whoever sends, until send returns; of the reader, until it receives again, or as long as `owner` is kept.
  std::string_view text = {};
  std::string_view more = {};
  std::shared_ptr<const void> owner = {};  // of long texts that were received
};

// The most that text and more of a frame may have together, in bytes.
inline constexpr std::size_t max_frame_bytes = std::size_t{64} << 20;
// Beyond which a text, with more of its frame, is long.
inline constexpr std::size_t max_short_text_bytes = std::size_t{64} << 10;

inline bool is_long(const Frame& frame) {
  return frame.text.size() + frame.more.size() > max_short_text_bytes;
}

// The statuses of a worker whose connection has ended, and of one that has no memory or descriptor left to answer.
inline constexpr int lost_connection_status = 121;
inline constexpr int out_of_memory_status = 122;

// Two connected ends, neither passed on to other programs.
Result<std::pair<FileDescriptor, FileDescriptor>> make_frame_sockets();

enum class Sent {
  whole,
  no_room,   // just now; only where it does not wait
  crowded,   // for a while, by descriptors on their way between processes of this user; only where it waits
  too_much,  // for the system, which has no memory or descriptor for a long text
  gone,      // the other side
  broken     // it has done what it does not do
};
// Sends one frame over the socket. [any]
Sent send_frame(int socket, const Frame& frame, bool wait);
// The same of the memory with the rings.
Sent send_rings(int socket, FileDescriptor memory);

// Sends frames, in order. One thread at a time.
//
// How many descriptors may be on their way (ETOOMANYREFS of unix(7)) is counted for all processes of a user together,
// and nobody is told when there is room again: who waits for that tries again, and again, with the same memory file.
class FrameWriter {
 public:
  // Over the socket, until it has a ring.
  explicit FrameWriter(int socket) : socket_(socket) {}
  void use(RingWriter ring) { ring_.emplace(std::move(ring)); }
  // With a ring.
  void use(LongTextWriter texts) { texts_.emplace(std::move(texts)); }

  // After no_room the same frame is the next one, or there is none. One that waits does so in the system.
  Sent send(const Frame& frame, bool wait);

  // After no_room, what there is none in. When there may be some, the socket can be read; it is writable; nobody says.
  enum class Full { ring, socket, descriptors };
  Full full() const { return full_; }

  // The frame that found no room will not be sent.
  void drop() { file_ = {}; }

  // What memory long texts have taken. False: the other side has not read all of them yet.
  bool give_back_memory() { return !texts_ || texts_->give_back(); }

 private:
  Sent try_to_send(const Frame& frame, bool wait);
  Sent send_apart(const Frame& frame, bool wait);
  Sent write(std::span<const std::string_view> pieces, bool wait);
  // Until there is room for it, if it may wait.
  template <class Attempt>
  Sent try_ring(const Attempt& attempt, bool wait);

  int socket_;
  std::optional<RingWriter> ring_;
  std::optional<LongTextWriter> texts_;
  Full full_ = Full::socket;
  FileDescriptor file_;  // with the text of a frame that has found no room
};

// Receives frames on one end. One thread at a time.
class FrameReader {
 public:
  enum class Outcome {
    frame,
    long_text,  // one whose text and more lie elsewhere and have not been read
    none,       // nothing has come
    end,        // the other side is gone
    wrong,      // what came is no frame
    lost        // what came could not be taken, because this process has no descriptor left
  };

  FrameReader();
  void use(RingReader ring) { ring_.emplace(std::move(ring)); }
  // With a ring.
  void use(LongTextReader texts) { texts_.emplace(std::move(texts)); }

  // Does not wait.
  Outcome receive(int socket);
  // The same, and reads a long text.
  Outcome receive_whole(int socket) { return whole(receive(socket)); }
  // The same as each, of what is there without asking the system; of a reader without a ring there is no such thing.
  Outcome glance(int socket);
  Outcome glance_whole(int socket) { return whole(glance(socket)); }
  // What the last of them brought.
  const Frame& frame() const { return frame_; }

  // Of a long text: the bytes of text and more together.
  std::size_t long_text_bytes() const { return long_.text_size + long_.more_size; }
  // Reads them. False: what came is no frame.
  bool read_long_text();
  // Of a frame of the kind `rings`.
  FileDescriptor take_rings() { return std::move(file_); }

  // Whether the socket becomes readable when there is something to read. False: there is something.
  bool prepare_to_sleep() { return !ring_ || is_marked_ || ring_->begin_sleep(); }
  // It need not: this side looks by itself.
  void stay_awake() {
    if (ring_) ring_->end_sleep();
  }

 private:
  Outcome whole(Outcome outcome);
  Outcome receive_message(int socket);
  Outcome receive_marked(int socket);
  Outcome read_ring(int socket);
  Outcome take_held();
  Outcome take_record(std::string_view record);
  Outcome take_message(std::string_view message, FileDescriptor file);
  void forget_text();
  void free_place();

  // That of the frame, while it has not been read.
  struct LongText {
    std::size_t text_size = 0;
    std::size_t more_size = 0;
    std::optional<std::uint64_t> place;  // beside the ring; else it is in the file
  };

  std::optional<RingReader> ring_;
  std::optional<LongTextReader> texts_;
  bool is_marked_ = false;  // the next frame is the socket's
  bool owes_mark_ = false;  // the next mark is of a frame that has been read
  // What has come over the socket before its mark was read; its text stays where it is.
  std::optional<Outcome> held_;
  Frame held_frame_;
  LongText held_long_;
  std::unique_ptr<char[]> buffer_;  // of the socket; never written beyond the longest message so far
  FileDescriptor file_;
  LongText long_;
  Frame frame_;
};

}  // namespace mcph
