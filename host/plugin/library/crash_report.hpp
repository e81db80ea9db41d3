// What a process that runs plugins says where it is in no state to say more. Of its own crash: the signal and a
// backtrace; it then dies of the signal as it would have. Of a thread that does not come back: a backtrace; it then
// goes on. Of a plugin that calls exit: a backtrace, and it exits as it would have. Of the end of its memory: that it
// has come, once; the plugin then gets std::bad_alloc as it would have. A worker tells it to its host, apart from what
// it prints; the host writes it in lines of its log, which name the plugin.
#pragma once

#include <pthread.h>
#include <string_view>

#include "telemetry/stderr_log.hpp"

namespace mcph {

// What is told in a worker, with its text.
enum class CrashNews {
  crashed,        // the name of the signal, and why, as "SEGV through a null pointer"; a backtrace follows
  place_follows,  // the backtrace of a thread that was asked where it is, or that calls exit
  stack_line,     // FILE+OFFSET, as addr2line takes it, and the function if the file names it
  lacks_memory    // an allocation has failed
};
// Called by signal handlers: it may do what they may (signal-safety(7)).
using TellCrashNews = void (*)(CrashNews news, std::string_view text);

// Loads and links what a report needs, which a signal handler must not do; the second time nothing happens. Nothing is
// reported yet. A process that is forked afterwards has all of it.
void prepare_crash_reports();

// For the whole process, which is a worker. Once, at its beginning. Threads that begin after it have longer guards
// behind their stacks, so that one which overflows is a crash, and told.
void report_crashes(TellCrashNews tell);

// The same for a host, which has nobody to read its lines: they are as its log has them. Of a plugin that calls exit,
// too.
void report_crashes_to_log(StderrLog::Format format);

// A stack for the report where the thread's own has overflowed, for as long as the thread lives. The second time
// nothing happens.
void report_crashes_of_this_thread();

// Interrupts the thread, which lives and is not the caller's, and waits a moment until it has said where it is.
void report_place_of(pthread_t thread);

// For the whole process, where its memory is limited.
void report_lack_of_memory();

}  // namespace mcph
