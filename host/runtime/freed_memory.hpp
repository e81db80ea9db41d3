// Memory that has been freed and that malloc keeps for later. Free functions; any thread.
#pragma once

namespace mcph {

// At the start of the program, before there are threads: how much of it malloc keeps, and that it does not stay with
// the thread that needed it, so that a host does not grow with each meeting of threads that have not met before.
void bound_freed_memory();

// Gives it back to the system, but for what is free at the ends of arenas other than the main one. Takes a millisecond
// or more, in which whoever needs memory waits.
void return_freed_memory();

// And what is free there: megabytes each, where there were large messages. Takes some threads for a moment.
void return_all_freed_memory();

}  // namespace mcph
