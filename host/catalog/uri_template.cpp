#include "catalog/uri_template.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "base/ascii.hpp"
#include "base/uri.hpp"
#include "base/utf8.hpp"

namespace mcph {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7F';
}

// RFC 6570 section 2.3.
bool is_variable_name(std::string_view name) {
  const auto allowed = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '%'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), allowed) && percent_decode(name).has_value() &&
         !name.starts_with('.') && !name.ends_with('.') && name.find("..") == std::string_view::npos;
}

// What an expression of level 3 or 4 is called (RFC 6570 sections 2.2 to 2.4), or one that the RFC keeps for later;
// nothing for what this host matches. `inside` is what stands between the braces.
std::optional<std::string_view> unsupported_form(std::string_view inside) {
  struct Form {
    char sign;
    std::string_view name;
  };
  constexpr std::array operators{
      Form{'.', R"(the operator "." (labels, level 3))"}, Form{'/', R"(the operator "/" (path segments, level 3))"},
      Form{';', R"(the operator ";" (path parameters, level 3))"}, Form{'?', R"(the operator "?" (a query, level 3))"},
      Form{'&', R"(the operator "&" (more of a query, level 3))"}};
  for (const auto& [sign, name] : operators) {
    if (inside.starts_with(sign)) return name;
  }
  if (!inside.empty() && std::string_view("=,!@|").find(inside.front()) != std::string_view::npos) {
    return "an operator that RFC 6570 reserves";
  }
  if (inside.find(',') != std::string_view::npos) return "several variables in one expression (level 3)";
  if (inside.ends_with('*')) return R"(the modifier "*" (explode, level 4))";
  if (inside.find(':') != std::string_view::npos) return R"(the modifier ":" (prefix, level 4))";
  return std::nullopt;
}

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

}  // namespace

// Splits a template's text into parts, from left to right.
class UriTemplateParser {
 public:
  explicit UriTemplateParser(std::string_view text) : rest_(text), result_(text) {}

  Result<UriTemplate> parse() {
    while (!rest_.empty()) {
      const auto error = rest_.front() == '{' ? expression() : rest_.front() == '*' ? wildcard() : literal();
      if (error) return about(*error);
    }
    return std::move(result_);
  }

 private:
  using Kind = UriTemplate::Kind;
  using Reason = std::optional<std::string>;  // why the template is refused, if it is

  Error about(std::string_view reason) const {
    return fail("the URI template " + in_quotes(result_.original()) + " " + std::string(reason));
  }

  Reason expression() {
    const auto end = rest_.find('}');
    if (end == std::string_view::npos) return "has a \"{\" without its \"}\"";
    const auto whole = rest_.substr(0, end + 1);
    result_.text_ += whole;
    auto name = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);

    if (const auto unsupported = unsupported_form(name)) {
      return "has the expression " + in_quotes(whole) + ", which is " + std::string(*unsupported) +
             "; only {name}, {+name} and {#name} of levels 1 and 2 are supported";
    }
    auto kind = Kind::segment;
    if (name.starts_with('+') || name.starts_with('#')) {
      kind = Kind::anything;
      if (name.front() == '#') add_literal("#");
      name.remove_prefix(1);
    }
    if (!is_variable_name(name)) {
      return "has the expression " + in_quotes(whole) + ", whose name is not made of letters, digits, \"_\" and \".\"";
    }
    return add_variable(kind, name);
  }

  Reason wildcard() {
    rest_.remove_prefix(1);
    result_.text_ += '*';
    return add_variable(Kind::anything, "*");
  }

  Reason literal() {
    const auto text = rest_.substr(0, rest_.find_first_of("{*"));
    if (text.find('}') != std::string_view::npos) return "has a \"}\" without its \"{\"";
    if (std::any_of(text.begin(), text.end(), is_control)) return "has a control character";
    if (!percent_decode(text)) return "has a \"%\" that is not followed by two hexadecimal digits";
    add_literal(text);
    result_.text_ += encoded_uri(text).value_or(std::string(text));
    rest_.remove_prefix(text.size());
    return std::nullopt;
  }

  void add_literal(std::string_view text) {
    auto& parts = result_.parts_;
    if (parts.empty() || parts.back().kind != Kind::literal) parts.push_back({Kind::literal, {}});
    parts.back().text += normalized_uri(text);
  }

  Reason add_variable(Kind kind, std::string_view name) {
    auto& parts = result_.parts_;
    const auto same = [name](const auto& part) { return part.kind != Kind::literal && part.text == name; };
    if (std::any_of(parts.begin(), parts.end(), same)) return "has the variable " + in_quotes(name) + " twice";
    if (!parts.empty() && parts.back().kind != Kind::literal) {
      return "has no text between the variables " + in_quotes(parts.back().text) + " and " + in_quotes(name) +
             ", so a URI cannot be split into their values";
    }
    parts.push_back({kind, std::string(name)});
    return std::nullopt;
  }

  std::string_view rest_;
  UriTemplate result_;
};

// Which ends of the template match which ends of the URI, filled from the right in one pass a part. With it the split
// is found from left to right without ever trying a way that fails later: this is what bounds the time of a match.
class UriTemplate::Matches {
 public:
  Matches(const std::vector<Part>& parts, std::string_view uri)
      : uri_(uri), row_size_(uri.size() + 1), table_((parts.size() + 1) * row_size_) {
    set(parts.size(), uri.size());
    for (auto part = parts.size(); part-- > 0;) {
      if (parts[part].kind == Kind::literal) {
        fill_literal(part, parts[part].text);
      } else {
        fill_variable(part, parts[part].kind);
      }
    }
  }

  // True if the parts from `part` on match the URI from `offset` on.
  bool at(std::size_t part, std::size_t offset) const { return table_[part * row_size_ + offset]; }

  // The largest end that a value beginning at `offset` can have. Expects at(part, offset).
  std::size_t max_value_end(std::size_t part, Kind kind, std::size_t offset) const {
    auto longest = offset;
    for (auto end = offset; end < uri_.size() && may_be_in(kind, uri_[end]);) {
      if (at(part + 1, ++end)) longest = end;
    }
    return longest;
  }

 private:
  static bool may_be_in(Kind kind, char c) { return kind == Kind::anything || (c != '/' && c != '?' && c != '#'); }

  void set(std::size_t part, std::size_t offset) { table_[part * row_size_ + offset] = true; }

  void fill_literal(std::size_t part, std::string_view text) {
    for (std::size_t offset = 0; offset + text.size() <= uri_.size(); ++offset) {
      if (at(part + 1, offset + text.size()) && uri_.substr(offset).starts_with(text)) set(part, offset);
    }
  }

  void fill_variable(std::size_t part, Kind kind) {
    bool reaches_an_end = false;
    for (auto offset = uri_.size(); offset-- > 0;) {
      reaches_an_end = may_be_in(kind, uri_[offset]) && (reaches_an_end || at(part + 1, offset + 1));
      if (reaches_an_end) set(part, offset);
    }
  }

  std::string_view uri_;
  std::size_t row_size_;
  std::vector<bool> table_;
};

Result<UriTemplate> UriTemplate::parse(std::string_view text) {
  if (text.empty()) return fail("the URI template is empty");
  if (text.size() > max_template_size) {
    return fail("the URI template is longer than " + std::to_string(max_template_size) + " bytes");
  }
  return UriTemplateParser(text).parse();
}

std::optional<std::map<std::string, std::string>> UriTemplate::match(std::string_view uri) const {
  if (uri.size() > max_uri_size) return std::nullopt;
  std::string storage;
  uri = normalized_uri(uri, storage);
  if (uri.size() > max_uri_size) return std::nullopt;
  if (parts_.front().kind == Kind::literal && !uri.starts_with(parts_.front().text)) return std::nullopt;
  const Matches matches(parts_, uri);
  if (!matches.at(0, 0)) return std::nullopt;

  std::map<std::string, std::string> values;
  std::size_t offset = 0;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const auto& [kind, text] = parts_[part];
    if (kind == Kind::literal) {
      offset += text.size();
      continue;
    }
    const auto end = matches.max_value_end(part, kind, offset);
    auto value = percent_decode(uri.substr(offset, end - offset));
    if (!value || !is_utf8(*value)) return std::nullopt;
    values.emplace(text, *std::move(value));
    offset = end;
  }
  return values;
}

std::vector<std::string> UriTemplate::variables() const {
  std::vector<std::string> names;
  for (const auto& part : parts_) {
    if (part.kind != Kind::literal) names.push_back(part.text);
  }
  return names;
}

std::size_t UriTemplate::literal_size() const {
  return std::accumulate(parts_.begin(), parts_.end(), std::size_t{0}, [](std::size_t sum, const Part& part) {
    return sum + (part.kind == Kind::literal ? part.text.size() : 0);
  });
}

std::size_t UriTemplate::count(Kind kind) const {
  return static_cast<std::size_t>(
      std::count_if(parts_.begin(), parts_.end(), [kind](const Part& part) { return part.kind == kind; }));
}

bool UriTemplate::more_specific_than(const UriTemplate& other) const {
  const auto rank = [](const UriTemplate& t) {
    const auto wide = t.count(Kind::anything);
    return std::tuple(max_template_size - t.literal_size(), t.count(Kind::segment) + wide, wide);
  };
  return rank(*this) < rank(other);
}

}  // namespace mcph
