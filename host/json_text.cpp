#include "json_text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

namespace mcph {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string place(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const auto last_break = before.rfind('\n');
  const auto column = last_break == std::string_view::npos ? offset + 1 : offset - last_break;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

Error invalid_at(std::string_view text, std::size_t offset, std::string_view reason) {
  return fail("not valid JSON at " + place(text, offset) + ": " + std::string(reason));
}

// The offset of the string's closing quote, or the end of the text. `quote` is the offset of its opening quote.
std::size_t end_of_string(std::string_view text, std::size_t quote) {
  auto at = quote + 1;
  while (at < text.size() && text[at] != '"') {
    at += text[at] == '\\' ? 2 : 1;
  }
  return std::min(at, text.size());
}

// The offset of the bracket that opens one level too many.
std::optional<std::size_t> find_excess_depth(std::string_view text, std::size_t max_depth) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        at = end_of_string(text, at);
        break;
      case '[':
      case '{':
        if (depth == max_depth) return at;
        ++depth;
        break;
      case ']':
      case '}':
        if (depth > 0) --depth;
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

// The offset of the comma after which an object has more than max_ordered_keys keys. Counting commas suffices: where
// they are not between members, the parser refuses the text anyway. Expects a text of limited depth.
std::optional<std::size_t> find_excess_key(std::string_view text) {
  struct Container {
    bool is_object;
    std::size_t commas;
  };
  std::vector<Container> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        at = end_of_string(text, at);
        break;
      case '[':
      case '{':
        open.push_back({text[at] == '{', 0});
        break;
      case ']':
      case '}':
        if (!open.empty()) open.pop_back();
        break;
      case ',':
        if (!open.empty() && ++open.back().commas == max_ordered_keys && open.back().is_object) return at;
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

// What the parser says, without its prefix and without the piece of input it quotes, which may be any bytes.
std::string_view reason_of(const nlohmann::json::exception& error) {
  constexpr std::string_view before_reason = " - ";
  std::string_view reason = error.what();
  if (const auto dash = reason.find(before_reason); dash != std::string_view::npos) {
    reason.remove_prefix(dash + before_reason.size());
  } else {
    reason.remove_prefix(std::min(reason.find("] ") + 2, reason.size()));
  }
  return reason.substr(0, reason.find("; last read"));
}

template <class Json>
Result<Json> parse_checked(std::string_view text) {
  try {
    // In place, because a JSON value also converts itself to anything that can be made from one.
    return Result<Json>(boost::system::in_place_value, Json::parse(text));
  } catch (const nlohmann::json::parse_error& error) {
    const auto offset = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
    return invalid_at(text, offset, reason_of(error));
  } catch (const nlohmann::json::exception& error) {
    return fail("not usable JSON: " + std::string(reason_of(error).substr(0, 80)));
  }
}

std::optional<Error> refuse_early(std::string_view text, std::size_t max_depth) {
  if (text.starts_with(byte_order_mark)) {
    return fail("not valid JSON: the text begins with a byte order mark (EF BB BF); send it without");
  }
  // The parser takes a zero byte for the end of its input and would not look at what follows.
  if (const auto offset = text.find('\0'); offset != std::string_view::npos) {
    return invalid_at(text, offset, "zero byte");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return fail("not valid JSON: the text is empty");
  if (const auto offset = find_excess_depth(text, max_depth)) {
    return fail("JSON nested deeper than " + std::to_string(max_depth) + " levels at " + place(text, *offset));
  }
  return std::nullopt;
}

template <class Json>
std::string dump_replacing(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool stands_for_itself(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, std::size_t max_depth) {
  if (auto error = refuse_early(text, max_depth)) return *std::move(error);
  return parse_checked<nlohmann::json>(text);
}

Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text, std::size_t max_depth) {
  if (auto error = refuse_early(text, max_depth)) return *std::move(error);
  if (const auto offset = find_excess_key(text)) {
    return fail("JSON object with more than " + std::to_string(max_ordered_keys) + " keys at " + place(text, *offset));
  }
  return parse_checked<nlohmann::ordered_json>(text);
}

void append_json_string(std::string& out, std::string_view utf8) {
  if (!std::all_of(utf8.begin(), utf8.end(), stands_for_itself)) {
    out += dump_replacing(nlohmann::json(utf8));
    return;
  }
  out += '"';
  out += utf8;
  out += '"';
}

std::string dump(const nlohmann::json& value) {
  // The library's writer sets itself up at some cost, and ids, which come with every message, need none of it.
  if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
  if (!value.is_string()) return dump_replacing(value);
  std::string text;
  append_json_string(text, value.get_ref<const std::string&>());
  return text;
}

std::string dump(const nlohmann::ordered_json& value) {
  return dump_replacing(value);
}

}  // namespace mcph
