#include "http/url_template.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "http/argument_text.hpp"

namespace plugins::http {
namespace {

using mcp::Json;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_name_character(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.';
}

bool is_host_character(char c) {
  return is_letter_or_digit(c) || c == '.' || c == '-' || c == ':' || c == '[' || c == ']';
}

// Each of an array, or the one.
std::vector<std::string> texts_of(const std::string& name, const Json& value) {
  if (!value.is_array()) return {argument_text(name, value)};
  std::vector<std::string> texts;
  for (const auto& item : value)
    texts.push_back(argument_text(name, item));
  return texts;
}

std::string encoded_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const auto& text : texts)
    list += percent_encoded(text) + ',';
  if (!list.empty()) list.pop_back();
  return list;
}

// "." and ".." are taken out of a path, with the segment before, by whoever reads it.
void require_plain_path(std::string_view path) {
  for (path = path.substr(0, path.find('?')); !path.empty();) {
    const auto slash = std::min(path.find('/'), path.size());
    const auto segment = path.substr(0, slash);
    if (segment == "." || segment == "..") {
      throw mcp::ToolError("An argument must not make \"" + std::string(segment) + "\" a segment of the URL's path.");
    }
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view unreserved_marks = "-._~";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_letter_or_digit(c) || unreserved_marks.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      ((encoded += '%') += digits[byte >> 4U]) += digits[byte & 0xFU];
    }
  }
  return encoded;
}

UrlTemplate::UrlTemplate(std::string_view text) {
  set_origin(text);
  for (auto rest = text.substr(origin_.size()); !rest.empty();) {
    const auto brace = std::min(rest.find_first_of("{}"), rest.size());
    add_literal(rest.substr(0, brace));
    rest.remove_prefix(brace);
    if (rest.empty()) break;
    const auto end = rest.find('}');
    if (rest.front() == '}' || end == std::string_view::npos)
      throw std::invalid_argument("has a brace without its other");
    add_expression(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
  }
}

void UrlTemplate::set_origin(std::string_view text) {
  const bool is_http = text.starts_with("http://") || text.starts_with("https://");
  if (!is_http) throw std::invalid_argument("must begin with https:// or http://");
  const auto begin = text.find("//") + 2;
  const auto end = std::min(text.find_first_of("/?#{}\\", begin), text.size());
  const auto host = text.substr(begin, end - begin);
  const auto rest = text.substr(end);
  const bool goes_on =
      rest.empty() || rest[0] == '/' || rest[0] == '?' || rest.starts_with("{/") || rest.starts_with("{?");
  if (host.empty() || !std::all_of(host.begin(), host.end(), is_host_character) || !goes_on) {
    throw std::invalid_argument("must have its host written out, without a user and without a value in it");
  }
  origin_ = text.substr(0, end);
}

void UrlTemplate::add_literal(std::string_view text) {
  if (text.empty()) return;
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!is_plain || text.find_first_of("#\\\"<>^`|") != std::string_view::npos) {
    throw std::invalid_argument("has a character that must be percent-encoded, or a fragment");
  }
  has_query_ = has_query_ || text.find('?') != std::string_view::npos;
  parts_.push_back({Kind::literal, std::string(text), {}, !has_query_});
}

void UrlTemplate::add_expression(std::string_view expression) {
  const auto whole = '{' + std::string(expression) + '}';
  Kind kind = Kind::value;
  if (expression.starts_with('/')) kind = Kind::segments;
  if (expression.starts_with('?')) kind = Kind::query;
  if (expression.starts_with('&')) kind = Kind::more_query;
  if (kind != Kind::value) expression.remove_prefix(1);
  if (kind == Kind::query && has_query_)
    throw std::invalid_argument("has " + whole + " where there is a query: write {&");
  if (kind == Kind::more_query && !has_query_)
    throw std::invalid_argument("has " + whole + " without a query: write {?");
  if (kind == Kind::segments && has_query_) throw std::invalid_argument("has " + whole + " behind its path");
  has_query_ = has_query_ || kind == Kind::query;
  Part part{kind, {}, {}, !has_query_};
  for (bool is_last = false; !is_last;) {
    const auto comma = expression.find(',');
    is_last = comma == std::string_view::npos;
    auto name = expression.substr(0, comma);
    const bool is_exploded = name.ends_with('*');
    if (is_exploded) name.remove_suffix(1);
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_character) ||
        (kind == Kind::value && (is_exploded || !is_last))) {
      throw std::invalid_argument("has " + whole + "; there are {name}, {/name}, {?a,b}, {&a,b}, and * behind a name");
    }
    part.variables.push_back({std::string(name), is_exploded});
    if (!is_last) expression.remove_prefix(comma + 1);
  }
  parts_.push_back(std::move(part));
}

std::vector<std::string> UrlTemplate::names() const {
  std::vector<std::string> names;
  for (const auto& part : parts_) {
    for (const auto& variable : part.variables)
      names.push_back(variable.name);
  }
  return names;
}

std::string UrlTemplate::filled(const Values& values) const {
  std::string rest;
  for (const auto& part : parts_) {
    if (part.kind == Kind::literal) add_literal(rest, part);
    if (part.kind == Kind::value) add_value(rest, part, values);
    if (part.kind == Kind::segments) add_segments(rest, part, values);
    if (part.kind == Kind::query || part.kind == Kind::more_query) add_query(rest, part, values);
  }
  require_plain_path(rest);
  return origin_ + rest;
}

void UrlTemplate::add_value(std::string& url, const Part& part, const Values& values) {
  const auto& name = part.variables.front().name;
  const auto value = values(name);
  const auto text = value.is_null() ? std::string() : encoded_list(texts_of(name, value));
  if (text.empty() && part.is_in_path) {
    throw mcp::ToolError("The argument \"" + name + "\" must be given and not be empty.");
  }
  url += text;
}

void UrlTemplate::add_segments(std::string& url, const Part& part, const Values& values) {
  for (const auto& variable : part.variables) {
    const auto value = values(variable.name);
    if (value.is_null()) continue;
    const auto texts = texts_of(variable.name, value);
    if (texts.empty()) continue;  // as if it were not given (RFC 6570 section 2.3)
    if (std::find(texts.begin(), texts.end(), "") != texts.end()) {
      throw mcp::ToolError("The argument \"" + variable.name + "\" must not be empty.");
    }
    if (!variable.is_exploded) {
      url += '/' + encoded_list(texts);
      continue;
    }
    for (const auto& text : texts)
      url += '/' + percent_encoded(text);
  }
}

// The query begins with what there is of it: what stands before it may not be given.
void UrlTemplate::add_literal(std::string& url, const Part& part) {
  const bool begins = !part.is_in_path && part.text.starts_with('&') && url.find('?') == std::string::npos;
  url += begins ? '?' + part.text.substr(1) : part.text;
}

void UrlTemplate::add_query(std::string& url, const Part& part, const Values& values) {
  bool is_first = url.find('?') == std::string::npos;
  const auto add = [&](const std::string& name, const std::string& encoded) {
    url += std::exchange(is_first, false) ? '?' : '&';
    url += percent_encoded(name) + '=' + encoded;
  };
  for (const auto& variable : part.variables) {
    const auto value = values(variable.name);
    if (value.is_null()) continue;
    const auto texts = texts_of(variable.name, value);
    if (texts.empty()) continue;
    if (!variable.is_exploded) {
      add(variable.name, encoded_list(texts));
      continue;
    }
    for (const auto& text : texts)
      add(variable.name, percent_encoded(text));
  }
}

}  // namespace plugins::http
