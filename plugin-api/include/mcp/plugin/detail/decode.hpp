// JSON -> C++ values. Arguments have been checked against the published schema before they come here, so what is left
// is conversion, and refusal of what the type cannot hold: std::invalid_argument that names the place.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <mcp/plugin/detail/types.hpp>
#include <mcp/plugin/field.hpp>

namespace mcp::detail {

/// Where a value lies in the whole, for messages; a list from the inside out, on the stack.
struct Place {
  const Place* parent = nullptr;
  std::string_view name;
  std::size_t index = 0;
};

[[noreturn]] void refuse(const Place& place, std::string_view why);
[[noreturn]] void refuse_name(const Json& value, const Place& place, const std::vector<std::string_view>& allowed);

bool decode_boolean(const Json& value, const Place& place);
std::int64_t decode_integer(const Json& value, const Place& place, std::int64_t min, std::int64_t max);
std::uint64_t decode_unsigned(const Json& value, const Place& place, std::uint64_t max);
double decode_number(const Json& value, const Place& place);
const std::string& decode_string(const Json& value, const Place& place);
std::size_t list_size(const Json& value, const Place& place);
const Json& list_item(const Json& value, std::size_t index);
std::vector<std::pair<const std::string*, const Json*>> members(const Json& value, const Place& place);
void require_object(const Json& value, const Place& place);
/// Null if the object has no such member.
const Json* find_member(const Json& object, std::string_view name);
/// Adds "\"roots[0].writeable\" is not one of name, path, writable" for every member that is not one of the names.
void add_strangers(const Json& object, const Place& place, const std::vector<std::string_view>& names,
                   std::vector<std::string>& strangers);
bool is_null(const Json& value);
void copy(const Json& from, Json& to);

template <class T>
T decode(const Json& value, const Place& place);

template <NamedEnum E>
E decode_enum(const Json& value, const Place& place) {
  const std::string& name = decode_string(value, place);
  std::vector<std::string_view> allowed;
  for (const auto& each : mcp_enum(E{})) {
    if (each.name == name) return each.value;
    allowed.push_back(each.name);
  }
  refuse_name(value, place, allowed);
}

/// The default of a field, which the compiler has checked.
template <class T>
T from_scalar(const Scalar& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return std::get<bool>(value);
  } else if constexpr (Integer<T> && std::is_signed_v<T>) {
    return static_cast<T>(std::get<std::int64_t>(value));
  } else if constexpr (Integer<T>) {
    return static_cast<T>(std::get<std::uint64_t>(value));
  } else if constexpr (Number<T>) {
    return static_cast<T>(std::get<double>(value));
  } else if constexpr (NamedEnum<T>) {
    for (const auto& each : mcp_enum(T{})) {
      if (each.name == std::get<std::string_view>(value)) return each.value;
    }
    return T{};
  } else {
    return T(std::get<std::string_view>(value));
  }
}

template <class Object, class Class, class Member, std::size_t N>
void decode_field(const Json& value, const Place& place, const Field<Class, Member, N>& field, Object& out) {
  const Json* found = find_member(value, field.name());
  if (found && is_null(*found) && !std::is_same_v<Member, Json>) found = nullptr;
  if (found) {
    out.*field.member() = decode<Member>(*found, Place{&place, field.name()});
    return;
  }
  using Value = without_optional<Member>;
  if constexpr (Number<Value> || std::is_same_v<Value, bool> || std::is_same_v<Value, std::string> ||
                NamedEnum<Value>) {
    if (const Scalar fallback = field.default_scalar(); fallback.index() != 0) {
      out.*field.member() = from_scalar<Value>(fallback);
      return;
    }
  }
  if constexpr (!is_optional<Member>) refuse(Place{&place, field.name()}, "is missing");
}

template <Described T>
T decode_described(const Json& value, const Place& place) {
  require_object(value, place);
  T out{};
  for_each_field<T>([&](const auto& field) { decode_field(value, place, field, out); });
  return out;
}

template <class T>
T decode_list(const Json& value, const Place& place) {
  T out;
  const std::size_t size = list_size(value, place);
  out.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    out.push_back(decode<typename T::value_type>(list_item(value, i), Place{&place, {}, i}));
  }
  return out;
}

template <class T>
T decode_map(const Json& value, const Place& place) {
  T out;
  for (const auto& [name, member] : members(value, place)) {
    out.emplace(*name, decode<typename T::mapped_type>(*member, Place{&place, *name}));
  }
  return out;
}

template <class T>
T decode(const Json& value, const Place& place) {
  require_json_form<T>();
  if constexpr (std::is_same_v<T, bool>) {
    return decode_boolean(value, place);
  } else if constexpr (Integer<T> && std::is_signed_v<T>) {
    return static_cast<T>(decode_integer(value, place, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else if constexpr (Integer<T>) {
    return static_cast<T>(decode_unsigned(value, place, std::numeric_limits<T>::max()));
  } else if constexpr (Number<T>) {
    return static_cast<T>(decode_number(value, place));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return decode_string(value, place);
  } else if constexpr (NamedEnum<T>) {
    return decode_enum<T>(value, place);
  } else if constexpr (is_optional<T>) {
    return is_null(value) ? T{} : T(decode<typename T::value_type>(value, place));
  } else if constexpr (is_list<T>) {
    return decode_list<T>(value, place);
  } else if constexpr (is_map<T>) {
    return decode_map<T>(value, place);
  } else if constexpr (Described<T>) {
    return decode_described<T>(value, place);
  } else {
    T out;
    copy(value, out);
    return out;
  }
}

/// What a described struct does not have a field for: most likely a mistyped name. Looks into structs and lists of
/// them.
template <class T>
void find_strangers(const Json& value, const Place& place, std::vector<std::string>& strangers) {
  if constexpr (is_optional<T>) {
    find_strangers<typename T::value_type>(value, place, strangers);
  } else if constexpr (is_list<T>) {
    for (std::size_t i = 0; i < list_size(value, place); ++i)
      find_strangers<typename T::value_type>(list_item(value, i), Place{&place, {}, i}, strangers);
  } else if constexpr (Described<T>) {
    std::vector<std::string_view> names;
    for_each_field<T>([&]<class Class, class Member, std::size_t N>(const Field<Class, Member, N>& field) {
      names.push_back(field.name());
      const Json* member = find_member(value, field.name());
      if (member && !is_null(*member)) find_strangers<Member>(*member, Place{&place, field.name()}, strangers);
    });
    add_strangers(value, place, names, strangers);
  }
}

}  // namespace mcp::detail
