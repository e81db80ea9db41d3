#include "config/toml.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/json_pointer.hpp"

// What toml++ (3.3) asserts, or assumes where nothing is asserted, is not so of every text, and then it says what is
// wrong with the text all the same.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace mcph {
namespace {

TextPosition begin_of(const toml::source_region& region) {
  return {region.begin.line, region.begin.column};
}

std::string words_of(const TextPosition& position) {
  return std::to_string(position.line) + ":" + std::to_string(position.column) + ": ";
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Behind the string that begins there; the end of its line, where it has none.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool is_long = text.substr(at, three.size()) == three;
  const std::string_view end = is_long ? std::string_view(three) : std::string_view(three).substr(0, 1);
  for (at += end.size(); at < text.size() && (is_long || text[at] != '\n'); ++at) {
    if (text.substr(at, end.size()) == end) {
      at += end.size();
      // As many as two of its own may stand before the end of a long one.
      while (is_long && at < text.size() && text[at] == quote)
        ++at;
      return at;
    }
    if (quote == '"' && text[at] == '\\') ++at;
  }
  return std::min(at, text.size());
}

// Not what ends one, nor what stands where none may: toml++ reads on behind a number, up to what ends a value.
bool begins_string(std::string_view text, std::size_t at) {
  const bool is_quote = text[at] == '"' || text[at] == '\'';
  return is_quote && (at == 0 || text.substr(0, at) == byte_order_mark ||
                      std::string_view("=,[{. \t\r\n").find(text[at - 1]) != std::string_view::npos);
}

// Where there is a character that may only be in strings and comments, and of which toml++ (3.3) does not know
// elsewhere whether it is white space: the behaviour of its is_non_ascii_horizontal_whitespace is undefined for most.
std::optional<std::size_t> find_stray_character(std::string_view text) {
  for (std::size_t at = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0; at < text.size();) {
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (begins_string(text, at)) {
      at = end_of_string(text, at);
    } else if (static_cast<unsigned char>(text[at]) >= 0x80) {
      return at;
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

TextPosition position_of(std::string_view text, std::size_t at) {
  const auto before = text.substr(0, at);
  const auto line = before.substr(before.rfind('\n') + 1);
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return {static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1,
          static_cast<std::size_t>(std::ranges::count_if(line, begins_character)) + 1};
}

class Reader {
 public:
  explicit Reader(TomlDocument& document) : document_(document) {}

  // `key` is where the name of the node stands.
  Result<OrderedJson> read(const toml::node& node, const std::string& pointer, TextPosition key) {
    const auto value = begin_of(node.source());
    document_.places[pointer] = {key, value};
    if (const auto* const table = node.as_table()) return read_table(*table, pointer);
    if (const auto* const array = node.as_array()) return read_array(*array, pointer);
    if (const auto* const text = node.as_string()) return OrderedJson(text->get());
    if (const auto* const number = node.as_integer()) return OrderedJson(number->get());
    if (const auto* const truth = node.as_boolean()) return OrderedJson(truth->get());
    if (const auto* const number = node.as_floating_point(); number != nullptr && std::isfinite(number->get()))
      return OrderedJson(number->get());
    return fail(words_of(value) + "a date, a time, inf and nan are no values of a setting; write a text in quotes");
  }

  Result<OrderedJson> read_table(const toml::table& table, const std::string& pointer) {
    auto json = OrderedJson::object();
    for (auto&& [key, node] : table) {
      auto member = read(node, append_to_pointer(pointer, key.str()), begin_of(key.source()));
      if (member.has_error()) return member;
      json.push_back({std::string(key.str()), *std::move(member)});
    }
    return json;
  }

 private:
  Result<OrderedJson> read_array(const toml::array& array, const std::string& pointer) {
    auto json = OrderedJson::array();
    for (auto&& node : array) {
      auto element = read(node, append_to_pointer(pointer, std::to_string(json.size())), begin_of(node.source()));
      if (element.has_error()) return element;
      json.push_back(*std::move(element));
    }
    return json;
  }

  TomlDocument& document_;
};

bool is_bare_key(std::string_view key) {
  return !key.empty() && key.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
                             std::string_view::npos;
}

// What JSON escapes TOML escapes in the same way, but for DEL, which JSON does not escape.
std::string text_in_quotes(std::string_view text) {
  auto json = OrderedJson(text).dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  for (auto at = json.find('\x7f'); at != std::string::npos; at = json.find('\x7f', at))
    json.replace(at, 1, "\\u007f");
  return json;
}

std::string key_text(std::string_view key) {
  return is_bare_key(key) ? std::string(key) : text_in_quotes(key);
}

bool is_table_array(const OrderedJson& value) {
  if (!value.is_array() || value.empty()) return false;
  for (const auto& each : value) {
    if (!each.is_object()) return false;
  }
  return true;
}

std::string value_text(const OrderedJson& value) {
  if (value.is_string()) return text_in_quotes(value.get_ref<const std::string&>());
  std::string text;
  if (value.is_array()) {
    for (const auto& each : value)
      text.append(text.empty() ? "" : ", ").append(value_text(each));
    return "[" + text + "]";
  }
  if (value.is_object()) {
    for (const auto& [key, each] : value.items()) {
      if (!each.is_null()) text.append(text.empty() ? " " : ", ").append(key_text(key) + " = " + value_text(each));
    }
    return "{" + text + " }";
  }
  return value.dump();
}

// `path` names the table, as its header does. Tables come after what is in the table itself, because a header ends it.
void append_table(std::string& out, const std::string& path, const OrderedJson& table) {
  for (const auto& [key, value] : table.items()) {
    if (!value.is_null() && !value.is_object() && !is_table_array(value))
      out.append(key_text(key) + " = " + value_text(value) + "\n");
  }
  for (const auto& [key, value] : table.items()) {
    const auto name = path.empty() ? key_text(key) : path + "." + key_text(key);
    if (value.is_object()) {
      out.append(out.empty() ? "" : "\n").append("[" + name + "]\n");
      append_table(out, name, value);
    } else if (is_table_array(value)) {
      for (const auto& each : value) {
        out.append(out.empty() ? "" : "\n").append("[[" + name + "]]\n");
        append_table(out, name, each);
      }
    }
  }
}

}  // namespace

Result<TomlDocument> read_toml(std::string_view text) {
  if (const auto stray = find_stray_character(text)) {
    return fail(words_of(position_of(text, *stray)) +
                "a character that is not ASCII stands in quotes only, or in a comment");
  }
  try {
    const auto table = toml::parse(text);
    TomlDocument document;
    auto json = Reader(document).read_table(table, {});
    if (json.has_error()) return json.error();
    document.json = *std::move(json);
    return document;
  } catch (const toml::parse_error& error) {
    return fail(words_of(begin_of(error.source())) + std::string(error.description()));
  }
}

std::string to_toml(const OrderedJson& json) {
  std::string text;
  append_table(text, {}, json);
  return text;
}

}  // namespace mcph
