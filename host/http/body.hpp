// The body of an HTTP request as this server receives it: kept whole up to a limit. Of a longer one nothing is kept but
// what a scanner finds out of it. Belongs to one request; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace mcph {

// Reads what comes of a body that is too long, so that the refusal can say what it concerns.
class BodyScanner {
 public:
  virtual ~BodyScanner() = default;
  // The next bytes, which may be cut anywhere.
  virtual void feed(std::string_view bytes) = 0;
  // Whether what is still to come would change nothing.
  virtual bool knows_all() const = 0;
};
using MakeBodyScanner = std::unique_ptr<BodyScanner> (*)();

// Memory that grows without being copied where it is large, because the system moves its pages.
class BodyMemory {
 public:
  BodyMemory() = default;
  ~BodyMemory();
  BodyMemory(BodyMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
  BodyMemory& operator=(BodyMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  BodyMemory(const BodyMemory&) = delete;
  BodyMemory& operator=(const BodyMemory&) = delete;

  // Throws std::bad_alloc, and is as before.
  void grow_to(std::size_t bytes);
  char* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }

 private:
  char* data_ = nullptr;
  std::size_t capacity_ = 0;
};

class HttpBody {
 public:
  // To be called before anything comes. Without scanners a body that is too long is read no further.
  void limit_to(std::size_t bytes, MakeBodyScanner make_scanner);

  // The client says how long it will be. That takes no memory yet: it may never send as much.
  void announce(std::uint64_t bytes);
  // It says how long its next piece will be.
  void announce_piece(std::uint64_t bytes);
  void append(std::string_view bytes);
  // Room behind what there is, of a body whose length is known and fits, for so many bytes at most and for some at
  // least, unless it is whole. What is appended from there is in its place already.
  std::span<char> room(std::size_t max_bytes);
  void drop();

  // Empty if it is too long.
  std::string_view text() const { return {memory_.data(), size_}; }
  // Of the memory that it takes, which grows as the body comes.
  std::size_t capacity() const { return memory_.capacity(); }
  bool is_too_long() const { return too_long_; }
  // Of one that is too long: who has read what has come; null if nobody has. And whether more would say more.
  const BodyScanner* scanner() const { return scanner_.get(); }
  bool is_known() const { return too_long_ && (make_scanner_ == nullptr || (scanner_ && scanner_->knows_all())); }

 private:
  void scan(std::string_view bytes);
  void give_up_text();
  void give_up_memory();
  void grow_to(std::size_t bytes);

  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
  std::size_t length_ = limit_;  // that it can have at most, as far as is known
  BodyMemory memory_;
  std::size_t size_ = 0;
  bool fits_ = false;  // as the client has said
  bool too_long_ = false;
  MakeBodyScanner make_scanner_ = nullptr;
  std::unique_ptr<BodyScanner> scanner_;  // of a body that does not fit, or may not, from its first byte on
};

}  // namespace mcph
