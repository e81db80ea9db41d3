#include "calculator/setup.hpp"

#include <array>
#include <charconv>
#include <string>

#include <mcp/plugin/typed.hpp>

#include "calculator/expression.hpp"
#include "calculator/functions.hpp"

namespace plugins::calculator {
namespace {

// More than 17 significant digits say nothing about a double.
constexpr int max_precision = 17;

struct Calculation {
  std::string expression;
  int precision = 12;
  static constexpr auto fields() {
    return std::tuple{
        mcp::field("expression", &Calculation::expression, "What to evaluate, such as \"sqrt(2) * (1 + 3!) ^ 2 / 1e3\"")
            .min_length(1)
            .max_length(max_expression_size),
        mcp::field("precision", &Calculation::precision, "Significant digits of the formatted result")
            .min(1)
            .max(max_precision)
            .default_value(12)};
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

std::string formatted(double value, int precision) {
  if (precision < 1 || precision > max_precision) throw mcp::ToolError("precision must be 1 to 17");
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, precision).ptr;
  return {text.data(), end};
}

Answer calculate(const Calculation& calculation) {
  const double value = evaluate(calculation.expression);
  return {value, formatted(value, calculation.precision)};
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
  plugin.tool("calculate", description(), calculate).title("Calculate").read_only().idempotent().open_world(false);
}

}  // namespace plugins::calculator
