// Random bytes that nobody can guess, from the system's generator.
#pragma once

#include <cstddef>
#include <string>

namespace mcph {

std::string random_bytes(std::size_t count);

}  // namespace mcph
