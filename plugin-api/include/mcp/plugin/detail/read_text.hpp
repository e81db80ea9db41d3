// JSON text -> C++ values without a tree of values in between, for the types and the texts that most calls have. What
// is not taken here, such as a variant, or a value of another kind than the type's, is read as a tree by decode.hpp,
// which also knows what to say about it: so a function that returns false has found out nothing else. The host has
// checked the text; of one that is malformed, which no host sends, nothing worse comes than a wrong value.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mcp/plugin/detail/decode.hpp>
#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/detail/types.hpp>
#include <mcp/plugin/field.hpp>

namespace mcp::detail {

bool read_boolean(std::string_view json, bool& out);
bool read_integer(std::string_view json, std::int64_t& out);
bool read_unsigned(std::string_view json, std::uint64_t& out);
bool read_number(std::string_view json, double& out);
bool read_string(std::string_view json, std::string& out);

/// The members of one object, as they are written: views of the text that was read.
class MembersText {
 public:
  /// False for what is no object, for one with too many members, and for names with escapes.
  bool read(std::string_view json);

  /// Empty if there is none.
  std::string_view find(std::string_view name) const;

 private:
  struct Member {
    std::string_view name;
    std::string_view value;
  };

  std::array<Member, 16> members_;
  std::size_t count_ = 0;
};

/// The items of one array, one after the other.
class ItemsText {
 public:
  explicit ItemsText(std::string_view json) : rest_(json) {}

  /// The next item, or nothing at the end, and where the text is no array.
  std::optional<std::string_view> next();
  /// All of the array has been read.
  bool is_complete() const { return is_complete_; }

 private:
  std::string_view rest_;
  bool is_open_ = false;
  bool is_complete_ = false;
};

/// Whether there is a way to read it from a text. A class that has a form of its own, or is made of others, is decoded.
template <class T>
constexpr bool is_read_as_text() {
  if constexpr (std::is_same_v<T, bool> || Number<T> || std::is_same_v<T, std::string> || NamedEnum<T>) {
    return true;
  } else if constexpr (HasJsonForm<T>) {
    return false;
  } else if constexpr (is_optional<T> || is_list<T>) {
    return is_read_as_text<typename T::value_type>();
  } else {
    return !is_variant<T> && !is_array<T> && !is_tuple<T> && !is_set<T> && !is_map<T> && Described<T> &&
           std::is_default_constructible_v<T>;
  }
}

template <class T>
bool read_text(std::string_view json, const Place& place, T& out);

template <Integer T>
bool read_integer_of(std::string_view json, T& out) {
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  Wide wide = 0;
  if constexpr (std::is_signed_v<T>) {
    if (!read_integer(json, wide) || wide < std::numeric_limits<T>::min()) return false;
  } else {
    if (!read_unsigned(json, wide)) return false;
  }
  out = static_cast<T>(wide);
  return wide <= std::numeric_limits<T>::max();
}

template <NamedEnum E>
bool read_enum(std::string_view json, E& out) {
  for (const auto& each : enum_values<E>) {
    if (json.size() != each.name.size() + 2 || json.front() != '"' || json.substr(1, each.name.size()) != each.name)
      continue;
    out = each.value;
    return true;
  }
  return false;
}

template <class T>
bool read_list(std::string_view json, const Place& place, T& out) {
  ItemsText items(json);
  for (std::size_t i = 0; const auto item = items.next(); ++i) {
    typename T::value_type value{};
    if (!read_text(*item, Place{&place, {}, i}, value)) return false;
    out.push_back(std::move(value));
  }
  return items.is_complete();
}

template <class Object, class Field>
bool read_field(const MembersText& members, const Place& place, const Field& field, Object& out) {
  using Member = typename Field::Type;
  const std::string_view json = members.find(field.name());
  const bool is_given = !json.empty() && (json != "null" || (takes_null<Member> && !is_optional<Member>));
  // The host has filled in the defaults that the schema says.
  if (!is_given) return is_optional<Member> && field.default_scalar().index() == 0;
  if constexpr (is_read_as_text<Member>()) {
    // What is given takes the place of the member's own value, and nothing of that stays.
    Member value{};
    if (!read_text(json, Place{&place, field.name()}, value)) return false;
    field.of(out) = std::move(value);
    return true;
  } else {
    field.of(out) = decode<Member>(*parsed(json), Place{&place, field.name()});
    return true;
  }
}

template <Described T>
bool read_described(std::string_view json, const Place& place, T& out) {
  MembersText members;
  if (!members.read(json)) return false;
  bool is_read = true;
  for_each_field<T>([&](const auto& field) { is_read = is_read && read_field(members, place, field, out); });
  return is_read;
}

template <class T>
bool read_text(std::string_view json, const Place& place, T& out) {
  if constexpr (std::is_same_v<T, bool>) {
    return read_boolean(json, out);
  } else if constexpr (Integer<T>) {
    return read_integer_of(json, out);
  } else if constexpr (Number<T>) {
    double number = 0;
    if (!read_number(json, number) || std::abs(number) > std::numeric_limits<T>::max()) return false;
    out = static_cast<T>(number);
    return true;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return read_string(json, out);
  } else if constexpr (NamedEnum<T>) {
    return read_enum(json, out);
  } else if constexpr (is_optional<T>) {
    return json == "null" || read_text(json, place, out.emplace());
  } else if constexpr (is_list<T>) {
    return read_list(json, place, out);
  } else {
    return read_described(json, place, out);
  }
}

/// Throws std::invalid_argument, with the place, for what is no such value.
template <class T>
T decode_text(std::string_view json, const Place& place) {
  if constexpr (is_read_as_text<T>()) {
    T out{};
    if (read_text(json, place, out)) return out;
  }
  return decode<T>(*parsed(json), place);
}

}  // namespace mcp::detail
