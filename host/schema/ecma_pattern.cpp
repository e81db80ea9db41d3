#include "schema/ecma_pattern.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "schema/unicode_property.hpp"

namespace mcph::schema {
namespace {

// \s of ECMA-262, its WhiteSpace and LineTerminator, and the rest of Unicode; PCRE2's own is ASCII.
constexpr std::string_view white_space =
    R"(\x{9}-\x{D}\x{20}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF})";
constexpr std::string_view not_white_space =
    R"(\x{0}-\x{8}\x{E}-\x{1F}\x{21}-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E})"
    R"(\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF})";
constexpr std::string_view any_but_line_end = R"([^\x{A}\x{D}\x{2028}\x{2029}])";

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

std::string code_point_escape(std::uint32_t code_point) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), code_point, 16).ptr;
  return "\\x{" + std::string(digits.data(), end) + "}";
}

// The capturing groups, which references may name before they stand there.
struct Groups {
  std::size_t count = 0;
  std::map<std::string, std::size_t, std::less<>> numbers;
  bool are_referred_to = false;
};

Groups find_groups(std::string_view source) {
  Groups groups;
  bool in_class = false;
  for (std::size_t at = 0; at < source.size(); ++at) {
    const auto rest = source.substr(at + 1);
    switch (source[at]) {
      case '\\':
        if (!in_class && !rest.empty() && (rest[0] == 'k' || (rest[0] >= '1' && rest[0] <= '9'))) {
          groups.are_referred_to = true;
        }
        ++at;
        break;
      case '[':
        in_class = true;
        break;
      case ']':
        in_class = false;
        break;
      case '(': {
        if (in_class) break;
        const bool is_named = rest.starts_with("?<") && !rest.starts_with("?<=") && !rest.starts_with("?<!");
        if (rest.starts_with('?') && !is_named) break;
        ++groups.count;
        if (is_named) groups.numbers.emplace(rest.substr(2, rest.find('>') - 2), groups.count);
        break;
      }
      default:
        break;
    }
  }
  return groups;
}

class Translation {
 public:
  explicit Translation(std::string_view source) : source_(source), groups_(find_groups(source)) {}

  Result<std::string> run() {
    while (at_ < source_.size()) {
      if (auto read = read_term(); !read) return read.error();
    }
    if (depth_ > 0) return error("a group has no end");
    return std::move(out_);
  }

 private:
  // What an escape stands for: one character, or a set of them in PCRE2's words.
  struct Atom {
    std::optional<std::uint32_t> character;
    std::string set;  // for use in a class
  };

  Error error(std::string_view reason) const {
    return fail(std::string(reason) + ", at byte " + std::to_string(std::min(at_, source_.size())));
  }

  bool take(std::string_view text) {
    if (!source_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }

  Result<void> read_term() {
    switch (source_[at_]) {
      case '(':
        return read_group();
      case ')':
        if (depth_ == 0) return error("there is a \")\" without its \"(\"");
        --depth_;
        return copy(true);
      case '[':
        return read_class();
      case '*':
      case '+':
      case '?':
        return read_quantifier(1);
      case '{':
        if (const auto size = braces_size(); size > 0) return read_quantifier(size);
        return read_character();
      case '|':
      case '^':
        return copy(false);
      case '$':
        ++at_;
        return append("\\z", false);
      case '.':
        ++at_;
        return append(any_but_line_end, true);
      case '\\':
        ++at_;
        return read_escape();
      default:
        return read_character();
    }
  }

  Result<void> append(std::string_view text, bool can_be_repeated) {
    out_ += text;
    can_be_repeated_ = can_be_repeated;
    return {};
  }

  Result<void> copy(bool can_be_repeated) { return append(source_.substr(at_++, 1), can_be_repeated); }

  Result<void> read_character() {
    auto character = read_code_point();
    if (!character) return character.error();
    return append(code_point_escape(*character), true);
  }

  // Of UTF-8. What is not is left to PCRE2, which refuses it.
  Result<std::uint32_t> read_code_point() {
    const auto first = static_cast<unsigned char>(source_[at_]);
    const std::size_t size = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if ((first >= 0x80 && size == 1) || at_ + size > source_.size()) return error("it is not UTF-8");
    std::uint32_t code_point = size == 1 ? first : first & (0x7FU >> size);
    for (std::size_t index = 1; index < size; ++index) {
      code_point = code_point << 6 | (static_cast<unsigned char>(source_[at_ + index]) & 0x3FU);
    }
    at_ += size;
    return code_point;
  }

  Result<void> read_group() {
    ++at_;
    ++depth_;
    for (const std::string_view kind : {"?:", "?=", "?!", "?<=", "?<!"}) {
      if (take(kind)) return append("(" + std::string(kind), false);
    }
    if (take("?<")) {
      const auto end = source_.find('>', at_);
      if (end == std::string_view::npos || end == at_) return error("a group's name has no end");
      at_ = end + 1;
    } else if (source_.substr(at_).starts_with('?')) {
      return error("ECMA-262 has no group that begins with \"(" + std::string(source_.substr(at_, 2)) + "\"");
    }
    // PCRE2 need not remember what nobody refers to.
    return append(groups_.are_referred_to ? "(" : "(?:", false);
  }

  // The size of `{2}`, `{2,}` or `{2,3}`; 0 for anything else.
  std::size_t braces_size() const {
    const auto text = source_.substr(at_);
    std::size_t size = 1;
    while (size < text.size() && is_digit(text[size])) {
      ++size;
    }
    if (size == 1) return 0;
    if (size < text.size() && text[size] == ',') ++size;
    while (size < text.size() && is_digit(text[size])) {
      ++size;
    }
    return size < text.size() && text[size] == '}' ? size + 1 : 0;
  }

  Result<void> read_quantifier(std::size_t size) {
    if (!can_be_repeated_) return error("there is nothing to repeat");
    out_ += source_.substr(at_, size);
    at_ += size;
    if (take("?")) out_ += '?';
    can_be_repeated_ = false;
    return {};
  }

  Result<void> read_escape() {
    if (at_ == source_.size()) return error("it ends in \"\\\"");
    const char c = source_[at_];
    if (c == 'b' || c == 'B') {
      ++at_;
      return append(c == 'b' ? "\\b" : "\\B", false);
    }
    if (c >= '1' && c <= '9') return read_numbered_reference();
    if (c == 'k') return read_named_reference();
    auto atom = read_atom_escape();
    if (!atom) return atom.error();
    if (atom->character) return append(code_point_escape(*atom->character), true);
    return append("[" + atom->set + "]", true);
  }

  Result<void> read_numbered_reference() {
    std::size_t number = 0;
    const auto* const begin = source_.data() + at_;
    const auto end = std::from_chars(begin, source_.data() + source_.size(), number).ptr;
    if (number > groups_.count) return error("it refers to a group that it does not have");
    at_ += static_cast<std::size_t>(end - begin);
    return append("\\g{" + std::to_string(number) + "}", true);
  }

  Result<void> read_named_reference() {
    const auto end = source_.find('>', at_);
    if (!source_.substr(at_).starts_with("k<") || end == std::string_view::npos) return error("\"\\k\" needs <a name>");
    const auto group = groups_.numbers.find(source_.substr(at_ + 2, end - at_ - 2));
    if (group == groups_.numbers.end()) return error("it refers to a group that it does not have");
    at_ = end + 1;
    return append("\\g{" + std::to_string(group->second) + "}", true);
  }

  // What means the same in a class and outside of it. Expects the place after the backslash.
  Result<Atom> read_atom_escape() {
    const char c = source_[at_];
    if (!is_ascii(c) || !(is_letter(c) || is_digit(c))) {
      const auto character = read_code_point();
      if (!character) return character.error();
      return Atom{*character, {}};
    }
    ++at_;
    switch (c) {
      case 'd':
      case 'D':
      case 'w':
      case 'W':
        return Atom{std::nullopt, std::string("\\") + c};
      case 's':
        return Atom{std::nullopt, std::string(white_space)};
      case 'S':
        return Atom{std::nullopt, std::string(not_white_space)};
      case 't':
        return Atom{'\t', {}};
      case 'n':
        return Atom{'\n', {}};
      case 'v':
        return Atom{'\v', {}};
      case 'f':
        return Atom{'\f', {}};
      case 'r':
        return Atom{'\r', {}};
      case '0':
        if (at_ < source_.size() && is_digit(source_[at_])) break;
        return Atom{0, {}};
      case 'c':
        if (at_ == source_.size() || !is_letter(source_[at_])) break;
        return Atom{static_cast<std::uint32_t>(source_[at_++]) & 0x1FU, {}};
      case 'x':
      case 'u':
        return read_hexadecimal_escape(c);
      case 'p':
      case 'P':
        return read_property(c == 'P');
      default:
        break;
    }
    return error(std::string("ECMA-262 has no escape \"\\") + c + "\"");
  }

  std::optional<std::uint32_t> take_hexadecimal(std::size_t digits) {
    if (at_ + digits > source_.size()) return std::nullopt;
    std::uint32_t number = 0;
    const auto* const begin = source_.data() + at_;
    const auto [end, failure] = std::from_chars(begin, begin + digits, number, 16);
    if (failure != std::errc() || end != begin + digits) return std::nullopt;
    at_ += digits;
    return number;
  }

  Result<Atom> read_hexadecimal_escape(char kind) {
    std::optional<std::uint32_t> number;
    if (kind == 'x') {
      number = take_hexadecimal(2);
    } else if (take("{")) {
      const auto end = source_.find('}', at_);
      if (end != std::string_view::npos && end - at_ >= 1 && end - at_ <= 8) number = take_hexadecimal(end - at_);
      if (number && !take("}")) number.reset();
    } else {
      number = take_hexadecimal(4);
      if (number && *number >= 0xD800 && *number < 0xDC00 && take("\\u")) {
        const auto low = take_hexadecimal(4);
        if (!low || *low < 0xDC00 || *low > 0xDFFF) return error("a surrogate has no other half");
        number = 0x10000 + ((*number - 0xD800) << 10) + (*low - 0xDC00);
      }
    }
    if (!number) return error(std::string("\"\\") + kind + "\" needs hexadecimal digits");
    if (*number > 0x10FFFF || (*number >= 0xD800 && *number <= 0xDFFF)) return error("this is no Unicode character");
    return Atom{*number, {}};
  }

  Result<Atom> read_property(bool is_negated) {
    const auto end = source_.find('}', at_);
    if (!take("{") || end == std::string_view::npos) return error("a Unicode property needs {a name}");
    const auto property = pcre_property(source_.substr(at_, end - at_));
    if (!property) return error("ECMA-262 has no Unicode property of this name");
    at_ = end + 1;
    return Atom{std::nullopt, (is_negated ? "\\P{" : "\\p{") + *property + "}"};
  }

  Result<void> read_class() {
    ++at_;
    const bool is_negated = take("^");
    if (take("]")) return append(is_negated ? "(?s:.)" : "(?!)", true);
    out_ += is_negated ? "[^" : "[";
    while (!take("]")) {
      if (auto read = read_class_range(); !read) return read.error();
    }
    return append("]", true);
  }

  // One character, one set, or a range of characters.
  Result<void> read_class_range() {
    const auto first = read_class_atom();
    if (!first) return first.error();
    append_to_class(*first);
    const auto rest = source_.substr(at_);
    if (rest.size() < 2 || rest[0] != '-' || rest[1] == ']') return {};
    ++at_;
    const auto last = read_class_atom();
    if (!last) return last.error();
    if (!first->character || !last->character) {
      out_ += "\\-";
    } else if (*first->character > *last->character) {
      return error("a range of characters is out of order");
    } else {
      out_ += '-';
    }
    append_to_class(*last);
    return {};
  }

  Result<Atom> read_class_atom() {
    if (at_ == source_.size()) return error("a class has no \"]\"");
    if (!take("\\")) {
      const auto character = read_code_point();
      if (!character) return character.error();
      return Atom{*character, {}};
    }
    if (at_ == source_.size()) return error("it ends in \"\\\"");
    if (take("b")) return Atom{'\b', {}};
    return read_atom_escape();
  }

  void append_to_class(const Atom& atom) { out_ += atom.character ? code_point_escape(*atom.character) : atom.set; }

  std::string_view source_;
  Groups groups_;
  std::string out_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool can_be_repeated_ = false;
};

}  // namespace

Result<std::string> to_pcre(std::string_view ecma) {
  return Translation(ecma).run();
}

}  // namespace mcph::schema
