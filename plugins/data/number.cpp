#include "data/number.hpp"

#include <charconv>
#include <system_error>

namespace plugins::data {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at]))
    ++at;
  return at;
}

enum class Form { none, integer, real };

Form form_of(std::string_view text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  std::size_t at = skip_digits(text, begin);
  if (at == begin || (text[begin] == '0' && at > begin + 1)) return Form::none;
  if (at == text.size()) return Form::integer;
  if (text[at] == '.') {
    const std::size_t fraction = at + 1;
    at = skip_digits(text, fraction);
    if (at == fraction) return Form::none;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = at;
    at = skip_digits(text, exponent);
    if (at == exponent) return Form::none;
  }
  return at == text.size() ? Form::real : Form::none;
}

template <class T>
Number converted(std::string_view text) {
  T value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) return {};
  return value;
}

}  // namespace

Number number_of(std::string_view text) {
  switch (form_of(text)) {
    case Form::integer:
      return converted<std::int64_t>(text);
    case Form::real:
      return converted<double>(text);
    default:
      return {};
  }
}

}  // namespace plugins::data
