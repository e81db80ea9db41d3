#include "calculator/setup.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include <mcp/plugin.hpp>

#include "calculator/expression.hpp"
#include "calculator/functions.hpp"

namespace plugins::calculator {
namespace {

// More than 17 significant digits say nothing about a double.
constexpr int max_precision = 17;
constexpr int max_decimal_places = 15;

struct Calculation {
  std::string expression;
  int precision = 12;
  std::optional<int> decimal_places;
  static constexpr auto fields() {
    return std::tuple{
        mcp::field("expression", &Calculation::expression, "What to evaluate, such as \"sqrt(2) * (1 + 3!) ^ 2 / 1e3\"")
            .min_length(1)
            .max_length(max_expression_size),
        mcp::field("precision", &Calculation::precision, "Significant digits of the formatted result")
            .min(1)
            .max(max_precision)
            .default_value(12),
        mcp::field("decimal_places", &Calculation::decimal_places,
                   "Digits after the point of the formatted result, in place of precision; 2: 14.00")
            .min(0)
            .max(max_decimal_places)};
  }
};

struct Answer {
  double result = 0;
  std::string formatted;
  static constexpr auto fields() {
    return std::tuple{mcp::field("result", &Answer::result, "The value in double precision"),
                      mcp::field("formatted", &Answer::formatted, "The value rounded to the precision asked for")};
  }
};

// As with_decimal_places: halves of the number that people see, too.
std::string with_precision(double value, int digits) {
  constexpr int max_places = 300;  // that can be rounded to
  const int places = value == 0 ? 0 : digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  const double seen = std::abs(places) <= max_places ? rounded(value, places) : value;
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), seen, std::chars_format::general, digits).ptr;
  return {text.data(), end};
}

// The decimal number that people see, with zeros behind it: the further digits of the double are not meant.
std::string with_decimal_places(double value, int places) {
  // 0 is added because -0.4 is rounded to 0, and not to -0.
  const double seen = rounded(value, places) + 0.0;
  std::array<char, 340> digits{};  // the largest double has 309 before the point
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), seen, std::chars_format::fixed).ptr;
  std::string text(digits.data(), end);
  if (places == 0) return text;
  if (text.find('.') == std::string::npos) text += '.';
  text.resize(text.find('.') + 1 + static_cast<std::size_t>(places), '0');
  return text;
}

Answer answer_to(const Calculation& calculation) {
  if (calculation.precision < 1 || calculation.precision > max_precision)
    throw mcp::ToolError("precision must be 1 to 17");
  const auto places = calculation.decimal_places;
  if (places && (*places < 0 || *places > max_decimal_places)) throw mcp::ToolError("decimal_places must be 0 to 15");
  const double value = evaluate(calculation.expression);
  return {value, places ? with_decimal_places(value, *places) : with_precision(value, calculation.precision)};
}

mcp::ToolResult calculate(const Calculation& calculation) {
  const auto answer = answer_to(calculation);
  mcp::ToolResult result;
  // For a reader who said how he wants to read it.
  if (calculation.decimal_places) result.text("Result: " + answer.formatted);
  return result.text(mcp::dump_json(mcp::Json{{"result", answer.result}, {"formatted", answer.formatted}}))
      .structured(answer);
}

std::string description() {
  return "Evaluates an arithmetic expression. Operators: + - * / % (remainder) ^ (power, right associative), unary "
         "minus, n! and parentheses. Constants: pi, e, tau. Functions: " +
         function_names() +
         ". log(x) and ln(x) are natural, log(x, base) has any base; round(x, digits) keeps digits after the point. "
         "Angles are in radians: write sin(rad(30)) for degrees. Multiplication is always written: 2 * pi, not 2pi.";
}

}  // namespace

void setup(mcp::Plugin& plugin) {
  plugin.tool("calculate", description(), calculate)
      .title("Calculate")
      .read_only()
      .idempotent()
      .open_world(false)
      .output<Answer>();
}

}  // namespace plugins::calculator
