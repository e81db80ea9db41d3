// The program that finds the lines of source of a crash, which the host starts: usage: mcp-plugin-symbolizer PLACE...,
// with the library's file as standard input. A PLACE is 0xOFFSET into the file's code, or the name of a function as the
// linker has it, to be made readable. It prints
//   build-id ID                            where the file has one
//   PLACE LINE <tab> FILE <tab> FUNCTION   for each function that ran there, what was inlined first; PLACE counts from
//   0
// The file may be anything, so all that this program can do is to read it, and what it prints is taken for text.
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cxxabi.h>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>

#include "symbolizer/confinement.hpp"
#include "symbolizer/debug_data.hpp"

namespace {

constexpr int cannot_confine = 3;
constexpr std::size_t max_text_bytes = 1000;

std::optional<std::uint64_t> offset_in(std::string_view place) {
  constexpr int hexadecimal = 16;
  if (!place.starts_with("0x")) return std::nullopt;
  place.remove_prefix(2);
  std::uint64_t offset = 0;
  const auto [end, error] = std::from_chars(place.begin(), place.end(), offset, hexadecimal);
  if (error != std::errc{} || end != place.end()) return std::nullopt;
  return offset;
}

std::string readable(const std::string& function) {
  // What does not begin so is C's, or another language's, and may read as the name of a type: c as char.
  if (!function.starts_with("_Z")) return function;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(function.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? name.get() : function;
}

// On one line, and with an end.
std::string one_line(std::string text) {
  text.resize(std::min(text.size(), max_text_bytes));
  for (auto& letter : text) {
    if (static_cast<unsigned char>(letter) < ' ') letter = '?';
  }
  return text;
}

void print(std::size_t place, const mcph::SourceFrame& frame) {
  std::cout << place << ' ' << frame.line << '\t' << one_line(frame.file) << '\t' << one_line(readable(frame.function))
            << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (!mcph::give_up_everything_else()) return cannot_confine;
  mcph::DebugData data(STDIN_FILENO);
  if (const auto id = data.build_id(); !id.empty()) std::cout << "build-id " << id << '\n';
  const std::span places(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto offset = offset_in(places[i]);
    if (!offset) {
      print(i, {.function = places[i], .file = {}});
      continue;
    }
    for (const auto& frame : data.frames_at(*offset))
      print(i, frame);
  }
  std::cout.flush();
  // What has been read need not be freed, and what it has become may not be whole.
  ::_exit(EXIT_SUCCESS);
}
