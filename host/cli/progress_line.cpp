#include "cli/progress_line.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <unistd.h>
#include <utility>

#include "cli/terminal.hpp"
#include "cli/terminal_text.hpp"

namespace mcph {
namespace {

constexpr std::string_view fresh_line = "\r\x1b[K";

// A whole number has no exponent, as counts of bytes have none.
std::string amount_text(double number) {
  constexpr double exact = 1e15;
  if (std::trunc(number) == number && std::abs(number) < exact) return std::to_string(static_cast<long long>(number));
  std::ostringstream text;
  text << number;
  return text.str();
}

}  // namespace

ProgressLine::ProgressLine() : is_terminal_(is_terminal(STDERR_FILENO)) {}

void ProgressLine::show(std::string text) {
  if (!is_terminal_) return;
  // The cursor goes back, so that whatever somebody else writes begins its line.
  const auto line = std::string(fresh_line) + cut(printable(std::move(text)), columns_of(STDERR_FILENO) - 1) + "\r";
  const MutexLock lock(mutex_);
  is_there_ = true;
  std::cerr << line << std::flush;
}

void ProgressLine::tell(double progress, double total, std::string_view message) {
  if (is_terminal_) return show(progress_text(progress, total, message));
  auto line = "progress " + amount_text(progress);
  if (total > 0) line += "/" + amount_text(total);
  if (!message.empty()) line.append(" ").append(message);
  line += '\n';
  const MutexLock lock(mutex_);
  withheld_ = std::move(line);
  if (allowance_.take()) std::cerr << std::exchange(withheld_, {}) << std::flush;
}

void ProgressLine::clear() {
  const MutexLock lock(mutex_);
  if (is_there_) std::cerr << fresh_line << std::flush;
  is_there_ = false;
  if (!withheld_.empty()) std::cerr << std::exchange(withheld_, {}) << std::flush;
}

std::string progress_text(double progress, double total, std::string_view message) {
  constexpr int width = 20;
  constexpr int percent = 100;
  std::ostringstream text;
  if (total > 0) {
    const auto share = std::clamp(progress / total, 0.0, 1.0);
    const auto filled = static_cast<int>(std::lround(share * width));
    text << "[" << std::string(static_cast<std::size_t>(filled), '#')
         << std::string(static_cast<std::size_t>(width - filled), '-') << "] " << std::setw(3)
         << std::lround(share * percent) << " %  " << amount_text(progress) << "/" << amount_text(total);
  } else {
    text << amount_text(progress);
  }
  if (!message.empty()) text << "  " << message;
  return text.str();
}

}  // namespace mcph
