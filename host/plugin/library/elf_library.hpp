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

}  // namespace mcph
