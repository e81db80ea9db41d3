// What a fuzz target expects of every input, besides that nothing crashes.
#pragma once

#include <cstdlib>

namespace mcph::fuzz {

// A trap, which libFuzzer takes for a finding, where the expectation does not hold.
inline void expect(bool holds) {
  if (!holds) std::abort();
}

}  // namespace mcph::fuzz
