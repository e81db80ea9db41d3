// What the code under test keeps until the process ends, on purpose, while an object of this class lives: the leak
// checker of an address-sanitized build does not count it.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define MCP_TEST_LEAKS_ARE_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MCP_TEST_LEAKS_ARE_CHECKED 1
#endif
#endif

#if defined(MCP_TEST_LEAKS_ARE_CHECKED)
#include <sanitizer/lsan_interface.h>
#endif

namespace mcph::test {

class [[maybe_unused]] KeptMemory {
 public:
#if defined(MCP_TEST_LEAKS_ARE_CHECKED)
  KeptMemory() {
    __lsan_disable();
  }
  ~KeptMemory() {
    __lsan_enable();
  }
#else
  KeptMemory() = default;
  ~KeptMemory() = default;
#endif
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;
};

}  // namespace mcph::test
