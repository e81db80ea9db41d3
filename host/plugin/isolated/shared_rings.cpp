#include "plugin/isolated/shared_rings.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mcph {
namespace {

constexpr std::uint32_t record_alignment = 8;
// After so many bytes the writer is told what has been read, even if the ring is not empty.
constexpr std::uint32_t tell_after = SharedRings::capacity / 4;

struct RecordHeader {
  std::uint32_t size;
  std::uint32_t zero;
};

constexpr std::uint32_t bytes_of_record(std::size_t size) {
  return static_cast<std::uint32_t>((sizeof(RecordHeader) + size + record_alignment - 1) / record_alignment *
                                    record_alignment);
}
static_assert((SharedRings::capacity & (SharedRings::capacity - 1)) == 0);
static_assert(bytes_of_record(SharedRings::max_record_bytes) + tell_after <= SharedRings::capacity);
// At the beginning of the memory.
struct Headers {
  std::array<RingHeader, 2> of_rings;
  alignas(64) std::atomic<std::uint32_t> long_texts_freed{0};
};
static_assert(sizeof(Headers) <= SharedRings::rings_bytes - std::size_t{2} * SharedRings::capacity);

std::byte* map_memory(const FileDescriptor& file) {
  void* const memory = ::mmap(nullptr, SharedRings::file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) return nullptr;  // NOLINT(performance-no-int-to-ptr): as the system has it
  // A process that a plugin starts has no part in it.
  ::madvise(memory, SharedRings::file_bytes, MADV_DONTFORK);
  return static_cast<std::byte*>(memory);
}

// Between processes, which std::atomic's own waiting is not.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  ::syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

}  // namespace

std::pair<std::shared_ptr<SharedRings>, FileDescriptor> SharedRings::make() {
  FileDescriptor file(::memfd_create("mcp-rings", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ::ftruncate(file.get(), file_bytes) != 0 ||
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return {};
  }
  auto* const memory = map_memory(file);
  if (memory == nullptr) return {};
  auto rings = std::make_shared<SharedRings>(memory);
  new (memory) Headers;
  return {std::move(rings), std::move(file)};
}

std::shared_ptr<SharedRings> SharedRings::map(const FileDescriptor& file) {
  auto* const memory = map_memory(file);
  return memory == nullptr ? nullptr : std::make_shared<SharedRings>(memory);
}

SharedRings::~SharedRings() {
  ::munmap(memory_, file_bytes);
}

RingHeader& SharedRings::header(Direction direction) const {
  return reinterpret_cast<Headers*>(memory_)->of_rings.at(direction == Direction::to_host ? 1 : 0);
}

std::atomic<std::uint32_t>& SharedRings::long_texts_freed() const {
  return reinterpret_cast<Headers*>(memory_)->long_texts_freed;
}

std::byte* SharedRings::bytes(Direction direction) const {
  return memory_ + (rings_bytes - std::size_t{2} * capacity) + (direction == Direction::to_host ? capacity : 0);
}

RingWriter::RingWriter(std::shared_ptr<SharedRings> rings, SharedRings::Direction direction)
    : rings_(std::move(rings)), header_(&rings_->header(direction)), bytes_(rings_->bytes(direction)) {}

RingWriter::Written RingWriter::write(std::span<const std::string_view> pieces) {
  std::size_t size = 0;
  for (const auto piece : pieces)
    size += piece.size();
  const auto needed = bytes_of_record(size);
  if (const auto found = find_room(needed); found != Written::whole) return found;
  auto position = written_;
  const RecordHeader head{static_cast<std::uint32_t>(size), 0};
  copy(position, {reinterpret_cast<const char*>(&head), sizeof head});
  for (const auto piece : pieces)
    copy(position, piece);
  written_ += needed;
  header_->written.store(written_);
  return Written::whole;
}

RingWriter::Written RingWriter::find_room_for_mark() {
  return find_room(bytes_of_record(0));
}

RingWriter::Written RingWriter::find_room(std::uint32_t needed) {
  auto used = written_ - header_->read.load(std::memory_order_acquire);
  if (used <= SharedRings::capacity && SharedRings::capacity - used < needed) {
    header_->writer_waits.store(1);
    used = written_ - header_->read.load();  // it may have been emptied just before that
    if (used <= SharedRings::capacity && SharedRings::capacity - used < needed) return Written::no_room;
    header_->writer_waits.store(0, std::memory_order_relaxed);
  }
  return used > SharedRings::capacity ? Written::broken : Written::whole;
}

// Not by memcpy, which an empty piece must not be given to.
void RingWriter::copy(std::uint32_t& position, std::string_view piece) {
  auto* const ring = reinterpret_cast<char*>(bytes_);
  const auto place = position % SharedRings::capacity;
  const auto before_end = std::min<std::size_t>(piece.size(), SharedRings::capacity - place);
  std::copy_n(piece.data(), before_end, ring + place);
  std::copy_n(piece.data() + before_end, piece.size() - before_end, ring);
  position += static_cast<std::uint32_t>(piece.size());
}

bool RingWriter::has_to_wake_reader() {
  return header_->reader_sleeps.load() != 0 && header_->reader_sleeps.exchange(0) != 0;
}

void RingWriter::has_not_woken_reader() {
  header_->reader_sleeps.store(1);
}

void RingWriter::wait_for_room() {
  futex(header_->writer_waits, FUTEX_WAIT, 1);
}

RingReader::RingReader(std::shared_ptr<SharedRings> rings, SharedRings::Direction direction)
    : rings_(std::move(rings)),
      header_(&rings_->header(direction)),
      bytes_(rings_->bytes(direction)),
      buffer_(std::make_unique_for_overwrite<char[]>(SharedRings::max_record_bytes)) {}

RingReader::Read RingReader::read() {
  const auto available = header_->written.load(std::memory_order_acquire) - read_;
  if (available == 0) {
    tell_read();
    return Read::none;
  }
  RecordHeader head{};
  if (available > SharedRings::capacity || available < sizeof head) return Read::broken;
  copy(read_, reinterpret_cast<char*>(&head), sizeof head);
  if (head.size > SharedRings::max_record_bytes || head.zero != 0) return Read::broken;
  const auto needed = bytes_of_record(head.size);
  if (needed > available) return Read::broken;
  copy(read_ + std::uint32_t{sizeof head}, buffer_.get(), head.size);
  size_ = head.size;
  read_ += needed;
  if (read_ - told_ >= tell_after) tell_read();
  return Read::record;
}

void RingReader::tell_read() {
  if (told_ == read_) return;
  told_ = read_;
  header_->read.store(read_);
}

void RingReader::copy(std::uint32_t position, char* to, std::size_t size) const {
  const auto place = position % SharedRings::capacity;
  const auto before_end = std::min<std::size_t>(size, SharedRings::capacity - place);
  std::memcpy(to, bytes_ + place, before_end);
  if (before_end < size) std::memcpy(to + before_end, bytes_, size - before_end);
}

bool RingReader::has_to_wake_writer() {
  if (header_->writer_waits.load() == 0 || header_->writer_waits.exchange(0) == 0) return false;
  futex(header_->writer_waits, FUTEX_WAKE, INT_MAX);
  return true;
}

bool RingReader::begin_sleep() {
  header_->reader_sleeps.store(1);
  if (is_empty()) return true;
  end_sleep();
  return false;
}

}  // namespace mcph
