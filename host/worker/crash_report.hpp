// What a worker says on standard error, which the host reads, where it is in no state to say more. Of its own crash:
// the signal and a backtrace; it then dies of the signal as it would have. Of a thread that does not come back: a
// backtrace; it then goes on. Of the end of its memory: that it has come, once; the plugin then gets std::bad_alloc as
// it would have.
#pragma once

#include <pthread.h>

namespace mcph {

// For the whole process. Once, at its beginning.
void report_crashes();

// A stack for the report where the thread's own has overflowed, for as long as the thread lives. The second time
// nothing happens.
void report_crashes_of_this_thread();

// Interrupts the thread, which lives and is not the caller's, and waits a moment until it has said where it is.
void report_place_of(pthread_t thread);

// For the whole process, where its memory is limited.
void report_lack_of_memory();

}  // namespace mcph
