// Text for a terminal. Free functions.
#pragma once

#include <string>

namespace mcph {

// Without what a terminal obeys: plugins word names and errors, and print what they like.
std::string printable(std::string text);

}  // namespace mcph
