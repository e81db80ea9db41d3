#include "transport/stdio/standard_streams.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "telemetry/log_events.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_line = 8192;

Error system_error(const char* what) {
  return fail(std::string(what) + ": " + std::strerror(errno));
}

void tell_line(Log& log, std::string_view line) {
  try {
    log.info(plugin_output, {{"text", line}});
  } catch (const std::bad_alloc&) {
    // It is lost, and the next ones need not be.
  }
}

// Logs what arrives line by line, until the other end is closed or `wake` is readable; a line without end is logged in
// pieces. The other end may never be closed, and never be quiet, because a process that a plugin started has inherited
// it: after `wake` no more is read than a pipe holds.
void copy_lines(int printed, int wake, Log& unlimited) {
  RateLimitedLog log(unlimited, max_lines_of_plugin, [](Log& target, const RateLimitedLog::LeftOut& left_out) {
    target.warning("plugin says too much", {{"lines_left_out", left_out.lines}});
  });
  constexpr int pieces_of_a_pipe = 16;
  std::string line;
  line.reserve(max_line);  // so that nothing here needs memory
  char buffer[4096];
  int left = pieces_of_a_pipe;
  pollfd descriptors[2] = {{printed, POLLIN, 0}, {wake, POLLIN, 0}};
  while (::poll(descriptors, 2, -1) >= 0 || errno == EINTR) {
    const auto count = ::read(printed, buffer, sizeof buffer);  // does not block
    const bool ending = descriptors[1].revents != 0;
    if (count == 0 || (ending && (count < 0 || --left < 0))) break;
    for (const char c : std::string_view(buffer, static_cast<std::size_t>(std::max<ssize_t>(count, 0)))) {
      if (c != '\n') line += c;
      if (c != '\n' && line.size() < max_line) continue;
      tell_line(log, line);
      line.clear();
    }
  }
  if (!line.empty()) tell_line(log, line);
  ::close(printed);
}

}  // namespace

Result<StandardStreams> StandardStreams::take(Log& log) {
  std::fflush(stdout);
  auto wake = std::make_unique<SelfPipe>();
  const int input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  int printed[2] = {-1, -1};
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input < 0 || output < 0 || nothing < 0 || ::pipe2(printed, O_CLOEXEC) != 0) {
    return system_error("cannot set up standard input and output");
  }
  ::fcntl(printed[0], F_SETFL, O_NONBLOCK);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(printed[1], STDOUT_FILENO);
  ::close(nothing);
  ::close(printed[1]);
  // A plugin that prints a line should see it in the log when it prints it, not when a block is full.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::thread copier([printed = printed[0], wake = wake->descriptor(), &log] { copy_lines(printed, wake, log); });
  return StandardStreams(input, output, std::move(wake), std::move(copier));
}

StandardStreams::StandardStreams(int input, int output, std::unique_ptr<SelfPipe> wake, std::thread copier)
    : input_(input), output_(output), wake_(std::move(wake)), copier_(std::move(copier)) {}

StandardStreams::StandardStreams(StandardStreams&& other) noexcept
    : input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      wake_(std::move(other.wake_)),
      copier_(std::move(other.copier_)) {}

StandardStreams::~StandardStreams() {
  if (!copier_.joinable()) return;
  std::fflush(stdout);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  wake_->trigger();
  copier_.join();
  ::close(input_);
  ::close(output_);
}

}  // namespace mcph
