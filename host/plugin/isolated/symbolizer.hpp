// Functions, files and lines of source of places in a library, as its debug data has them. That data is its author's,
// and this process reads none of it: mcp-plugin-symbolizer does, a program that can do nothing else, and what that
// prints is taken for text. A value; any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

namespace mcph {

// A function that ran, and where in it. An empty text or 0 is unknown.
struct SourceFrame {
  std::string function;  // as people write it
  std::string file;
  int line = 0;
};

struct Symbols {
  // Of each place that was asked for: what was inlined there, innermost first, and then the function around it.
  std::vector<std::vector<SourceFrame>> places;
  std::string build_id;  // of the library, in hex, of at most 128 digits; empty: it has none
};

class Symbolizer {
 public:
  explicit Symbolizer(std::filesystem::path program) : program_(std::move(program)) {}

  // The program that is installed with this one.
  static std::filesystem::path default_program();

  // False: it was built without.
  bool is_there() const;

  // Waits for the program, which is killed when it takes longer than this. A place is 0xOFFSET into the library's code,
  // or a function's name as the linker has it. An error says why nothing could be found.
  static constexpr std::chrono::milliseconds patience{5000};
  Result<Symbols> find(const FileDescriptor& library, const std::vector<std::string>& places) const;

 private:
  std::filesystem::path program_;
};

}  // namespace mcph
