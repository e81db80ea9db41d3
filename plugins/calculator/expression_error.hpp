// ExpressionError: why an expression has no value, and where. what() is for whoever wrote the expression: the reason
// with its position, the expression around it, and a caret below the place.
#pragma once

#include <cstddef>
#include <string_view>

#include <mcp/plugin/error.hpp>

namespace plugins::calculator {

class ExpressionError : public mcp::ToolError {
 public:
  // `offset` in bytes from the beginning of `expression`.
  ExpressionError(std::string_view reason, std::string_view expression, std::size_t offset);

  // In characters, from 1.
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

}  // namespace plugins::calculator
