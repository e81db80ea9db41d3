// Where a worker lays long texts (worker_frame.hpp): a part of the memory that it shares with its host, beside the
// rings (shared_rings.hpp). A frame in the ring says where its text lies. What has been laid there once needs no
// memory of the system the next time; a memory file for each text costs a page fault for each of its pages.
//
//   laid -> read, or left -> the place is free
//
// The reader counts the texts that it is done with, in the order in which they were laid; the writer, who knows where
// each of them lies, takes back as many. Neither loops because of what the other has written: the writer refuses a
// count of more texts than it has laid, and the reader a place that is not within this memory. What lies there is
// copied before anybody looks at it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "plugin/isolated/shared_rings.hpp"

namespace mcph {

// The worker's. One thread at a time.
class LongTextWriter {
 public:
  explicit LongTextWriter(std::shared_ptr<SharedRings> memory) : memory_(std::move(memory)) {}

  // Where both texts lie now, one after the other. Nothing: there is no room just now, or the reader is not to be
  // trusted.
  std::optional<std::uint32_t> lay(std::string_view text, std::string_view more);
  // After lay: nobody will be told of them.
  void take_back() { laid_.pop_back(); }

  // Gives the memory back to the system. False: something lies there.
  bool give_back();

 private:
  struct Place {
    std::uint32_t begin;
    std::uint32_t end;
  };
  std::optional<std::uint32_t> find_room(std::uint32_t size);

  std::shared_ptr<SharedRings> memory_;
  std::deque<Place> laid_;   // and not read yet, in this order
  std::uint32_t freed_ = 0;  // of those that were laid, modulo 2^32
};

// The host's. One thread at a time.
class LongTextReader {
 public:
  explicit LongTextReader(std::shared_ptr<SharedRings> memory) : memory_(std::move(memory)) {}

  static bool has_place(std::uint64_t begin, std::uint64_t size) {
    return begin <= SharedRings::long_text_bytes && size <= SharedRings::long_text_bytes - begin;
  }
  // Of a place that it has.
  void copy(std::uint64_t begin, char* to, std::size_t size) const;
  // The next text's place is free. Once for each.
  void free_place() { memory_->long_texts_freed().fetch_add(1, std::memory_order_release); }

 private:
  std::shared_ptr<SharedRings> memory_;
};

}  // namespace mcph
