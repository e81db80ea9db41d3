// How long a plugin's description of its components may be.
#pragma once

#include <cstddef>

namespace mcph {

// In bytes. To read one takes some ten times as much memory for a moment, and a plugin may describe itself often.
inline constexpr std::size_t max_description_bytes = std::size_t{4} << 20;

}  // namespace mcph
