#include "runtime/freed_memory.hpp"

#include <malloc.h>

namespace mcph {

void return_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace mcph
