// What a plugin's library says about itself, read from its bytes before anything of it is mapped or executed. A damaged
// or foreign file is refused here, in words, instead of crashing the process that would load it. Plain functions
// without state, callable from any thread. Damage inside the code of an otherwise sound library is not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace mcph {

// The part of an entry symbol before the contract's major version: mcp_plugin_entry_v1 and so on.
inline constexpr std::string_view default_entry_symbol_prefix = "mcp_plugin_entry_v";

// In bytes; a larger file is refused. Keeps a mistaken file from filling the memory or the private folder.
inline constexpr std::uint64_t max_library_size = std::uint64_t{512} * 1024 * 1024;

struct LibraryFacts {
  std::uint64_t size = 0;                     // of the file, in bytes
  std::vector<std::string> entry_symbols;     // the exported functions that begin with the prefix, sorted
  std::vector<std::string> needed_libraries;  // in the order in which they are linked
  // What it exports beside the entry functions, where other libraries of the process could find it.
  std::size_t other_symbol_count = 0;
  std::vector<std::string> other_symbol_examples;  // the first few of them, as mangled names
  bool has_text_relocations = false;               // its code is changed when it is loaded
  std::string build_id;                            // lower-case hexadecimal; empty if it has none

  // Each of these keeps the library mapped when it is unloaded, or makes unloading leave something behind.
  std::size_t unique_symbol_count = 0;              // GNU-unique symbols that it defines: never unloaded
  std::vector<std::string> unique_symbol_examples;  // the first few of them, as mangled names
  bool never_unloads = false;                       // it was linked with -z nodelete
  bool has_thread_local_storage = false;
  bool has_thread_exit_destructors = false;  // mapped until every thread that ran its code has ended
};

// Reads the file only, and as little of it as answers the question. It must not change meanwhile: give the private
// copy. An error says why it cannot be loaded as a plugin by this host, and what to do; it does not name the file,
// because the caller knows the name that people gave it.
Result<LibraryFacts> inspect_library(const std::filesystem::path& file,
                                     std::string_view entry_symbol_prefix = default_entry_symbol_prefix);

}  // namespace mcph
