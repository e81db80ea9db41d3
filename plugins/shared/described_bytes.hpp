// How long the list of documents may be that a plugin tells the host: it takes 4 MiB.
#pragma once

#include <cstddef>
#include <string_view>

namespace plugins {

constexpr std::size_t max_described_bytes = std::size_t{3} << 20;

// Of a document in it, or a little more: its URI has three bytes for one of many of its path, and its name is the path.
// `text_bytes` are those of its title and description.
constexpr std::size_t described_bytes(std::string_view path, std::size_t text_bytes) {
  constexpr std::size_t others = 256;
  return 4 * path.size() + text_bytes + others;
}

}  // namespace plugins
