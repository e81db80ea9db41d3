// Memory that has been freed and that malloc keeps for later. Free functions; any thread.
#pragma once

namespace mcph {

// Gives it back to the system. Takes a millisecond or more, in which whoever needs memory waits.
void return_freed_memory();

}  // namespace mcph
