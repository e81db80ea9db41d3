#include "cli/terminal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

#include "cli/terminal_text.hpp"

namespace mcph {
namespace {

// The other screen, without a cursor; and back.
constexpr std::string_view enter_screen = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view leave_screen = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view to_begin = "\x1b[H";
constexpr std::string_view clear_line = "\x1b[K";
constexpr std::string_view clear_below = "\x1b[J";

constexpr std::array taken_signals{SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH};

struct Size {
  std::size_t rows = 24;
  std::size_t columns = 80;
};

Size size_of(int descriptor) {
  ::winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {.rows = size.ws_row, .columns = size.ws_col};
}

// What a terminal does not take is lost with it.
void write_to_screen(std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno != EINTR) return;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

bool is_terminal(int descriptor) {
  return ::isatty(descriptor) == 1;
}

bool wants_color(ColorChoice choice, int descriptor) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  const auto variable = [](const char* name) {
    const auto* const value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return is_terminal(descriptor) && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

bool heeds_hang_up() {
  struct ::sigaction action {};
  return ::sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler != SIG_IGN;
}

std::size_t columns_of(int descriptor) {
  return size_of(descriptor).columns;
}

Screen::Screen() {
  ::sigset_t taken;
  ::sigemptyset(&taken);
  for (const int signal : taken_signals)
    ::sigaddset(&taken, signal);
  ::sigprocmask(SIG_BLOCK, &taken, nullptr);
  signals_ = FileDescriptor(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  enter();
}

Screen::~Screen() {
  leave();
}

void Screen::enter() {
  ::termios keyboard{};
  if (is_terminal(STDIN_FILENO) && ::tcgetattr(STDIN_FILENO, &keyboard) == 0) {
    before_ = std::make_unique<::termios>(keyboard);
    keyboard.c_lflag &= ~static_cast<::tcflag_t>(ICANON | ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &keyboard);
  }
  write_to_screen(enter_screen);
}

void Screen::leave() {
  write_to_screen(leave_screen);
  if (before_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &*before_);
}

void Screen::draw(const std::string& lines, const std::string& bottom) {
  const auto [rows, columns] = size_of(STDOUT_FILENO);
  auto shown = lines_of(lines);
  const auto room = rows > 1 ? rows - 1 : 1;
  std::string more;
  if (shown.size() > room) {
    more = "... and " + std::to_string(shown.size() - room + 1) + " more lines";
    shown.resize(room);
    shown.back() = more;
  }
  std::string text(to_begin);
  for (const auto line : shown)
    text.append(cut(line, columns)).append(clear_line).append("\r\n");
  text.append(clear_below);
  text.append("\x1b[" + std::to_string(rows) + ";1H").append(cut(bottom, columns));
  write_to_screen(text);
}

Screen::Event Screen::wait(std::chrono::milliseconds patience) {
  std::array<pollfd, 2> watched{{{signals_.get(), POLLIN, 0}, {before_ ? STDIN_FILENO : -1, POLLIN, 0}}};
  if (::poll(watched.data(), watched.size(), static_cast<int>(patience.count())) <= 0) return {};
  if (watched[0].revents != 0) return take_signal();
  char key = 0;
  // A terminal that is gone ends it, too.
  if (::read(STDIN_FILENO, &key, 1) != 1) return {.kind = Event::Kind::end};
  return {.kind = Event::Kind::key, .key = key};
}

Screen::Event Screen::take_signal() {
  ::signalfd_siginfo taken{};
  if (::read(signals_.get(), &taken, sizeof taken) != static_cast<ssize_t>(sizeof taken)) return {};
  if (taken.ssi_signo == SIGWINCH) return {};
  if (taken.ssi_signo != SIGTSTP) return {.kind = Event::Kind::end};
  leave();
  ::raise(SIGSTOP);
  enter();
  return {};
}

}  // namespace mcph
