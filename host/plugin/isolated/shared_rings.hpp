// Two rings of bytes in memory that a host shares with one worker: records go through one of them to the worker, and
// through the other to the host, without a system call while both sides are awake. Made by the host; mapped by both.
//
// Format. A memory file of `file_bytes`, sealed against shrinking and growing, so that neither side can shorten it
// under the other: 64 KiB with a RingHeader for each direction and the count of long texts that are free, then the
// bytes of each ring, to the worker first, then the place for long texts (long_texts.hpp), which has no memory before
// there are some. A record is a word with its size, a word that is 0, its bytes, and padding to a multiple of 8; it may
// go around the end of the ring. A record without bytes is a mark, which means what the two sides agree on. Positions
// count the bytes written and read since the beginning, modulo 2^32; a place in the ring is a position modulo its
// capacity.
//
// Who writes what, and nobody else:
//
//   member        | of        | says
//   --------------+-----------+--------------------------------------------------------------------------------------
//   written       | writer    | up to here records are whole
//   writer_waits  | writer    | 1: it found no room, and is to be woken when the ring has been emptied
//                 | reader    | 0, when it wakes the writer
//   read          | reader    | up to here the bytes may be overwritten
//   reader_sleeps | reader    | 1: it found nothing, and is to be woken by the next record
//                 | writer    | 0, when it wakes the reader
//   long texts    | worker    | where none lies that has not been read
//   their count   | host      | of those that it has read or left
//
// No wake-up is lost (Dekker). Whoever goes to sleep stores its flag and then looks once more; whoever has done what
// the other may wait for stores its position and then looks at the flag; all four are sequentially consistent, so that
// one of the two sees the other. The reader stores `read` at last when it finds the ring empty, so that a writer which
// waits is woken by a reader that goes on reading.
//
// Trust. The other side may be a worker that has been taken over: it can write anything anywhere here, at any time.
// So each side keeps its own position where the other cannot reach it, takes the other's once each time, and refuses
// one that is further away than the ring is large; a record's size is copied before it is looked at, and its bytes are
// before anybody reads them. Nothing here loops because of what the other side has written. What it cannot be kept
// from: never to wake this side, which costs its own calls; to wake it for nothing, which costs what a message on its
// socket costs; and to name a place of this memory that has not been written to, which the system then finds pages for
// as this side's. A system that promises no memory it has not (vm.overcommit_memory=2) and has none left for them sends
// SIGBUS.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/file_descriptor.hpp"

namespace mcph {

struct RingHeader {
  alignas(64) std::atomic<std::uint32_t> written{0};
  std::atomic<std::uint32_t> writer_waits{0};
  alignas(64) std::atomic<std::uint32_t> read{0};
  std::atomic<std::uint32_t> reader_sleeps{1};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "two processes share them");

class SharedRings : public std::enable_shared_from_this<SharedRings> {
 public:
  // Of one ring. Small, because each worker that is busy touches all of both.
  static constexpr std::uint32_t capacity = 64U << 10;
  // Of one record.
  static constexpr std::size_t max_record_bytes = std::size_t{16} << 10;
  // Of the place for long texts.
  static constexpr std::uint32_t long_text_bytes = 4U << 20;
  // A whole number of pages, whatever their size, because what follows is given back by itself.
  static constexpr std::size_t rings_bytes = std::size_t{3} * capacity;
  static constexpr std::size_t file_bytes = rings_bytes + long_text_bytes;

  // The host's, with the file for the worker. Null where the system has no memory files or no seals, or no memory.
  static std::pair<std::shared_ptr<SharedRings>, FileDescriptor> make();
  // The worker's. Null where it cannot be mapped.
  static std::shared_ptr<SharedRings> map(const FileDescriptor& file);

  explicit SharedRings(std::byte* memory) : memory_(memory) {}
  ~SharedRings();
  SharedRings(const SharedRings&) = delete;
  SharedRings& operator=(const SharedRings&) = delete;

  enum class Direction { to_worker, to_host };
  RingHeader& header(Direction direction) const;
  std::byte* bytes(Direction direction) const;
  std::atomic<std::uint32_t>& long_texts_freed() const;
  std::byte* long_texts() const { return memory_ + rings_bytes; }

 private:
  std::byte* const memory_;
};

// The writing end of one ring. One thread at a time.
class RingWriter {
 public:
  RingWriter(std::shared_ptr<SharedRings> rings, SharedRings::Direction direction);

  enum class Written {
    whole,
    no_room,  // and the reader will say when there is
    broken    // the reader is not to be trusted
  };
  // The pieces as one record of at most max_record_bytes; none of them: a mark.
  Written write(std::span<const std::string_view> pieces);
  // Whole: the next record can be a mark.
  Written find_room_for_mark();

  // After a record: whether the reader sleeps, and is to be woken. True once for each sleep.
  bool has_to_wake_reader();
  // It could not be woken, which is to be tried after the next record.
  void has_not_woken_reader();

  // After no_room: until the reader says so, or without cause.
  void wait_for_room();

 private:
  Written find_room(std::uint32_t needed);
  void copy(std::uint32_t& position, std::string_view piece);

  std::shared_ptr<SharedRings> rings_;
  RingHeader* header_;
  std::byte* bytes_;
  std::uint32_t written_ = 0;
};

// The reading end. One thread at a time.
class RingReader {
 public:
  RingReader(std::shared_ptr<SharedRings> rings, SharedRings::Direction direction);

  enum class Read {
    record,
    none,
    broken  // the writer is not to be trusted
  };
  Read read();
  // What the last read brought; until the next one.
  std::string_view record() const { return {buffer_.get(), size_}; }

  // After none: whether the writer found no room before, and is to be told that there is. True once each time. It has
  // been told if it waits in wait_for_room.
  bool has_to_wake_writer();

  // From now on who writes wakes this side. False: there is something, and it does not.
  bool begin_sleep();
  void end_sleep() { header_->reader_sleeps.store(0, std::memory_order_relaxed); }

 private:
  void copy(std::uint32_t position, char* to, std::size_t size) const;
  void tell_read();
  bool is_empty() const { return header_->written.load() == read_; }

  std::shared_ptr<SharedRings> rings_;
  RingHeader* header_;
  const std::byte* bytes_;
  std::uint32_t read_ = 0;
  std::uint32_t told_ = 0;  // of read_, what the writer knows
  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0;
};

}  // namespace mcph
