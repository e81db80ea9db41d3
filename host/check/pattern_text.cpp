#include "check/pattern_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace mcph {
namespace {

constexpr std::size_t max_repeats = 256;

// Writes the text while it reads the pattern: of each choice the first one, of each count the least.
class PatternText {
 public:
  explicit PatternText(std::string_view pattern) : pattern_(pattern) {}

  std::string write() { return alternatives(); }

 private:
  bool at_end() const { return at_ >= pattern_.size(); }
  char peek() const { return at_end() ? '\0' : pattern_[at_]; }
  char next() { return at_end() ? '\0' : pattern_[at_++]; }
  bool take(char wanted) {
    if (at_end() || pattern_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  std::string alternatives() {
    auto text = sequence();
    while (take('|'))
      sequence();
    return text;
  }

  std::string sequence() {
    std::string text;
    while (!at_end() && peek() != '|' && peek() != ')') {
      const auto one = atom();
      for (auto left = count(); left > 0; --left)
        text += one;
    }
    return text;
  }

  std::string atom() {
    const char c = next();
    if (c == '^' || c == '$') return {};
    if (c == '.') return "a";
    if (c == '[') return one_of_class();
    if (c == '\\') return escaped();
    if (c != '(') return {c};
    if (take('?')) skip_kind_of_group();
    auto text = alternatives();
    take(')');
    return text;
  }

  // (?:...) and (?<name>...)
  void skip_kind_of_group() {
    if (!take('<')) {
      next();
      return;
    }
    while (!at_end() && next() != '>') {
    }
  }

  static char example_of_class(char letter) {
    switch (letter) {
      case 'd':
        return '0';
      case 's':
        return ' ';
      case 'D':
      case 'w':
      case 'S':
        return 'a';
      case 'W':
        return '-';
      case 'n':
        return '\n';
      case 't':
        return '\t';
      default:
        return letter;
    }
  }

  std::string escaped() {
    const char letter = next();
    if (letter == 'b' || letter == 'B') return {};
    return {example_of_class(letter)};
  }

  // The first that it names, or, where it names what is not wanted, the first that it does not.
  std::string one_of_class() {
    const bool negated = take('^');
    std::string members;
    while (!at_end() && peek() != ']') {
      const char c = next();
      members += c == '\\' ? example_of_class(next()) : c;
    }
    take(']');
    if (!negated) return members.empty() ? members : members.substr(0, 1);
    constexpr std::string_view usual = "a0-_ b1Z";
    const auto other = std::ranges::find_if(usual, [&](char c) { return members.find(c) == members.npos; });
    return other == usual.end() ? "" : std::string(1, *other);
  }

  std::size_t count() {
    std::size_t least = 1;
    if (take('*') || take('?')) {
      least = 0;
    } else if (peek() == '{' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] >= '0' && pattern_[at_ + 1] <= '9') {
      const auto* const begin = pattern_.data() + at_ + 1;
      std::from_chars(begin, pattern_.data() + pattern_.size(), least);
      while (!at_end() && next() != '}') {
      }
    } else {
      take('+');
    }
    take('?');
    return std::min(least, max_repeats);
  }

  const std::string_view pattern_;
  std::size_t at_ = 0;
};

}  // namespace

std::string text_matching(std::string_view pattern) {
  return PatternText(pattern).write();
}

}  // namespace mcph
