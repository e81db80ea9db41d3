// What a process that runs plugins says on standard error, where it is in no state to say more. Of its own crash: the
// signal and a backtrace; it then dies of the signal as it would have. Of a thread that does not come back: a
// backtrace; it then goes on. Of the end of its memory: that it has come, once; the plugin then gets std::bad_alloc as
// it would have. A worker says it in lines that its host reads; the host in lines of its log, which name the plugin.
#pragma once

#include <pthread.h>
#include <string_view>

#include "telemetry/stderr_log.hpp"

namespace mcph {

// What a worker's host reads of it: that an allocation has failed, and, before a backtrace,
// what signal ends it, or that it has been asked where it is.
inline constexpr std::string_view worker_lacks_memory = "mcp-plugin-worker: no memory is left";
inline constexpr std::string_view worker_crashes = "the plugin crashed: SIG";
inline constexpr std::string_view worker_place = "a thread that runs the plugin; backtrace:";

// For the whole process, which is a worker. Once, at its beginning.
void report_crashes();

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
