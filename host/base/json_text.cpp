#include "base/json_text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/hexadecimal.hpp"
#include "base/json_string.hpp"

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

Error too_large_at(std::string_view text, std::size_t offset, const std::string& number) {
  constexpr std::size_t most = 60;
  return fail("not usable JSON at " + place(text, offset) + ": the number " + number.substr(0, most) +
              " is beyond the range of a double");
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
std::string_view reason_of(std::string_view reason) {
  constexpr std::string_view before_reason = " - ";
  if (const auto dash = reason.find(before_reason); dash != std::string_view::npos) {
    reason.remove_prefix(dash + before_reason.size());
  } else {
    reason.remove_prefix(std::min(reason.find("] ") + 2, reason.size()));
  }
  return reason.substr(0, reason.find("; last read"));
}

// Builds the value from what nlohmann's parser reports, as its own builder does, and knows when a key comes again.
template <class Json>
class Builder {
 public:
  Builder(std::string_view text, DuplicateKeys duplicates) : text_(text), duplicates_(duplicates) {}

  Json& value() { return value_; }
  const Error& error() const { return error_; }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(typename Json::number_integer_t value) { return add(value); }
  bool number_unsigned(typename Json::number_unsigned_t value) { return add(value); }
  bool number_float(typename Json::number_float_t value, const std::string& text) {
    if (text.size() <= max_number_size) return add(value);
    error_ = fail("not usable JSON: a number has " + std::to_string(text.size()) + " characters; the limit is " +
                  std::to_string(max_number_size));
    return false;
  }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(typename Json::binary_t& value) { return add(std::move(value)); }

  bool start_object(std::size_t /*size*/) { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    auto& members = open_.back()->template get_ref<typename Json::object_t&>();
    const auto [member, is_new] = members.emplace(name, nullptr);
    member_ = &member->second;
    if (is_new || duplicates_ == DuplicateKeys::last_counts) return true;
    constexpr std::size_t most = 60;
    error_ = fail("not usable JSON: an object has the key " + dump(nlohmann::json(name.substr(0, most))) + " twice");
    return false;
  }

  template <class Exception>
  bool parse_error(std::size_t position, const std::string& token, const Exception& exception) {
    constexpr int out_of_range = 406;
    if (exception.id == out_of_range) {
      error_ = too_large_at(text_, position - std::min(token.size(), position), token);
    } else {
      error_ = invalid_at(text_, std::min(position > 0 ? position - 1 : 0, text_.size()), reason_of(exception.what()));
    }
    return false;
  }

 private:
  Json& place(Json value) {
    if (open_.empty()) return value_ = std::move(value);
    if (open_.back()->is_array()) return open_.back()->emplace_back(std::move(value));
    return *member_ = std::move(value);
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  // A value stays where it is while it is open: only what it lies in grows, and that waits.
  bool open(Json value) {
    open_.push_back(&place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  DuplicateKeys duplicates_;
  Json value_;
  std::vector<Json*> open_;  // from the outermost to the innermost
  Json* member_ = nullptr;   // of the innermost object: whose value comes next
  Error error_;
};

template <class Json>
Result<Json> parse_checked(std::string_view text, DuplicateKeys duplicates) {
  Builder<Json> builder(text, duplicates);
  if (!Json::sax_parse(text, &builder)) return builder.error();
  // In place, because a JSON value also converts itself to anything that can be made from one.
  return Result<Json>(boost::system::in_place_value, std::move(builder.value()));
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

template <typename Tree>
std::size_t memory_of_tree(const Tree& tree) {
  constexpr std::size_t of_value = 64;  // with what malloc adds
  std::size_t bytes = of_value;
  if (tree.is_string()) bytes += tree.template get_ref<const std::string&>().size();
  if (tree.is_array()) {
    for (const auto& element : tree)
      bytes += memory_of_tree(element);
  }
  if (tree.is_object()) {
    for (const auto& [key, member] : tree.items())
      bytes += of_value + key.size() + memory_of_tree(member);
  }
  return bytes;
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, std::size_t max_depth, DuplicateKeys duplicates) {
  if (auto error = refuse_early(text, max_depth)) return *std::move(error);
  return parse_checked<nlohmann::json>(text, duplicates);
}

Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text, std::size_t max_depth) {
  if (auto error = refuse_early(text, max_depth)) return *std::move(error);
  if (const auto offset = find_excess_key(text)) {
    return fail("JSON object with more than " + std::to_string(max_ordered_keys) + " keys at " + place(text, *offset));
  }
  return parse_checked<nlohmann::ordered_json>(text, DuplicateKeys::refuse);
}

nlohmann::json read_json(std::string_view text) {
  return nlohmann::json::parse(text);
}

nlohmann::ordered_json read_ordered_json(std::string_view text) {
  return nlohmann::ordered_json::parse(text);
}

bool is_one_line(std::string_view text) {
  return text.find('\n') == std::string_view::npos && text.find('\r') == std::string_view::npos;
}

void append_json_string(std::string& out, std::string_view utf8) {
  const auto* const end = utf8.data() + utf8.size();
  if (!std::all_of(skip_plain_words(utf8.data(), end), end, stands_for_itself)) {
    out += dump_replacing(nlohmann::json(utf8));
    return;
  }
  out += '"';
  out += utf8;
  out += '"';
}

std::string with_escaped_controls(std::string json) {
  // How many bytes one that begins there has; 0: none does.
  const auto control_at = [&json](std::size_t at) -> std::size_t {
    if (json[at] == '\x7F') return 1;
    const bool is_two = json[at] == '\xC2' && at + 1 < json.size() && static_cast<unsigned char>(json[at + 1]) < 0xA0;
    return is_two ? 2 : 0;
  };
  std::string escaped;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const auto size = control_at(at);
    if (size == 0) continue;
    const auto c = static_cast<unsigned char>(json[at + size - 1]);
    escaped.append(json, copied, at - copied).append(R"(\u00)") += hexadecimal_digits[c >> 4U];
    escaped += hexadecimal_digits[c & 0xFU];
    copied = at + size;
    at = copied - 1;
  }
  if (copied == 0) return json;
  return escaped.append(json, copied);
}

std::size_t memory_of(const nlohmann::json& tree) {
  return memory_of_tree(tree);
}

std::size_t memory_of(const nlohmann::ordered_json& tree) {
  return memory_of_tree(tree);
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
