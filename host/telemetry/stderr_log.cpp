#include "telemetry/stderr_log.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/json_text.hpp"
#include "base/time_text.hpp"
#include "telemetry/log_text.hpp"

namespace mcph {
namespace {

std::string as_text(std::string_view event, Log::Fields fields, std::string_view without) {
  std::string line(event);
  for (const auto& field : fields) {
    if (field.name == without) continue;
    line.append(" ").append(field.name).append("=");
    if (StderrLog::needs_quotes(field.value)) {
      std::string quoted;
      append_json_string(quoted, field.value);
      line += with_escaped_controls(std::move(quoted));
    } else {
      line.append(field.value);
    }
  }
  return line;
}

// Whether it is a pipe or a socket, which is full as long as nobody reads it.
bool may_be_left_unread() {
  struct ::stat status {};
  return ::fstat(STDERR_FILENO, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

// An error of the descriptor is told by the write.
bool has_room(std::chrono::milliseconds patience) {
  pollfd descriptor{STDERR_FILENO, POLLOUT, 0};
  for (;;) {
    const int ready = ::poll(&descriptor, 1, static_cast<int>(patience.count()));
    if (ready >= 0 || errno != EINTR) return ready != 0;
  }
}

}  // namespace

StderrLog::StderrLog(Level level, Format format, std::string_view without, std::chrono::milliseconds patience)
    : level_(level),
      format_(format),
      without_(without),
      max_piece_(may_be_left_unread() ? PIPE_BUF : std::string_view::npos),
      patience_(max_piece_ == PIPE_BUF ? patience : for_ever) {}

StderrLog::~StderrLog() {
  const MutexLock lock(mutex_);
  tell_lost();
}

void StderrLog::write(Level level, std::string_view event, Fields fields) {
  if (!writes(level)) return;
  const auto line = line_of(level, event, fields);
  const MutexLock lock(mutex_);
  if (!tell_lost() || !put(line, patience_)) ++lost_;
}

std::string StderrLog::line_of(Level level, std::string_view event, Fields fields) const {
  if (format_ == Format::json)
    return with_escaped_controls(json_line(level, event, fields, std::string_view::npos, without_)) + "\n";
  constexpr std::size_t level_width = 7;
  const auto name = name_of(level);
  return precise_time_text(std::chrono::system_clock::now()) + " " + std::string(name) +
         std::string(level_width + 1 - name.size(), ' ') + as_text(event, fields, without_) + "\n";
}

// Nobody waits for it, so that a reader who is away is waited for once.
bool StderrLog::tell_lost() {
  if (lost_ == 0) return true;
  const auto line =
      line_of(Level::warning, "lines lost", {{"lines", lost_}, {"reason", "there was no room for them in stderr"}});
  if (!put((is_cut_ ? "\n" : "") + line, std::chrono::milliseconds(0))) return false;
  lost_ = 0;
  return true;
}

// In pieces that a pipe which has room takes whole (POSIX, PIPE_BUF), so that write does not block: the descriptor
// cannot be told so, because other processes have it, too.
bool StderrLog::put(std::string_view text, std::chrono::milliseconds patience) {
  while (!text.empty()) {
    if (!has_room(patience)) return false;
    const auto count = ::write(STDERR_FILENO, text.data(), std::min(text.size(), max_piece_));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
    is_cut_ = !text.empty();
  }
  return true;
}

}  // namespace mcph
