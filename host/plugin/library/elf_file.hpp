// The outer structure of an ELF file of this machine's word size and byte order: header, sections, segments. Every
// number in the file is taken as possibly wrong: each offset and size is checked against the file's size before it is
// used. Made and owned by the function that reads a library, on whatever thread that runs; the stream belongs to its
// caller.
#pragma once

#include <cstdint>
#include <elf.h>
#include <istream>
#include <link.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.hpp"

namespace mcph {

class ElfFile {
 public:
  using Header = ElfW(Ehdr);
  using Section = ElfW(Shdr);
  using Segment = ElfW(Phdr);

  // Refuses all but a complete shared library for this machine. `size` is the number of bytes in the stream.
  static Result<ElfFile> open(std::istream& stream, std::uint64_t size);

  std::uint64_t size() const { return size_; }
  const std::vector<Segment>& segments() const { return segments_; }

  // `part` says in a message what the entries are.
  template <class T>
  Result<std::vector<T>> read_table(std::uint64_t offset, std::uint64_t count, std::string_view part);

  // Where in the file the bytes are that the dynamic linker will see at this address, if they all are in the file.
  std::optional<std::uint64_t> offset_of(std::uint64_t address, std::uint64_t size) const;

  // Lower-case hexadecimal; empty if there is none that can be read.
  std::string read_build_id();

 private:
  ElfFile(std::istream& stream, std::uint64_t size) : stream_(&stream), size_(size) {}

  Result<> read_header();
  Result<> check_sections();
  Result<> check_section(const Section& section, const std::vector<Section>& all) const;
  Result<> read_segments();
  Result<> check_load_segments() const;

  // Refuses a part that reaches beyond the end of the file.
  Result<> require(std::uint64_t offset, std::uint64_t size, std::string_view part) const;
  Result<> read_bytes(std::uint64_t offset, char* into, std::uint64_t size, std::string_view part);

  std::istream* stream_;
  std::uint64_t size_;
  Header header_{};
  std::vector<Segment> segments_;
};

// The refusal of a file whose content contradicts itself.
Error damaged(std::string_view what);

template <class T>
Result<std::vector<T>> ElfFile::read_table(std::uint64_t offset, std::uint64_t count, std::string_view part) {
  static_assert(std::is_trivially_copyable_v<T>);
  // A count that would overflow is as far beyond the end as one that fills the address space.
  constexpr std::uint64_t most = UINT64_MAX / sizeof(T);
  const auto bytes = (count < most ? count : most) * sizeof(T);
  if (const auto inside = require(offset, bytes, part); !inside) return inside.error();
  std::vector<T> table(static_cast<std::size_t>(count));
  if (const auto read = read_bytes(offset, reinterpret_cast<char*>(table.data()), bytes, part); !read) {
    return read.error();
  }
  return table;
}

}  // namespace mcph
