// The memory of this process, in which secrets pass.
#pragma once

namespace mcph {

// From now on no core file has it, and no other process of the same user reads it or attaches to this one, but root's
// (prctl(2), PR_SET_DUMPABLE). Processes that it starts are not concerned. Any thread; again does nothing.
void keep_memory_private();

}  // namespace mcph
