#include "calculator/expression.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace plugins::calculator {
namespace {

struct Failure {
  std::size_t position = 0;
  std::string message;
};

Failure failure_of(std::string_view expression) {
  try {
    const double value = evaluate(expression);
    return {0, "has the value " + std::to_string(value)};
  } catch (const ExpressionError& error) {
    return {error.position(), error.what()};
  }
}

std::string message_of(std::string_view expression) {
  return failure_of(expression).message;
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i)
    result += text;
  return result;
}

TEST(Expression, ReadsNumbers) {
  EXPECT_EQ(evaluate("42"), 42);
  EXPECT_EQ(evaluate("0.5"), 0.5);
  EXPECT_EQ(evaluate(".5"), 0.5);
  EXPECT_EQ(evaluate("5."), 5);
  EXPECT_EQ(evaluate("1e3"), 1000);
  EXPECT_EQ(evaluate("1.5E-3"), 0.0015);
  EXPECT_EQ(evaluate("2e+2"), 200);
  EXPECT_EQ(evaluate(" \t7\n "), 7);
}

TEST(Expression, ProductsBindMoreThanSums) {
  EXPECT_EQ(evaluate("2 + 3 * 4"), 14);
  EXPECT_EQ(evaluate("(2 + 3) * 4"), 20);
  EXPECT_EQ(evaluate("20 - 6 / 3"), 18);
}

TEST(Expression, OperatorsOfOneKindGoFromLeftToRight) {
  EXPECT_EQ(evaluate("10 - 3 - 2"), 5);
  EXPECT_EQ(evaluate("100 / 5 / 2"), 10);
  EXPECT_EQ(evaluate("17 % 10 % 4"), 3);
}

TEST(Expression, PowersGoFromRightToLeft) {
  EXPECT_EQ(evaluate("2 ^ 3 ^ 2"), 512);
  EXPECT_EQ(evaluate("(2 ^ 3) ^ 2"), 64);
}

TEST(Expression, PowersBindMoreThanASign) {
  EXPECT_EQ(evaluate("-2 ^ 2"), -4);
  EXPECT_EQ(evaluate("(-2) ^ 2"), 4);
  EXPECT_EQ(evaluate("2 ^ -1"), 0.5);
}

TEST(Expression, SignsMayFollowOneAnother) {
  EXPECT_EQ(evaluate("--3"), 3);
  EXPECT_EQ(evaluate("2 - -3"), 5);
  EXPECT_EQ(evaluate("+-+4"), -4);
}

TEST(Expression, RemainderHasTheSignOfTheDividend) {
  EXPECT_EQ(evaluate("7 % 3"), 1);
  EXPECT_EQ(evaluate("-7 % 3"), -1);
  EXPECT_EQ(evaluate("5.5 % 2"), 1.5);
}

TEST(Expression, FactorialBindsMost) {
  EXPECT_EQ(evaluate("5!"), 120);
  EXPECT_EQ(evaluate("0!"), 1);
  EXPECT_EQ(evaluate("3!!"), 720);
  EXPECT_EQ(evaluate("2 ^ 3!"), 64);
  EXPECT_EQ(evaluate("-3!"), -6);
  EXPECT_EQ(evaluate("22!"), 1124000727777607680000.0);
  EXPECT_DOUBLE_EQ(evaluate("170!"), 7.257415615307994e306);
}

TEST(Expression, KnowsConstants) {
  EXPECT_EQ(evaluate("pi"), 3.141592653589793);
  EXPECT_EQ(evaluate("e"), 2.718281828459045);
  EXPECT_EQ(evaluate("tau"), 6.283185307179586);
}

TEST(Expression, KnowsFunctionsOfOneNumber) {
  EXPECT_EQ(evaluate("sqrt(16)"), 4);
  EXPECT_DOUBLE_EQ(evaluate("cbrt(-27)"), -3);
  EXPECT_EQ(evaluate("abs(-2.5)"), 2.5);
  EXPECT_EQ(evaluate("exp(0)"), 1);
  EXPECT_EQ(evaluate("ln(e)"), 1);
  EXPECT_EQ(evaluate("log(e)"), 1);
  EXPECT_EQ(evaluate("log10(1000)"), 3);
  EXPECT_EQ(evaluate("log2(8)"), 3);
  EXPECT_EQ(evaluate("floor(-1.5)"), -2);
  EXPECT_EQ(evaluate("ceil(1.2)"), 2);
  EXPECT_EQ(evaluate("trunc(-1.7)"), -1);
  EXPECT_EQ(evaluate("round(2.5)"), 3);
}

TEST(Expression, KnowsTrigonometry) {
  EXPECT_DOUBLE_EQ(evaluate("sin(pi / 2)"), 1);
  EXPECT_DOUBLE_EQ(evaluate("cos(pi)"), -1);
  EXPECT_DOUBLE_EQ(evaluate("tan(pi / 4)"), 1);
  EXPECT_DOUBLE_EQ(evaluate("asin(1)"), 1.5707963267948966);
  EXPECT_DOUBLE_EQ(evaluate("acos(0)"), 1.5707963267948966);
  EXPECT_DOUBLE_EQ(evaluate("atan(1)"), 0.7853981633974483);
  EXPECT_DOUBLE_EQ(evaluate("atan2(1, -1)"), 2.356194490192345);
  EXPECT_DOUBLE_EQ(evaluate("sinh(1)"), 1.1752011936438014);
  EXPECT_DOUBLE_EQ(evaluate("cosh(1)"), 1.5430806348152437);
  EXPECT_DOUBLE_EQ(evaluate("tanh(1)"), 0.7615941559557649);
  EXPECT_DOUBLE_EQ(evaluate("sin(rad(30))"), 0.5);
  EXPECT_DOUBLE_EQ(evaluate("deg(pi)"), 180);
}

TEST(Expression, KnowsFunctionsOfSeveralNumbers) {
  EXPECT_EQ(evaluate("min(3, 1, 2)"), 1);
  EXPECT_EQ(evaluate("max(3)"), 3);
  EXPECT_EQ(evaluate("sum(1, 2, 3, 4)"), 10);
  EXPECT_EQ(evaluate("mean(1, 2, 6)"), 3);
  EXPECT_EQ(evaluate("hypot(3, 4)"), 5);
  EXPECT_EQ(evaluate("gcd(12, -18)"), 6);
  EXPECT_EQ(evaluate("log(1000, 10)"), 3);
  EXPECT_EQ(evaluate("log(1024, 2)"), 10);
  EXPECT_EQ(evaluate("log(81, 3)"), 4);
  EXPECT_EQ(evaluate("log(243, 3)"), 5);
  EXPECT_EQ(evaluate("log(125, 5)"), 3);
  EXPECT_EQ(evaluate("log(1/125, 5)"), -3);
  EXPECT_EQ(evaluate("round(3.14159, 2)"), 3.14);
  EXPECT_EQ(evaluate("round(1234, -2)"), 1200);
}

TEST(Expression, RoundLeavesNumbersWithoutMoreDigitsAsTheyAre) {
  EXPECT_EQ(evaluate("round(61971180592589, 4)"), 61971180592589);
  EXPECT_EQ(evaluate("round(417235.63085437, 12)"), 417235.63085437);
  EXPECT_EQ(evaluate("round(4503599627370495.5, 1)"), 4503599627370495.5);
  EXPECT_EQ(evaluate("round(9007199254740993, 0)"), 9007199254740992);
  EXPECT_EQ(evaluate("round(0.1, 300)"), 0.1);
  EXPECT_EQ(evaluate("round(5e-324, 300)"), 0);
  EXPECT_EQ(evaluate("round(1e300, -300)"), 1e300);
  EXPECT_EQ(evaluate("round(1e22, -2)"), 1e22);
}

TEST(Expression, RoundsHalvesOfTheNumberAsWrittenAwayFromZero) {
  EXPECT_EQ(evaluate("round(1.005, 2)"), 1.01);
  EXPECT_EQ(evaluate("round(-2.675, 2)"), -2.68);
  EXPECT_EQ(evaluate("round(2.5, 0)"), 3);
  EXPECT_EQ(evaluate("round(0.49999999999999994, 0)"), 0);
  EXPECT_EQ(evaluate("round(0.05, 0)"), 0);
  EXPECT_EQ(evaluate("round(9.996, 2)"), 10);
  EXPECT_EQ(evaluate("round(1250, -2)"), 1300);
  EXPECT_EQ(evaluate("round(49, -2)"), 0);
  EXPECT_EQ(evaluate("round(61971180592589.016, 2)"), 61971180592589.02);
}

TEST(Expression, MeanIsThereWhereTheSumIsTooLarge) {
  EXPECT_EQ(evaluate("mean(1e308, 1e308)"), 1e308);
  EXPECT_EQ(evaluate("mean(1.7976931348623157e308, 1.7976931348623157e308, 1.7976931348623157e308)"),
            1.7976931348623157e308);
  EXPECT_EQ(evaluate("mean(-1e308, -1e308, -1e308, -1e308)"), -1e308);
  EXPECT_EQ(evaluate("mean(1e308, 1e308, -1e308, -1e308)"), 0);
  EXPECT_EQ(message_of("sum(1e308, 1e308)"), "sum(1e+308, 1e+308) is too large at position 1\nsum(1e308, 1e308)\n^");
}

TEST(Expression, ZeroHasNoSign) {
  EXPECT_FALSE(std::signbit(evaluate("-0")));
  EXPECT_FALSE(std::signbit(evaluate("0 * -1")));
}

TEST(Expression, SyntaxErrorShowsThePlace) {
  EXPECT_EQ(message_of("1 + * 2"),
            "Expected a number at position 5\n"
            "1 + * 2\n"
            "    ^");
  EXPECT_EQ(message_of("1 +"),
            "Expected a number at position 4\n"
            "1 +\n"
            "   ^");
  EXPECT_EQ(message_of("2 pi"),
            "Expected an operator at position 3\n"
            "2 pi\n"
            "  ^");
  EXPECT_EQ(message_of("(1"),
            "Expected \")\" at position 3\n"
            "(1\n"
            "  ^");
  EXPECT_EQ(message_of("1)"),
            "A \")\" without its \"(\" at position 2\n"
            "1)\n"
            " ^");
  EXPECT_EQ(message_of("sin 1"),
            "Expected \"(\" after \"sin\" at position 5\n"
            "sin 1\n"
            "    ^");
  EXPECT_EQ(message_of("max(1; 2)"),
            "Expected \",\" or \")\" at position 6\n"
            "max(1; 2)\n"
            "     ^");
}

TEST(Expression, EmptyTextIsAnError) {
  EXPECT_EQ(message_of(""), "Expected a number at position 1\n\n^");
  EXPECT_EQ(failure_of("  ").position, 3U);
}

TEST(Expression, RefusesWhatIsNoNumber) {
  for (const char* text : {".", "1 2", "1,000", "1_000", "0x1F", "inf", "nan", "1e", "1..2", "@", "$", "\"1\""}) {
    EXPECT_THROW(evaluate(text), ExpressionError) << text;
  }
}

TEST(Expression, RefusesNulInTheMiddle) {
  EXPECT_THROW(evaluate(std::string_view("1+1\0+1", 6)), ExpressionError);
  EXPECT_THROW(evaluate(std::string_view("\0", 1)), ExpressionError);
}

TEST(Expression, PositionCountsCharactersAndNotBytes) {
  EXPECT_EQ(message_of("2 \xC3\x97 3"),
            "Expected an operator at position 3\n"
            "2 \xC3\x97 3\n"
            "  ^");
  EXPECT_EQ(failure_of("\xE2\x88\x92 5").position, 1U);
}

TEST(Expression, CaretStaysBelowItsPlaceInAnExpressionOfSeveralLines) {
  EXPECT_EQ(message_of("1 +\n\n* 2"),
            "Expected a number at position 6\n"
            "1 +  * 2\n"
            "     ^");
}

TEST(Expression, LongExpressionIsShownAroundThePlaceOnly) {
  const std::string many = repeated("1+", 50);
  EXPECT_EQ(message_of(many + "*" + many + "1"), "Expected a number at position 101\n..." + repeated("1+", 20) + "*" +
                                                     repeated("1+", 14) + "1...\n" + std::string(43, ' ') + "^");
}

TEST(Expression, UnknownNameIsToldWithTheKnownOnes) {
  const Failure failure = failure_of("2 * sine(1)");
  EXPECT_EQ(failure.position, 5U);
  EXPECT_TRUE(failure.message.starts_with("Unknown name \"sine\" (there are pi, e, tau, sqrt, cbrt,"))
      << failure.message;
}

TEST(Expression, WrongNumberOfArgumentsIsTold) {
  EXPECT_EQ(message_of("atan2(1)"), "\"atan2\" takes 2 arguments, not 1, at position 1\natan2(1)\n^");
  EXPECT_EQ(message_of("sqrt()"), "\"sqrt\" takes 1 argument, not 0, at position 1\nsqrt()\n^");
  EXPECT_EQ(message_of("log(1,2,3)"), "\"log\" takes 1 or 2 arguments, not 3, at position 1\nlog(1,2,3)\n^");
  EXPECT_EQ(message_of("min()"), "\"min\" takes at least 1 argument, not 0, at position 1\nmin()\n^");
}

TEST(Expression, DivisionByZeroIsToldAtItsOperator) {
  EXPECT_EQ(message_of("1 / 0"), "Division by zero at position 3\n1 / 0\n  ^");
  EXPECT_EQ(message_of("1 / (2 - 2)"), "Division by zero at position 3\n1 / (2 - 2)\n  ^");
  EXPECT_EQ(message_of("5 % 0"), "Division by zero at position 3\n5 % 0\n  ^");
  EXPECT_EQ(message_of("0 ^ -1"), "Division by zero: 0 has no negative power at position 3\n0 ^ -1\n  ^");
}

TEST(Expression, ValuesOutsideOfADomainAreTold) {
  EXPECT_EQ(message_of("sqrt(-1)"), "sqrt(-1) is not defined at position 1\nsqrt(-1)\n^");
  EXPECT_EQ(message_of("ln(0)"), "ln(0) is not defined at position 1\nln(0)\n^");
  EXPECT_EQ(message_of("log(8, 1)"), "log(8, 1) is not defined at position 1\nlog(8, 1)\n^");
  EXPECT_EQ(message_of("1 + acos(2)"), "acos(2) is not defined at position 5\n1 + acos(2)\n    ^");
  EXPECT_EQ(message_of("gcd(1.5, 2)"), "gcd(1.5, 2) is not defined at position 1\ngcd(1.5, 2)\n^");
  EXPECT_EQ(message_of("(-8) ^ 0.5"),
            "A negative number has no power that is not whole at position 6\n(-8) ^ 0.5\n     ^");
  EXPECT_EQ(message_of("2.5!"),
            "A factorial is of a whole number from 0 to 170, not of 2.5, at position 4\n2.5!\n   ^");
  EXPECT_EQ(failure_of("(-1)!").position, 5U);
  EXPECT_EQ(failure_of("171!").position, 4U);
}

TEST(Expression, OverflowIsTold) {
  EXPECT_EQ(message_of("exp(1000)"), "exp(1000) is too large at position 1\nexp(1000)\n^");
  EXPECT_EQ(message_of("10 ^ 400"), "The power is too large at position 4\n10 ^ 400\n   ^");
  EXPECT_EQ(message_of("1e308 * 10"), "The product is too large at position 7\n1e308 * 10\n      ^");
  EXPECT_EQ(message_of("1e308 / 0.01"), "The quotient is too large at position 7\n1e308 / 0.01\n      ^");
  EXPECT_EQ(message_of("1e308 + 1e308"), "The sum is too large at position 7\n1e308 + 1e308\n      ^");
  EXPECT_EQ(message_of("-1e308 - 1e308"), "The difference is too large at position 8\n-1e308 - 1e308\n       ^");
  EXPECT_EQ(message_of("1e999"), "A number beyond what double precision can hold at position 1\n1e999\n^");
}

TEST(Expression, NestingIsBounded) {
  EXPECT_EQ(evaluate(repeated("(", 199) + "1" + repeated(")", 199)), 1);
  EXPECT_EQ(failure_of(repeated("(", 200) + "1" + repeated(")", 200)).position, 201U);
  EXPECT_TRUE(message_of(repeated("(", 4096)).starts_with("Nested more than 200 levels deep at position 201"));
  EXPECT_TRUE(message_of(repeated("-", 4095) + "1").starts_with("Nested more than 200 levels deep"));
  EXPECT_TRUE(message_of(repeated("1^", 2000) + "1").starts_with("Nested more than 200 levels deep"));
  EXPECT_TRUE(message_of(repeated("abs(", 1000) + "1").starts_with("Nested more than 200 levels deep"));
}

TEST(Expression, LengthIsBounded) {
  EXPECT_EQ(evaluate(repeated("1+", 2047) + "12"), 2059);
  EXPECT_TRUE(message_of(std::string(4097, '1')).starts_with("Longer than 4096 bytes at position 4097"));
}

TEST(Expression, LongChainsOfOneLevelAreNoNesting) {
  EXPECT_EQ(evaluate(repeated("1*", 2000) + "7"), 7);
}

}  // namespace
}  // namespace plugins::calculator
