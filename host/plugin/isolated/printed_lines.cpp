#include "plugin/isolated/printed_lines.hpp"

#include <array>
#include <unistd.h>

#include "base/regular_file.hpp"

namespace mcph {
namespace {

constexpr std::size_t output_at_once = std::size_t{64} << 10;

}  // namespace

PrintedLines::Read PrintedLines::read() {
  std::array<char, output_at_once> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): read writes it
  std::size_t all = 0;
  ssize_t count = -1;
  while (all < bytes.size()) {
    count = uninterrupted([&] { return ::read(output_.get(), bytes.data() + all, bytes.size() - all); });
    if (count <= 0) break;
    all += static_cast<std::size_t>(count);
  }
  add({bytes.data(), all});
  if (count == 0) return Read::end;
  return all == bytes.size() ? Read::much : Read::some;
}

void PrintedLines::add(std::string_view bytes) {
  for (const char c : bytes) {
    if (c != '\n') line_ += c;
    if (c != '\n' && line_.size() < max_line_bytes) continue;
    take_(line_);
    line_.clear();
  }
}

void PrintedLines::end() {
  if (!line_.empty()) add("\n");
}

}  // namespace mcph
