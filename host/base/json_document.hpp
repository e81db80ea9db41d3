// A JSON text, read once: an index of where each of its values begins and ends, and no tree. What is looked at is
// looked up in the text itself, and what is passed on is passed on as it was written. A tree (Json) is made of what
// somebody has to change.
//
// A document is read by one thread and can then be looked at by any number of them. Its values are views: they are good
// as long as the document is, and, where that does not own it, its text. A document that is moved keeps its values
// good. A value has a function for each thing that is asked of it, so that no caller reads its text by itself.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/json_text.hpp"
#include "base/result.hpp"

namespace mcph {

// What JsonDocument knows of its text: its values in the order in which they begin, each followed by what it holds, a
// member as its key and its value.
struct JsonIndex {
  enum class Kind : std::uint8_t { null, boolean, integer, unsigned_integer, floating, string, array, object };

  struct Node {
    std::uint32_t begin = 0;  // of its text, which has `size` bytes; of a string without its quotes
    std::uint32_t size = 0;
    std::uint32_t nodes = 1;  // of the value, itself included
    std::uint32_t count = 0;  // elements or members; of a key with escapes, the bytes that it has without them
    std::uint32_t further =
        0;  // of an object, where its members begin in `sorted`; of such a key, where in `unescaped`
    Kind kind = Kind::null;
    bool is_escaped = false;  // of a string: it has a backslash
  };

  std::string_view text;
  std::string own_text;  // which `text` is, where the document owns it
  std::vector<Node> nodes;
  std::vector<std::uint32_t> sorted;  // the keys of each object, in their order by bytes
  std::string unescaped;              // keys
  bool has_line_breaks = false;       // between its values; none is in a string
};

// A value of a document, or that there is none: then it is of no type, and holds nothing.
class JsonValue {
 public:
  using Kind = JsonIndex::Kind;

  JsonValue() = default;

  explicit operator bool() const { return index_ != nullptr; }

  bool is_null() const { return is(Kind::null); }
  bool is_boolean() const { return is(Kind::boolean); }
  bool is_number() const { return is_integer() || is(Kind::floating); }
  // Written without a fraction and an exponent, and within 64 bits.
  bool is_integer() const { return is(Kind::integer) || is(Kind::unsigned_integer); }
  bool is_string() const { return is(Kind::string); }
  bool is_array() const { return is(Kind::array); }
  bool is_object() const { return is(Kind::object); }
  bool is_structured() const { return is_array() || is_object(); }
  // Of one that there is.
  Kind kind() const { return node().kind; }

  // As it is written; empty: there is none.
  std::string_view text() const;
  // Whether that has no line breaks.
  bool is_one_line() const { return index_ == nullptr || !index_->has_line_breaks || mcph::is_one_line(text()); }

  // Of those of its type only.
  bool boolean() const { return text().front() == 't'; }
  std::variant<std::int64_t, std::uint64_t, double> number() const;  // not signed from 0 on
  std::string string() const;
  // The same, in `storage` if it is written with escapes.
  std::string_view string(std::string& storage) const;
  // At least so many bytes of its beginning, or all of it. It may end within a character.
  std::string beginning(std::size_t bytes) const;
  // Whether it is a string that says this.
  bool is(std::string_view string) const;

  // How many values there are, itself and its keys among them; 0: there is none.
  std::size_t values() const { return index_ == nullptr ? 0 : node().nodes; }
  // How many elements or members; 0 of what has none.
  std::size_t size() const { return is_structured() ? node().count : 0; }

  // The member of an object.
  JsonValue find(std::string_view key) const;
  bool contains(std::string_view key) const { return static_cast<bool>(find(key)); }

  class Elements;
  // Of an array, in their order; none of anything else.
  Elements elements() const;

  struct Member;
  class Members;
  // Of an object, by the bytes of their keys; none of anything else.
  Members members() const;

  // As a tree; null if there is none.
  nlohmann::json json() const;

  // Of two strings, by their bytes; no more of them is looked at than tells them apart.
  friend std::strong_ordering compare_strings(JsonValue left, JsonValue right);

  // One of two values of the same document comes before what begins later, and is the same one if neither does.
  friend bool operator==(const JsonValue& a, const JsonValue& b) { return a.index_ == b.index_ && a.at_ == b.at_; }
  friend bool operator<(const JsonValue& a, const JsonValue& b) { return a.at_ < b.at_; }

 private:
  friend class JsonDocument;

  JsonValue(const JsonIndex& index, std::uint32_t at) : index_(&index), at_(at) {}

  bool is(Kind kind) const { return index_ != nullptr && node().kind == kind; }
  const JsonIndex::Node& node() const { return index_->nodes[at_]; }
  std::string_view key_at(std::size_t place) const;

  const JsonIndex* index_ = nullptr;  // null: there is none
  std::uint32_t at_ = 0;
};

class JsonValue::Elements {
 public:
  class Iterator {
   public:
    JsonValue operator*() const { return at_; }
    Iterator& operator++() {
      at_.at_ += at_.node().nodes;
      --left_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return left_ == other.left_; }

   private:
    friend class Elements;
    Iterator(JsonValue at, std::size_t left) : at_(at), left_(left) {}
    JsonValue at_;
    std::size_t left_;
  };

  Iterator begin() const {
    return {array_.index_ == nullptr ? JsonValue() : JsonValue(*array_.index_, array_.at_ + 1), size_};
  }
  Iterator end() const { return {{}, 0}; }

 private:
  friend class JsonValue;
  explicit Elements(JsonValue array) : array_(array), size_(array.is_array() ? array.size() : 0) {}
  JsonValue array_;
  std::size_t size_;
};

struct JsonValue::Member {
  std::string_view key;
  JsonValue value;

  // A string, as it is written.
  JsonValue key_as_value() const { return {*value.index_, value.at_ - 1}; }
};

class JsonValue::Members {
 public:
  class Iterator {
   public:
    Member operator*() const;
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return place_ == other.place_; }

   private:
    friend class Members;
    Iterator(JsonValue object, std::size_t place) : object_(object), place_(place) {}
    JsonValue object_;
    std::size_t place_;
  };

  Iterator begin() const { return {object_, 0}; }
  Iterator end() const { return {object_, object_.is_object() ? object_.size() : 0}; }

 private:
  friend class JsonValue;
  explicit Members(JsonValue object) : object_(object) {}
  JsonValue object_;
};

inline JsonValue::Elements JsonValue::elements() const {
  return Elements(*this);
}

inline JsonValue::Members JsonValue::members() const {
  return Members(*this);
}

class JsonDocument {
 public:
  // Of no text: its root is no value.
  JsonDocument() = default;

  // Reads what parse_json reads with DuplicateKeys::refuse, and refuses the same with the same words. The text outlives
  // the document, and has less than 4 GiB.
  static Result<JsonDocument> read(std::string_view text, std::size_t max_depth = default_json_depth);
  // The same of a text that the document owns.
  static Result<JsonDocument> read_own(std::string text, std::size_t max_depth = default_json_depth);
  // Of a tree. What is no UTF-8 in its strings becomes U+FFFD.
  static JsonDocument of(const nlohmann::json& tree);

  JsonValue root() const { return index_ == nullptr ? JsonValue() : JsonValue(*index_, 0); }

 private:
  // Goes back to where the next document of the thread takes it from, so that one that is read often allocates nothing.
  struct GiveBack {
    void operator()(JsonIndex* index) const;
  };
  using Index = std::unique_ptr<JsonIndex, GiveBack>;

  explicit JsonDocument(Index index) : index_(std::move(index)) {}

  static Index take_index();
  static Result<JsonDocument> read(Index index, std::size_t max_depth);

  Index index_;
};

}  // namespace mcph
