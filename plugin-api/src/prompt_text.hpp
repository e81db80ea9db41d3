// A prompt that is a text with {placeholders}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin/variables.hpp>

namespace mcp::detail {

/// `{name}` is a placeholder, where a name is made of letters, digits, _ . and -. `{{` and `}}` are braces, and so are
/// two braces around anything else, such as `{"a": 1}`.
class PromptText {
 public:
  /// Throws std::invalid_argument that says where a brace is without its other one: it was meant for a placeholder, or
  /// to be doubled.
  explicit PromptText(std::string_view text);

  /// Each name once, in the order of their first appearance.
  const std::vector<std::string>& placeholders() const { return placeholders_; }

  std::string filled(const Arguments& arguments) const;

 private:
  struct Piece {
    std::string text;
    bool is_placeholder;
  };

  void add_text(std::string_view text);
  void add_placeholder(std::string_view name);

  std::vector<Piece> pieces_;
  std::vector<std::string> placeholders_;
};

}  // namespace mcp::detail
