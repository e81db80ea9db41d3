// What a handler of a resource or of a prompt is given: named texts.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mcp {

/// The URI that is being read, with the variables of the template that matched it.
class Uri {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  explicit Uri(std::string text, Variables variables = {}) : text_(std::move(text)), variables_(std::move(variables)) {}

  /// The whole URI.
  const std::string& text() const { return text_; }

  /// A variable, decoded. `*` of a wildcard such as docs://* is named "*". Throws std::out_of_range for one that the
  /// template does not have.
  const std::string& operator[](std::string_view variable) const;
  bool has(std::string_view variable) const { return variables_.contains(variable); }
  /// A variable, decoded, or `fallback` if the template does not have it: for a handler that several templates share.
  std::string value_or(std::string_view variable, std::string_view fallback) const;

 private:
  std::string text_;
  Variables variables_;
};

/// The arguments of a prompt.
class Arguments {
 public:
  using Values = std::map<std::string, std::string, std::less<>>;

  /// `declared` are the names that the prompt has besides those that were given.
  explicit Arguments(Values given, std::vector<std::string> declared = {})
      : given_(std::move(given)), declared_(std::move(declared)) {}

  /// The argument, or an empty text if it was not given. Throws std::out_of_range for one that the prompt does not
  /// have.
  const std::string& operator[](std::string_view name) const;
  bool has(std::string_view name) const { return given_.contains(name); }
  std::string value_or(std::string_view name, std::string_view fallback) const;

 private:
  Values given_;
  std::vector<std::string> declared_;
  std::string absent_;
};

}  // namespace mcp
