// Reads a shared library in the ELF format (System V ABI, chapters 4 and 5; GNU extensions) without mapping it. Plain
// functions without state, callable from any thread; the stream belongs to the caller. ELF's own headers stay out of
// this one, so that it can be included on every system.
#pragma once

#include <cstdint>
#include <istream>
#include <string_view>

#include "base/result.hpp"
#include "plugin/library/library_file.hpp"

namespace mcph {

// True if a file that begins so is an ELF file of whatever kind.
bool is_elf(std::string_view first_bytes);

// `size` is the number of bytes in the stream. Refuses what the dynamic linker of this machine could not load, or could
// only load to crash: another architecture, an executable, an object file, a truncated or damaged file.
Result<LibraryFacts> read_elf_library(std::istream& file, std::uint64_t size, std::string_view entry_symbol_prefix);

// A name by which a library is known, or by which it knows another one.
struct ElfName {
  enum class Use { own, needed, of_version };  // DT_SONAME; DT_NEEDED; whose versions it needs
  Use use = Use::own;
  std::string text;
  std::uint64_t offset = 0;   // of the text in the file
  bool shares_bytes = false;  // with another string of the file, which would change with it
};

// All names of a library. The stream is its file, of `size` bytes.
Result<std::vector<ElfName>> read_elf_names(std::istream& stream, std::uint64_t size);

}  // namespace mcph
