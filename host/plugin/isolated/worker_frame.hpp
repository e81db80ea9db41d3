// What the host and a worker say to each other: frames over a pair of connected sockets that keep the boundaries of
// messages. Text too long for a message travels in a memory file whose descriptor the message carries: to pass the same
// file again and again costs its sender nothing, and to read it costs the reader, who therefore looks at what the frame
// is before. Both ends are programs of one build, so the layout is the compiler's; but the host never trusts a worker:
// whatever comes from one is checked here for its shape and by the reader for its meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

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
    last = lacks_memory
  };

  Kind kind = Kind::load;
  std::int32_t number = 0;
  std::uint64_t id = 0;
  // Of whoever sends, until send returns; of the reader, until it receives again.
  std::string_view text = {};
  std::string_view more = {};
};

// The most that text and more of a frame may have together, in bytes.
inline constexpr std::size_t max_frame_bytes = std::size_t{64} << 20;

// The statuses of a worker whose connection has ended, and of one that has no memory or descriptor left to answer.
inline constexpr int lost_connection_status = 121;
inline constexpr int out_of_memory_status = 122;

// Two connected ends, neither passed on to other programs.
Result<std::pair<FileDescriptor, FileDescriptor>> make_frame_sockets();

// Sends one frame. [any]
enum class Sent {
  whole,
  no_room,   // in the socket, just now; only where it does not wait
  too_much,  // for the system, which has no memory or descriptor for a long text
  gone       // the other side
};
Sent send_frame(int socket, const Frame& frame, bool wait);

// Receives frames on one end. One thread at a time.
class FrameReader {
 public:
  enum class Outcome {
    frame,
    in_file,  // one whose text and more lie in a file and have not been read
    none,     // nothing has come
    end,      // the other side is gone
    wrong,    // what came is no frame
    lost      // what came could not be taken, because this process has no descriptor left
  };

  FrameReader();

  // Does not wait.
  Outcome receive(int socket);
  // The same, and reads what lies in a file.
  Outcome receive_whole(int socket);
  // What the last receive brought.
  const Frame& frame() const { return frame_; }

  // Where that lies in a file: the bytes of text and more together.
  std::size_t bytes_in_file() const { return text_in_file_ + more_in_file_; }
  // Reads them. False: what came is no frame.
  bool read_file();

 private:
  Outcome take_message(std::size_t size, FileDescriptor file);

  const std::unique_ptr<char[]> buffer_;  // never written beyond the longest message so far
  FileDescriptor file_;
  std::size_t text_in_file_ = 0;
  std::size_t more_in_file_ = 0;
  std::string long_text_;
  Frame frame_;
};

}  // namespace mcph
