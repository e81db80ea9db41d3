// TextTemplate: a text with places for values, "Hello {name}": {name} stands for the value of that name, {{ and }} for
// braces. An immutable value.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plugins {

class TextTemplate {
 public:
  struct Part {
    std::string text;  // of a literal, or the name of a value
    bool is_value;
  };
  // Nothing: there is no such value.
  using Values = std::function<std::optional<std::string>(const std::string& name)>;

  // Throws std::invalid_argument for a brace that is neither doubled nor around a name, with its place. Names are made
  // of letters, digits, "_", "-" and ".".
  explicit TextTemplate(std::string_view text);

  const std::vector<Part>& parts() const { return parts_; }
  std::vector<std::string> names() const;
  // It is {name} and nothing else.
  bool is_one_value() const { return parts_.size() == 1 && parts_.front().is_value; }

  // Nothing if one of the values is missing.
  std::optional<std::string> filled(const Values& values) const;

 private:
  void add_literal(std::string_view text);

  std::vector<Part> parts_;
};

}  // namespace plugins
