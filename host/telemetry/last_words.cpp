#include "telemetry/last_words.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <unistd.h>

#include "base/utf8.hpp"

namespace mcph {
namespace {

using namespace std::chrono;

constexpr std::size_t max_value_bytes = 1024;

class Line {
 public:
  Line& text(std::string_view text) {
    const auto size = std::min(text.size(), bytes_.size() - size_);
    std::copy_n(text.begin(), size, bytes_.begin() + size_);
    size_ += size;
    return *this;
  }
  Line& number(long number, std::size_t digits) {
    for (auto place = digits; place-- > 0; number /= 10)
      digits_.at(place) = static_cast<char>('0' + number % 10);
    return text({digits_.data(), digits});
  }
  // As JSON: what is not ASCII is left as it is.
  Line& quoted(std::string_view value) {
    text("\"");
    for (std::size_t at = 0; at < value.size(); ++at) {
      const auto c = static_cast<unsigned char>(value[at]);
      const auto next = static_cast<unsigned char>(at + 1 < value.size() ? value[at + 1] : 0xFF);
      const bool is_long_control = c == 0xC2 && next < 0xA0;  // U+0080 to U+009F
      if (c == '"' || c == '\\') text("\\");
      text(c < ' ' || c == 0x7F || is_long_control ? std::string_view(" ") : value.substr(at, 1));
      if (is_long_control) ++at;
    }
    return text("\"");
  }
  void write() const { [[maybe_unused]] const auto written = ::write(STDERR_FILENO, bytes_.data(), size_); }

 private:
  // Six values of which each character is escaped, and what is around them.
  std::array<char, 13 * max_value_bytes> bytes_{};
  std::size_t size_ = 0;
  std::array<char, 8> digits_{};
};

// As StderrLog has it: 2026-07-28T12:00:00.000Z.
void add_time(Line& line) {
  const auto now = system_clock::now();
  const auto day = floor<days>(now);
  const year_month_day date(day);
  const hh_mm_ss time(floor<milliseconds>(now - day));
  line.number(static_cast<int>(date.year()), 4).text("-");
  line.number(static_cast<long>(static_cast<unsigned>(date.month())), 2).text("-");
  line.number(static_cast<long>(static_cast<unsigned>(date.day())), 2).text("T");
  line.number(time.hours().count(), 2).text(":").number(time.minutes().count(), 2).text(":");
  line.number(time.seconds().count(), 2).text(".").number(time.subseconds().count(), 3).text("Z");
}

}  // namespace

void LastWords::write(std::string_view event, std::initializer_list<Field> fields) const {
  Line line;
  const bool is_json = format_ == StderrLog::Format::json;
  if (is_json) line.text(R"({"time":")");
  add_time(line);
  line.text(is_json ? R"(","level":"error","event":)" : " error   ");
  is_json ? line.quoted(event) : line.text(event);
  for (const auto& [name, whole] : fields) {
    const auto value = utf8_prefix(whole, max_value_bytes);
    if (is_json) {
      line.text(",").quoted(name).text(":").quoted(value);
    } else {
      line.text(" ").text(name).text("=");
      StderrLog::needs_quotes(value) ? line.quoted(value) : line.text(value);
    }
  }
  line.text(is_json ? "}\n" : "\n").write();
}

}  // namespace mcph
