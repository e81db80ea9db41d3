#include "plugin/isolated/worker_process.hpp"

#include <array>
#include <csignal>
#include <poll.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace mcph {
namespace {

// Of a process that does so.
template <class Work>
int forked(const Work& work) {
  const int process = ::fork();
  if (process != 0) return process;
  work();
  ::_exit(0);
}

void sleep_for_ever() {
  for (;;)
    ::pause();
}

std::string how_ended(WorkerProcess& process) {
  pollfd end{process.end_descriptor(), POLLIN, 0};
  ::poll(&end, 1, -1);
  return process.reap().how;
}

TEST(WorkerProcess, TellsHowItEnded) {
  const auto good = WorkerProcess::watch(forked([] {}));
  ASSERT_TRUE(good);
  EXPECT_EQ(how_ended(**good), "exited with status 0");
  const auto killed = WorkerProcess::watch(forked(sleep_for_ever));
  ASSERT_TRUE(killed);
  ::kill((*killed)->id(), SIGKILL);
  EXPECT_EQ(how_ended(**killed), "was killed by SIGKILL, perhaps because memory ran out");
}

TEST(WorkerProcess, IsSaidToHaveLostItsConnectionOnlyWhereItWasKilledForThat) {
  const auto lost = WorkerProcess::watch(forked(sleep_for_ever));
  ASSERT_TRUE(lost);
  (*lost)->kill_without_connection();
  EXPECT_EQ(how_ended(**lost),
            "lost its connection to the host; perhaps the plugin closed a descriptor that is not its own");
  const auto dying = WorkerProcess::watch(forked([] { std::raise(SIGTERM); }));
  ASSERT_TRUE(dying);
  pollfd end{(*dying)->end_descriptor(), POLLIN, 0};
  ::poll(&end, 1, -1);
  (*dying)->kill_without_connection();
  EXPECT_EQ(how_ended(**dying), "was killed by SIGTERM (Terminated)");
}

// The system lets nobody else wait for a process before its tracer has heard of the end.
TEST(WorkerProcess, WaitsForNoDebuggerThatHoldsIt) {
  const auto process = WorkerProcess::watch(forked(sleep_for_ever));
  ASSERT_TRUE(process);
  const int traced = (*process)->id();
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const int tracer = forked([&] {
    if (::ptrace(PTRACE_SEIZE, traced, nullptr, nullptr) != 0) ::_exit(1);
    if (::write(pipe[1], "", 1) == 1) sleep_for_ever();
  });
  ::close(pipe[1]);
  char byte = 0;
  const bool traces = ::read(pipe[0], &byte, 1) == 1;
  ::close(pipe[0]);
  ::kill(traced, SIGKILL);
  const auto how = how_ended(**process);
  ::kill(tracer, SIGKILL);
  ::waitpid(tracer, nullptr, 0);
  if (!traces) GTEST_SKIP() << "this system lets no process trace another one";
  EXPECT_EQ(how, "ended while a debugger held it");

  // It is let go, and waited for with the next one that ends.
  const auto next = WorkerProcess::watch(forked([] {}));
  ASSERT_TRUE(next);
  EXPECT_EQ(how_ended(**next), "exited with status 0");
  EXPECT_EQ(::kill(traced, 0), -1);
}

// Whatever else is to end waits for whoever waits for one process.
TEST(WorkerProcess, WaitsForNoneThatCannotEndYet) {
  const auto process = WorkerProcess::watch(forked(sleep_for_ever));
  ASSERT_TRUE(process);
  (*process)->reap();
  EXPECT_EQ(::kill((*process)->id(), SIGKILL), 0) << "it is still there";
  pollfd end{(*process)->end_descriptor(), POLLIN, 0};
  ::poll(&end, 1, -1);

  // It is waited for with the next one that ends.
  const auto next = WorkerProcess::watch(forked([] {}));
  ASSERT_TRUE(next);
  EXPECT_EQ(how_ended(**next), "exited with status 0");
  EXPECT_EQ(::kill((*process)->id(), 0), -1);
}

}  // namespace
}  // namespace mcph
