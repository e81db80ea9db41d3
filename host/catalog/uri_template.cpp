#include "catalog/uri_template.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "base/ascii.hpp"
#include "base/uri.hpp"
#include "base/utf8.hpp"
#include "catalog/compared_uri.hpp"

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
  constexpr std::array operators{Form{'.', R"(the operator "." (labels, level 3))"},
                                 Form{';', R"(the operator ";" (path parameters, level 3))"},
                                 Form{'&', R"(the operator "&" (more of a query, level 3))"}};
  for (const auto& [sign, name] : operators) {
    if (inside.starts_with(sign)) return name;
  }
  if (!inside.empty() && std::string_view("=,!@|").find(inside.front()) != std::string_view::npos) {
    return "an operator that RFC 6570 reserves";
  }
  if (inside.find(',') != std::string_view::npos) return "several variables in one expression (level 3)";
  const bool has_operator = inside.starts_with('+') || inside.starts_with('#');
  if (has_operator && inside.ends_with('*')) return R"(the modifier "*" (explode, level 4) after an operator)";
  if (inside.find(':') != std::string_view::npos) return R"(the modifier ":" (prefix, level 4))";
  return std::nullopt;
}

// Nothing: its percent-encoding is broken, or it is no UTF-8.
std::optional<std::string> decoded_value(std::string_view encoded) {
  auto value = percent_decode(encoded);
  return value && is_utf8(*value) ? value : std::nullopt;
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
      if (!result_.query_.empty()) return about("has something after its query, which ends a URI");
      const auto error = rest_.starts_with("{?") ? query()
                         : rest_.front() == '{'  ? expression()
                         : rest_.front() == '*'  ? wildcard()
                                                 : literal();
      if (error) return about(*error);
    }
    return std::move(result_);
  }

 private:
  using Kind = UriTemplate::Kind;
  static constexpr auto unclosed = "has a \"{\" without its \"}\"";
  using Reason = std::optional<std::string>;  // why the template is refused, if it is

  Error about(std::string_view reason) const {
    return fail("the URI template " + in_quotes(result_.original()) + " " + std::string(reason));
  }

  // Takes the expression that comes next. Nothing: it has no end.
  std::optional<std::string_view> take_expression() {
    const auto end = rest_.find('}');
    if (end == std::string_view::npos) return std::nullopt;
    const auto whole = rest_.substr(0, end + 1);
    result_.text_ += whole;
    rest_.remove_prefix(whole.size());
    return whole;
  }

  static std::string bad_name(std::string_view expression, std::string_view whose) {
    return "has the expression " + in_quotes(expression) + ", " + std::string(whose) +
           " is not made of letters, digits, \"_\" and \".\"";
  }

  Reason expression() {
    const auto whole = take_expression();
    if (!whole) return unclosed;
    auto name = whole->substr(1, whole->size() - 2);
    if (name.starts_with('/')) return path(*whole, name.substr(1));
    if (const auto unsupported = unsupported_form(name)) {
      return "has the expression " + in_quotes(*whole) + ", which is " + std::string(*unsupported) +
             "; only {name}, {+name}, {#name}, {name*}, {/name}, {/name*} and {?name,name} are supported";
    }
    auto kind = Kind::segment;
    if (name.starts_with('+') || name.starts_with('#')) {
      kind = Kind::anything;
      if (name.front() == '#') add_literal("#");
      name.remove_prefix(1);
    } else if (name.ends_with('*')) {
      kind = Kind::anything;
      name.remove_suffix(1);
    }
    if (!is_variable_name(name)) return bad_name(*whole, "whose name");
    return add_variable(kind, name);
  }

  Reason path(std::string_view whole, std::string_view names) {
    while (true) {
      auto name = names.substr(0, names.find(','));
      const bool is_last = name.size() == names.size();
      if (!is_last) names.remove_prefix(name.size() + 1);
      const bool is_exploded = name.ends_with('*');
      if (is_exploded) name.remove_suffix(1);
      if (!is_variable_name(name)) return bad_name(whole, "one of whose names");
      add_literal("/");
      if (auto error = add_variable(is_exploded ? Kind::anything : Kind::segment, name); error || is_last) return error;
    }
  }

  Reason query() {
    const auto whole = take_expression();
    if (!whole) return unclosed;
    const auto has_question_mark = [](const auto& part) {
      return part.kind == Kind::literal && part.text.find('?') != std::string::npos;
    };
    if (std::ranges::any_of(result_.parts_, has_question_mark)) return "has a \"?\" before its query";
    auto names = whole->substr(2, whole->size() - 3);
    while (true) {
      const auto name = names.substr(0, names.find(','));
      if (!is_variable_name(name)) return bad_name(*whole, "one of whose names");
      if (has_variable(name)) return twice(name);
      result_.query_.emplace_back(name);
      if (name.size() == names.size()) return std::nullopt;
      names.remove_prefix(name.size() + 1);
    }
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

  bool has_variable(std::string_view name) const {
    const auto same = [name](const auto& part) { return part.kind != Kind::literal && part.text == name; };
    return std::ranges::any_of(result_.parts_, same) || std::ranges::count(result_.query_, name) > 0;
  }

  static std::string twice(std::string_view name) { return "has the variable " + in_quotes(name) + " twice"; }

  Reason add_variable(Kind kind, std::string_view name) {
    auto& parts = result_.parts_;
    if (has_variable(name)) return twice(name);
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
  // `end` is where the template must end: at the end of the URI, or before its query.
  Matches(const std::vector<Part>& parts, const ComparedUri& uri, std::size_t end)
      : uri_(uri), rows_(parts.size() + 1) {
    rows_.back() = UriPositions(uri.text().size());
    rows_.back().insert(position(end));
    for (auto part = parts.size(); part-- > 0;) {
      const auto& [kind, text] = parts[part];
      rows_[part] =
          kind == Kind::literal ? before_literal(text, rows_[part + 1]) : rows_[part + 1].before_run_of(bytes_of(kind));
    }
  }

  // True if the parts from `part` on match the URI from `offset` on.
  bool at(std::size_t part, std::size_t offset) const { return rows_[part].contains(position(offset)); }

  // The largest end that a value beginning at `offset` can have. Expects at(part, offset).
  std::size_t max_value_end(std::size_t part, Kind kind, std::size_t offset) const {
    return uri_.text().size() - rows_[part + 1].first_from(bytes_of(kind).next_gap(position(offset)));
  }

 private:
  std::size_t position(std::size_t offset) const { return uri_.text().size() - offset; }

  // Those that a value of a variable may have.
  const UriPositions& bytes_of(Kind kind) const { return kind == Kind::anything ? uri_.of_any() : uri_.of_segments(); }

  UriPositions before_literal(std::string_view text, UriPositions positions) const {
    for (; !text.empty() && positions.has_room(); text.remove_suffix(1))
      positions.move_to(uri_.of(text.back()));
    return positions;
  }

  const ComparedUri& uri_;
  std::vector<UriPositions> rows_;
};

Result<UriTemplate> UriTemplate::parse(std::string_view text) {
  if (text.empty()) return fail("the URI template is empty");
  if (text.size() > max_template_size) {
    return fail("the URI template is longer than " + std::to_string(max_template_size) + " bytes");
  }
  return UriTemplateParser(text).parse();
}

std::optional<std::map<std::string, std::string>> UriTemplate::match(std::string_view uri) const {
  const auto compared = ComparedUri::read(uri);
  return compared ? match(*compared) : std::nullopt;
}

std::optional<std::map<std::string, std::string>> UriTemplate::match(const ComparedUri& uri) const {
  const auto text = uri.text();
  const auto end = query_.empty() ? text.size() : std::min(text.find('?'), text.size());
  Values values;
  if (!match_path(uri, end, values)) return std::nullopt;
  if (end < text.size() && !match_query(text.substr(end + 1), values)) return std::nullopt;
  return values;
}

bool UriTemplate::match_path(const ComparedUri& uri, std::size_t end, Values& values) const {
  const auto path = uri.text().substr(0, end);
  if (parts_.empty()) return path.empty();
  if (parts_.front().kind == Kind::literal && !path.starts_with(parts_.front().text)) return false;
  const Matches matches(parts_, uri, end);
  if (!matches.at(0, 0)) return false;

  std::size_t offset = 0;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const auto& [kind, text] = parts_[part];
    if (kind == Kind::literal) {
      offset += text.size();
      continue;
    }
    const auto value_end = matches.max_value_end(part, kind, offset);
    auto value = decoded_value(path.substr(offset, value_end - offset));
    if (!value) return false;
    values.emplace(text, *std::move(value));
    offset = value_end;
  }
  return true;
}

bool UriTemplate::match_query(std::string_view query, Values& values) const {
  if (query.find('#') != std::string_view::npos) return false;  // what comes after it is no query
  while (!query.empty()) {
    const auto parameter = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(parameter.size() + 1, query.size()));
    const auto name = percent_decode(parameter.substr(0, parameter.find('=')));
    const auto equals = parameter.find('=');
    auto value = decoded_value(equals == std::string_view::npos ? "" : parameter.substr(equals + 1));
    if (!name || !value || std::ranges::count(query_, *name) == 0) return false;
    if (!values.emplace(*name, *std::move(value)).second) return false;
  }
  return true;
}

std::vector<std::string> UriTemplate::variables() const {
  std::vector<std::string> names;
  for (const auto& part : parts_) {
    if (part.kind != Kind::literal) names.push_back(part.text);
  }
  names.insert(names.end(), query_.begin(), query_.end());
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
    // Each byte of a literal may be three of the normalized one.
    return std::tuple(3 * max_template_size - t.literal_size(), t.count(Kind::segment) + wide + t.query_.size(), wide);
  };
  return rank(*this) < rank(other);
}

}  // namespace mcph
