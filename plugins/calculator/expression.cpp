#include "calculator/expression.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "calculator/functions.hpp"

namespace plugins::calculator {
namespace {

constexpr double largest_factorial = 170;

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

std::string count_of_arguments(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

std::string call_text(std::string_view name, const std::vector<double>& arguments) {
  std::string text(name);
  text += '(';
  for (std::size_t i = 0; i < arguments.size(); ++i)
    text += (i == 0 ? "" : ", ") + shortest_text(arguments[i]);
  return text + ')';
}

std::string expected_count(const Function& function) {
  if (function.max_arguments == any_number) return "at least " + count_of_arguments(function.min_arguments);
  if (function.min_arguments == function.max_arguments) return count_of_arguments(function.min_arguments);
  return std::to_string(function.min_arguments) + " or " + count_of_arguments(function.max_arguments);
}

// Evaluates while it reads, from left to right. Each function reads what binds at least as much as its name says:
//
//   sum     = product { ("+" | "-") product }
//   product = signed { ("*" | "/" | "%") signed }
//   signed  = ("+" | "-") signed | power
//   power   = factorial [ "^" signed ]
//   factorial = operand { "!" }
//   operand = number | constant | function "(" sum { "," sum } ")" | "(" sum ")"
class Evaluation {
 public:
  explicit Evaluation(std::string_view text) : text_(text) {}

  double run() {
    const double value = sum();
    if (next() == ')') fail("A \")\" without its \"(\"", at_);
    if (at_ < text_.size()) fail("Expected an operator", at_);
    return value + 0.0;  // of the two zeros, the positive one
  }

 private:
  // One level of recursion.
  class Nesting {
   public:
    explicit Nesting(Evaluation& evaluation) : depth_(evaluation.depth_) {
      if (depth_ == max_nesting) {
        evaluation.fail("Nested more than " + std::to_string(max_nesting) + " levels deep", evaluation.at_);
      }
      ++depth_;
    }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { --depth_; }

   private:
    int& depth_;
  };

  double sum() {
    double value = product();
    for (;;) {
      const std::size_t place = skip_spaces();
      if (take('+')) {
        value = checked(value + product(), "The sum", place);
      } else if (take('-')) {
        value = checked(value - product(), "The difference", place);
      } else {
        return value;
      }
    }
  }

  double product() {
    double value = signed_value();
    for (;;) {
      const std::size_t place = skip_spaces();
      if (take('*')) {
        value = checked(value * signed_value(), "The product", place);
      } else if (take('/')) {
        value = checked(value / divisor(place), "The quotient", place);
      } else if (take('%')) {
        value = std::fmod(value, divisor(place));
      } else {
        return value;
      }
    }
  }

  double signed_value() {
    const Nesting nesting(*this);
    if (take('-')) return -signed_value();
    if (take('+')) return signed_value();
    return power();
  }

  double power() {
    const double base = factorial();
    const std::size_t place = skip_spaces();
    if (!take('^')) return base;
    const double exponent = signed_value();
    if (base == 0 && exponent < 0) fail("Division by zero: 0 has no negative power", place);
    const double value = std::pow(base, exponent);
    if (std::isnan(value)) fail("A negative number has no power that is not whole", place);
    return checked(value, "The power", place);
  }

  double factorial() {
    double value = operand();
    for (;;) {
      const std::size_t place = skip_spaces();
      if (!take('!')) return value;
      value = factorial_of(value, place);
    }
  }

  double operand() {
    const char c = next();
    if (is_digit(c) || c == '.') return number();
    if (is_letter(c)) return named();
    const std::size_t place = at_;
    if (!take('(')) fail("Expected a number", place);
    const double value = sum();
    if (!take(')')) fail("Expected \")\"", at_);
    return value;
  }

  double number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("A number beyond what double precision can hold", at_);
    if (error != std::errc()) fail("Expected a number", at_);
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  double named() {
    const std::size_t place = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_])))
      ++at_;
    const std::string_view name = text_.substr(place, at_ - place);
    if (const auto constant = find_constant(name)) return *constant;
    const Function* function = find_function(name);
    if (!function) fail("Unknown name " + quoted(name) + " (there are pi, e, tau, " + function_names() + ")", place);
    if (!take('(')) fail("Expected \"(\" after " + quoted(name), at_);
    return call(*function, arguments(), place);
  }

  std::vector<double> arguments() {
    std::vector<double> values;
    if (take(')')) return values;
    do {
      values.push_back(sum());
    } while (take(','));
    if (!take(')')) fail("Expected \",\" or \")\"", at_);
    return values;
  }

  double call(const Function& function, const std::vector<double>& arguments, std::size_t place) {
    if (arguments.size() < function.min_arguments || arguments.size() > function.max_arguments) {
      fail(quoted(function.name) + " takes " + expected_count(function) + ", not " + std::to_string(arguments.size()) +
               ",",
           place);
    }
    const double value = function.value(arguments);
    if (std::isnan(value)) fail(call_text(function.name, arguments) + " is not defined", place);
    if (std::isinf(value)) fail(call_text(function.name, arguments) + " is too large", place);
    return value;
  }

  double divisor(std::size_t place) {
    const double value = signed_value();
    if (value == 0) fail("Division by zero", place);
    return value;
  }

  double factorial_of(double value, std::size_t place) {
    if (value < 0 || value > largest_factorial || value != std::trunc(value)) {
      fail("A factorial is of a whole number from 0 to 170, not of " + shortest_text(value) + ",", place);
    }
    long double product = 1;  // wider than the result, so that roundings do not add up
    for (int factor = 2; factor <= static_cast<int>(value); ++factor)
      product *= factor;
    return static_cast<double>(product);
  }

  double checked(double value, std::string_view what, std::size_t place) {
    if (!std::isfinite(value)) fail(std::string(what) + " is too large", place);
    return value;
  }

  std::size_t skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_]))
      ++at_;
    return at_;
  }

  // The next character that is not a space, or NUL at the end.
  char next() {
    skip_spaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char c) {
    if (next() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail(const std::string& reason, std::size_t place) const {
    throw ExpressionError(reason, text_, place);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double evaluate(std::string_view expression) {
  if (expression.size() > max_expression_size) {
    throw ExpressionError("Longer than " + std::to_string(max_expression_size) + " bytes", expression,
                          max_expression_size);
  }
  return Evaluation(expression).run();
}

}  // namespace plugins::calculator
