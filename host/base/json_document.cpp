#include "base/json_document.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>

#include "base/ascii.hpp"
#include "base/json.hpp"
#include "base/json_string.hpp"
#include "base/sanitizer.hpp"
#include "base/utf8.hpp"

namespace mcph {
namespace {

using Kind = JsonIndex::Kind;
using Node = JsonIndex::Node;

// What an index keeps allocated while nobody uses it, in nodes; and how many such a thread has.
constexpr std::size_t max_kept_nodes = 4096;
constexpr std::size_t max_kept_bytes = 65'536;
constexpr std::size_t max_kept_indexes = 4;

std::optional<unsigned> hex_digits(std::string_view four) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(four.data(), four.data() + four.size(), value, 16);
  if (error != std::errc{} || end != four.data() + 4) return std::nullopt;
  return value;
}

bool is_high_surrogate(unsigned unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}

bool is_low_surrogate(unsigned unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

void append_utf8(std::string& out, unsigned code_point) {
  const auto byte = [&out](unsigned value) { out += static_cast<char>(value); };
  if (code_point < 0x80) return byte(code_point);
  if (code_point < 0x800) {
    byte(0xC0 | code_point >> 6);
  } else {
    if (code_point < 0x10000) {
      byte(0xE0 | code_point >> 12);
    } else {
      byte(0xF0 | code_point >> 18);
      byte(0x80 | (code_point >> 12 & 0x3F));
    }
    byte(0x80 | (code_point >> 6 & 0x3F));
  }
  byte(0x80 | (code_point & 0x3F));
}

// Of a string that has been read, and that begins with a backslash: how much of it stands for one character.
std::size_t append_unescaped_one(std::string_view escape, std::string& out) {
  constexpr std::string_view letters = "bfnrt";
  constexpr std::string_view meanings = "\b\f\n\r\t";
  if (escape[1] != 'u') {
    const auto letter = letters.find(escape[1]);
    out += letter == std::string_view::npos ? escape[1] : meanings[letter];
    return 2;
  }
  const auto unit = *hex_digits(escape.substr(2, 4));
  if (!is_high_surrogate(unit)) {
    append_utf8(out, unit);
    return 6;
  }
  const auto low = *hex_digits(escape.substr(8, 4));
  append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
  return 12;
}

// Of a string that has been read.
void append_unescaped(std::string_view raw, std::string& out) {
  while (!raw.empty()) {
    const auto plain = std::min(raw.find('\\'), raw.size());
    out.append(raw.substr(0, plain));
    raw.remove_prefix(plain);
    if (!raw.empty()) raw.remove_prefix(append_unescaped_one(raw, out));
  }
}

double to_double(std::string_view number) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc{}) return value;
  // Too small, or too large, which only this function tells apart.
  return std::strtod(std::string(number).c_str(), nullptr);
}

std::string_view key_of(const JsonIndex& index, std::uint32_t at) {
  const auto& node = index.nodes[at];
  if (node.is_escaped) return std::string_view(index.unescaped).substr(node.further, node.count);
  return index.text.substr(node.begin, node.size);
}

// Reads the text of an index into it. Knows only whether it is right, because of a text that is not nobody keeps
// anything but the reason, and parse_json has words for that.
class JsonReader {
 public:
  JsonReader(JsonIndex& index, std::size_t max_depth)
      : index_(index),
        nodes_(index.nodes),
        begin_(index.text.data()),
        at_(begin_),
        end_(begin_ + index.text.size()),
        max_depth_(max_depth) {}

  bool read() {
    skip_space();
    if (!read_value()) return false;
    while (depth_ > 0) {
      if (!read_next()) return false;
    }
    skip_space();
    return at_ == end_;
  }

 private:
  static constexpr std::size_t usual_depth = 128;

  void skip_space() {
    for (; at_ != end_; ++at_) {
      if (*at_ == '\n' || *at_ == '\r') {
        index_.has_line_breaks = true;
      } else if (*at_ != ' ' && *at_ != '\t') {
        return;
      }
    }
  }

  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  std::uint32_t offset() const { return static_cast<std::uint32_t>(at_ - begin_); }

  void add(Kind kind, std::uint32_t begin) {
    auto& node = nodes_.emplace_back();
    node.begin = begin;
    node.size = offset() - begin;
    node.kind = kind;
  }

  bool read_value() {
    if (at_ == end_) return false;
    switch (*at_) {
      case '"':
        return read_string();
      case '{':
        return open(Kind::object);
      case '[':
        return open(Kind::array);
      case 't':
        return read_literal("true", Kind::boolean);
      case 'f':
        return read_literal("false", Kind::boolean);
      case 'n':
        return read_literal("null", Kind::null);
      default:
        return read_number();
    }
  }

  bool read_literal(std::string_view literal, Kind kind) {
    const auto begin = offset();
    if (!index_.text.substr(begin).starts_with(literal)) return false;
    at_ += literal.size();
    add(kind, begin);
    return true;
  }

  bool open(Kind kind) {
    if (depth_ == max_depth_) return false;
    const auto place = static_cast<std::uint32_t>(nodes_.size());
    if (depth_ < open_.size()) {
      open_[depth_] = place;
    } else {
      deeper_.push_back(place);
    }
    ++depth_;
    add(kind, offset());
    ++at_;
    return true;
  }

  std::uint32_t innermost() const { return depth_ <= open_.size() ? open_[depth_ - 1] : deeper_.back(); }

  // The next element or member of the innermost array or object, or its end.
  bool read_next() {
    const auto place = innermost();
    const bool is_object = nodes_[place].kind == Kind::object;
    skip_space();
    if (take(is_object ? '}' : ']')) return close(place);
    if (nodes_[place].count > 0) {
      if (!take(',')) return false;
      skip_space();
    }
    ++nodes_[place].count;
    if (is_object && !read_key()) return false;
    return read_value();
  }

  bool read_key() {
    if (at_ == end_ || *at_ != '"' || !read_string()) return false;
    auto& key = nodes_.back();
    if (key.is_escaped) {
      key.further = static_cast<std::uint32_t>(index_.unescaped.size());
      append_unescaped(index_.text.substr(key.begin, key.size), index_.unescaped);
      key.count = static_cast<std::uint32_t>(index_.unescaped.size()) - key.further;
    }
    skip_space();
    if (!take(':')) return false;
    skip_space();
    return true;
  }

  bool close(std::uint32_t place) {
    if (depth_ > open_.size()) deeper_.pop_back();
    --depth_;
    auto& node = nodes_[place];
    node.size = offset() - node.begin;
    node.nodes = static_cast<std::uint32_t>(nodes_.size()) - place;
    return node.kind == Kind::array || sort_members(place);
  }

  // False if a key is there twice.
  bool sort_members(std::uint32_t place) {
    auto& sorted = index_.sorted;
    const auto first = sorted.size();
    nodes_[place].further = static_cast<std::uint32_t>(first);
    const auto end = place + nodes_[place].nodes;
    for (auto key = place + 1; key < end; key += 1 + nodes_[key + 1].nodes)
      sorted.push_back(key);
    const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(first);
    const auto is_before = [this](auto a, auto b) { return key_of(index_, a) < key_of(index_, b); };
    if (!std::is_sorted(begin, sorted.end(), is_before)) std::sort(begin, sorted.end(), is_before);
    const auto are_equal = [this](auto a, auto b) { return key_of(index_, a) == key_of(index_, b); };
    return std::adjacent_find(begin, sorted.end(), are_equal) == sorted.end();
  }

  bool read_string() {
    ++at_;
    const auto begin = offset();
    bool is_escaped = false;
    for (;;) {
      at_ = skip_plain_words(at_, end_);
      if (at_ == end_) return false;
      if (*at_ == '"') break;
      if (*at_ == '\\') {
        is_escaped = true;
        if (!read_escape()) return false;
        continue;
      }
      if (static_cast<unsigned char>(*at_) < 0x20) return false;
      const auto size = utf8_sequence_size({at_, end_});
      if (size == 0) return false;
      at_ += size;
    }
    add(Kind::string, begin);
    nodes_.back().is_escaped = is_escaped;
    ++at_;
    return true;
  }

  bool read_escape() {
    ++at_;
    if (at_ == end_) return false;
    constexpr std::string_view single = "\"\\/bfnrt";
    const char kind = *at_++;
    if (kind != 'u') return single.find(kind) != std::string_view::npos;
    const auto unit = read_unit();
    if (!unit || is_low_surrogate(*unit)) return false;
    if (!is_high_surrogate(*unit)) return true;
    if (!take('\\') || !take('u')) return false;
    const auto low = read_unit();
    return low && is_low_surrogate(*low);
  }

  std::optional<unsigned> read_unit() {
    if (end_ - at_ < 4) return std::nullopt;
    const auto unit = hex_digits({at_, 4});
    at_ += 4;
    return unit;
  }

  bool read_digits() {
    const auto* const first = at_;
    while (at_ != end_ && is_digit(*at_))
      ++at_;
    return at_ != first;
  }

  bool read_number() {
    const auto begin = offset();
    take('-');
    if (!take('0') && !read_digits()) return false;  // a digit behind a zero is found to be nothing that may follow
    const bool has_fraction = take('.');
    if (has_fraction && !read_digits()) return false;
    const bool has_exponent = take('e') || take('E');
    if (has_exponent) {
      if (!take('+')) take('-');
      if (!read_digits()) return false;
    }
    const std::string_view number(begin_ + begin, at_);
    if (number.size() > max_number_size) return false;
    const auto kind = has_fraction || has_exponent ? Kind::floating : kind_of_whole(number);
    constexpr std::size_t certainly_finite = 300;
    const bool is_certain = kind != Kind::floating || (!has_exponent && number.size() < certainly_finite);
    if (!is_certain && !std::isfinite(to_double(number))) return false;
    add(kind, begin);
    return true;
  }

  static Kind kind_of_whole(std::string_view number) {
    constexpr std::size_t certainly_fits = 18;
    const bool is_negative = number.starts_with('-');
    const auto kind = is_negative ? Kind::integer : Kind::unsigned_integer;
    if (number.size() <= certainly_fits) return kind;
    std::int64_t negative = 0;
    std::uint64_t positive = 0;
    const auto* const end = number.data() + number.size();
    const auto error = is_negative ? std::from_chars(number.data(), end, negative).ec
                                   : std::from_chars(number.data(), end, positive).ec;
    return error == std::errc{} ? kind : Kind::floating;
  }

  JsonIndex& index_;
  std::vector<Node>& nodes_;
  const char* const begin_;
  const char* at_;
  const char* const end_;
  const std::size_t max_depth_;
  std::size_t depth_ = 0;
  std::array<std::uint32_t, usual_depth> open_;  // from the outermost to the innermost, what there is of it
  std::vector<std::uint32_t> deeper_;            // those beyond
};

// Of this thread; null: there is room for one. Whoever lets go of a document must find its place without memory.
std::array<std::unique_ptr<JsonIndex>, max_kept_indexes>& kept_indexes() {
  thread_local std::array<std::unique_ptr<JsonIndex>, max_kept_indexes> kept;
  return kept;
}

}  // namespace

std::string_view JsonValue::text() const {
  if (index_ == nullptr) return {};
  const auto& it = node();
  return it.kind == Kind::string ? index_->text.substr(it.begin - 1, it.size + 2)
                                 : index_->text.substr(it.begin, it.size);
}

std::variant<std::int64_t, std::uint64_t, double> JsonValue::number() const {
  const auto digits = text();
  const auto read = [digits](auto value) {
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  };
  if (is(Kind::integer)) return read(std::int64_t{0});
  if (is(Kind::unsigned_integer)) return read(std::uint64_t{0});
  return to_double(digits);
}

std::string JsonValue::string() const {
  std::string storage;
  const auto said = string(storage);
  return said.data() == storage.data() ? storage : std::string(said);
}

std::string_view JsonValue::string(std::string& storage) const {
  const auto& it = node();
  const auto raw = index_->text.substr(it.begin, it.size);
  if (!it.is_escaped) return raw;
  storage.clear();
  append_unescaped(raw, storage);
  return storage;
}

namespace {

// Gives what a string says, piece by piece.
class StringPieces {
 public:
  StringPieces(std::string_view raw, bool is_escaped) : rest_(raw), is_escaped_(is_escaped) {}

  // What has not been taken of the piece that it is at; empty: there is no more.
  std::string_view piece() {
    constexpr std::size_t max_piece = 64;
    if (!piece_.empty() || rest_.empty()) return piece_;
    if (is_escaped_ && rest_.front() == '\\') {
      unescaped_.clear();
      rest_.remove_prefix(append_unescaped_one(rest_, unescaped_));
      piece_ = unescaped_;
    } else {
      piece_ = is_escaped_ ? rest_.substr(0, max_piece) : rest_;
      if (is_escaped_) piece_ = piece_.substr(0, piece_.find('\\'));
      rest_.remove_prefix(piece_.size());
    }
    return piece_;
  }
  void take(std::size_t bytes) { piece_.remove_prefix(bytes); }

 private:
  std::string_view rest_;
  const bool is_escaped_;
  std::string unescaped_;
  std::string_view piece_;
};

}  // namespace

std::strong_ordering compare_strings(JsonValue left, JsonValue right) {
  const auto pieces = [](JsonValue value) {
    const auto& it = value.node();
    return StringPieces(value.index_->text.substr(it.begin, it.size), it.is_escaped);
  };
  auto a = pieces(left);
  auto b = pieces(right);
  for (;;) {
    const auto of_a = a.piece();
    const auto of_b = b.piece();
    const auto size = std::min(of_a.size(), of_b.size());
    if (size == 0) return of_a.size() <=> of_b.size();
    if (const auto order = of_a.substr(0, size) <=> of_b.substr(0, size); std::is_neq(order)) return order;
    a.take(size);
    b.take(size);
  }
}

std::string JsonValue::beginning(std::size_t bytes) const {
  auto raw = index_->text.substr(node().begin, node().size);
  if (!node().is_escaped) return std::string(raw.substr(0, bytes));
  std::string beginning;
  while (!raw.empty() && beginning.size() < bytes) {
    const bool is_plain = raw.front() != '\\';
    if (is_plain) beginning += raw.front();
    raw.remove_prefix(is_plain ? 1 : append_unescaped_one(raw, beginning));
  }
  return beginning;
}

bool JsonValue::is(std::string_view said) const {
  if (!is_string()) return false;
  std::string storage;
  return string(storage) == said;
}

std::string_view JsonValue::key_at(std::size_t place) const {
  return key_of(*index_, index_->sorted[node().further + place]);
}

JsonValue JsonValue::find(std::string_view key) const {
  if (!is_object()) return {};
  std::size_t first = 0;
  std::size_t last = node().count;
  while (first < last) {
    const auto middle = first + (last - first) / 2;
    const auto order = key_at(middle) <=> key;
    if (std::is_eq(order)) return {*index_, index_->sorted[node().further + middle] + 1};
    if (std::is_lt(order)) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return {};
}

JsonValue::Member JsonValue::Members::Iterator::operator*() const {
  const auto key = object_.index_->sorted[object_.node().further + place_];
  return {object_.key_at(place_), JsonValue(*object_.index_, key + 1)};
}

Json JsonValue::json() const {
  if (index_ == nullptr) return nullptr;
  switch (kind()) {
    case Kind::null:
      return nullptr;
    case Kind::boolean:
      return boolean();
    case Kind::string:
      return string();
    case Kind::array: {
      auto array = Json::array();
      array.get_ref<Json::array_t&>().reserve(size());
      for (const auto element : elements())
        array.push_back(element.json());
      return array;
    }
    case Kind::object: {
      auto object = Json::object();
      auto& into = object.get_ref<Json::object_t&>();
      for (const auto& [key, value] : members())
        into.emplace_hint(into.end(), key, value.json());
      return object;
    }
    default:
      return std::visit([](auto value) { return Json(value); }, number());
  }
}

void JsonDocument::GiveBack::operator()(JsonIndex* index) const {
  std::unique_ptr<JsonIndex> kept(index);
  const bool is_large = kept->nodes.capacity() > max_kept_nodes || kept->unescaped.capacity() > max_kept_bytes;
  if (is_address_sanitized || is_large || !kept->own_text.empty()) return;
  kept->nodes.clear();
  kept->sorted.clear();
  kept->unescaped.clear();
  kept->has_line_breaks = false;
  const auto is_room = [](const auto& each) { return each == nullptr; };
  auto& others = kept_indexes();
  if (const auto room = std::ranges::find_if(others, is_room); room != others.end()) *room = std::move(kept);
}

JsonDocument::Index JsonDocument::take_index() {
  auto& kept = kept_indexes();
  const auto found = std::ranges::find_if(kept, [](const auto& each) { return each != nullptr; });
  return Index(found == kept.end() ? new JsonIndex : found->release());
}

Result<JsonDocument> JsonDocument::read(Index index, std::size_t max_depth) {
  constexpr std::size_t max_text = std::numeric_limits<std::uint32_t>::max();
  if (index->text.size() < max_text && JsonReader(*index, max_depth).read()) return JsonDocument(std::move(index));
  auto refused = parse_json(index->text, max_depth, DuplicateKeys::refuse);
  return refused.has_error() ? refused.error() : fail("not usable JSON: the text is too long");
}

Result<JsonDocument> JsonDocument::read(std::string_view text, std::size_t max_depth) {
  auto index = take_index();
  index->text = text;
  return read(std::move(index), max_depth);
}

Result<JsonDocument> JsonDocument::read_own(std::string text, std::size_t max_depth) {
  auto index = take_index();
  index->own_text = std::move(text);
  index->text = index->own_text;
  return read(std::move(index), max_depth);
}

JsonDocument JsonDocument::of(const Json& tree) {
  auto document = read_own(dump(tree), std::numeric_limits<std::size_t>::max());
  return std::move(document).value();
}

}  // namespace mcph
