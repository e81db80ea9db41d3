// A duration in words. [any]
#pragma once

#include <chrono>
#include <string>

namespace mcph {

// "1.5 s", for messages.
std::string in_seconds(std::chrono::milliseconds time);

}  // namespace mcph
