#include "base/private_memory.hpp"

#include <sys/prctl.h>

namespace mcph {

void keep_memory_private() {
  ::prctl(PR_SET_DUMPABLE, 0);
}

}  // namespace mcph
