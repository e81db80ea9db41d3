#include "transport/standard_streams.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace mcph {
namespace {

constexpr std::size_t longest_line = 8192;

Error system_error(const char* what) {
  return fail(std::string(what) + ": " + std::strerror(errno));
}

// Logs what arrives line by line; a line without end is logged in pieces.
void copy_lines(int printed, Log& log) {
  std::string line;
  char buffer[4096];
  for (;;) {
    const auto count = ::read(printed, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    for (const char c : std::string_view(buffer, static_cast<std::size_t>(count))) {
      if (c != '\n') line += c;
      if (c != '\n' && line.size() < longest_line) continue;
      log.info("plugin output", {{"text", line}});
      line.clear();
    }
  }
  if (!line.empty()) log.info("plugin output", {{"text", line}});
  ::close(printed);
}

}  // namespace

Result<StandardStreams> StandardStreams::take(Log& log) {
  std::fflush(stdout);
  const int input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  int pipe_ends[2] = {-1, -1};
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return system_error("cannot make a pipe for what plugins print");
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) return system_error("cannot open /dev/null");
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(pipe_ends[1], STDOUT_FILENO);
  ::close(nothing);
  ::close(pipe_ends[1]);
  // A plugin that prints a line should see it in the log when it prints it, not when a block is full.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return StandardStreams(input, output, pipe_ends[0], log);
}

StandardStreams::StandardStreams(int input, int output, int printed, Log& log)
    : input_(input), output_(output), copier_([printed, &log] { copy_lines(printed, log); }) {}

StandardStreams::StandardStreams(StandardStreams&& other) noexcept
    : input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      copier_(std::move(other.copier_)) {}

StandardStreams::~StandardStreams() {
  if (!copier_.joinable()) return;
  std::fflush(stdout);
  // Closes the pipe's last writing end, which ends the copier.
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  copier_.join();
  if (input_ >= 0) ::close(input_);
  if (output_ >= 0) ::close(output_);
}

}  // namespace mcph
