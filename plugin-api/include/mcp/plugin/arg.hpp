// mcp::arg names one parameter of a tool's callable, or one argument of a prompt, and says what it means and what it
// may be. The same modifiers as mcp::field; the difference is that an Arg is made while setup runs, so that its bounds
// and choices may come from the configuration. A modifier that does not fit the parameter's type, or contradicts
// another, makes setup fail, in words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin/detail/scalar.hpp>

namespace mcp {

class Arg {
 public:
  Arg(std::string_view name, std::string_view description) : name_(name), description_(description) {}

  /// For prompts, whose arguments need not be given unless they are required. A tool's parameter is required unless it
  /// is a std::optional or has a default.
  Arg& required() {
    required_ = true;
    return *this;
  }

  /// A name for people, where the name itself is for programs. Shown for the arguments of prompts.
  Arg& title(std::string_view title) {
    title_ = title;
    return *this;
  }

  template <class T>
  Arg& min(T bound) {
    return set("minimum", detail::scalar_text(detail::scalar(bound)));
  }
  template <class T>
  Arg& max(T bound) {
    return set("maximum", detail::scalar_text(detail::scalar(bound)));
  }
  Arg& min_length(std::size_t length) { return set("minLength", std::to_string(length)); }
  Arg& max_length(std::size_t length) { return set("maxLength", std::to_string(length)); }
  /// A regular expression (ECMA-262) that the text must contain a match of. Not for prompts.
  Arg& pattern(std::string_view expression) { return set("pattern", detail::scalar_text(expression)); }
  Arg& min_items(std::size_t count) { return set("minItems", std::to_string(count)); }
  Arg& max_items(std::size_t count) { return set("maxItems", std::to_string(count)); }

  /// Clients of HTTP repeat the value in the header Mcp-Param-NAME, where proxies can read it; the host checks that the
  /// two agree. For a tool's texts, integers and bools, and never for a secret.
  Arg& header(std::string_view name) { return set("x-mcp-header", detail::scalar_text(name)); }

  template <class T>
  Arg& default_value(const T& value) {
    return set("default", detail::scalar_text(detail::scalar(value)));
  }

  /// What a prompt's argument may be is also what clients are offered to fill in.
  template <class... T>
  Arg& one_of(const T&... values) {
    return choices({detail::scalar_text(detail::scalar(values))...});
  }
  Arg& one_of(const std::vector<std::string>& values);

  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  const std::string& title() const { return title_; }
  bool is_required() const { return required_; }

  struct Keyword {
    std::string name;
    std::string json;
  };
  /// The keywords of JSON Schema that the modifiers set, in the order in which they did.
  const std::vector<Keyword>& keywords() const { return keywords_; }
  /// The default as JSON text, empty if there is none.
  std::string_view default_json() const { return keyword_json("default"); }
  /// What one_of allows as JSON text, empty if it was not said.
  std::string_view choices_json() const { return keyword_json("enum"); }

 private:
  Arg& set(std::string_view keyword, std::string json);
  Arg& choices(const std::vector<std::string>& json);
  std::string_view keyword_json(std::string_view keyword) const;

  std::string name_;
  std::string description_;
  std::string title_;
  std::vector<Keyword> keywords_;
  bool required_ = false;
};

inline Arg arg(std::string_view name, std::string_view description = {}) {
  return Arg(name, description);
}

}  // namespace mcp
