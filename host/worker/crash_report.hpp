// What a worker says of its own crash: the signal and a backtrace, on standard error, which the host logs. It then dies
// of the signal as it would have.
#pragma once

namespace mcph {

// For the whole process. Once, at its beginning.
void report_crashes();

// A stack for the report where the thread's own has overflowed, for as long as the thread lives. The second time
// nothing happens.
void report_crashes_of_this_thread();

}  // namespace mcph
