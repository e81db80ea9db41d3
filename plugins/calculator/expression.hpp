// The value of an arithmetic expression. A pure function: any thread may call it. What an expression may cost is
// bounded by its length and by how deep it nests.
#pragma once

#include <cstddef>
#include <string_view>

#include "calculator/expression_error.hpp"

namespace plugins::calculator {

inline constexpr std::size_t max_expression_size = 4096;  // bytes

// Parentheses, signs and powers of powers inside one another. The parser recurses once for each.
inline constexpr int max_nesting = 200;

// Never infinite, not a number, or a negative zero. Throws ExpressionError.
double evaluate(std::string_view expression);

}  // namespace plugins::calculator
