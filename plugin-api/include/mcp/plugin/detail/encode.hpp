// C++ values -> JSON text, fields in the author's order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/detail/types.hpp>
#include <mcp/plugin/field.hpp>

namespace mcp::detail {

/// Throws std::domain_error for a value that its enum gives no name.
void append_enum_name(std::string& out, std::string_view name);
/// `,` unless the object or array has just been opened.
void append_separator(std::string& out);
void append_member_name(std::string& out, std::string_view name);

template <class T>
void append_json(std::string& out, const T& value);

template <class Object, class Class, class Member, std::size_t N>
void append_field(std::string& out, const Field<Class, Member, N>& field, const Object& object) {
  const Member& member = object.*field.member();
  if constexpr (is_optional<Member>) {
    if (!member) return;
    append_member_name(out, field.name());
    append_json(out, *member);
  } else {
    append_member_name(out, field.name());
    append_json(out, member);
  }
}

template <class T>
void append_json(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    append_boolean(out, value);
  } else if constexpr (Integer<T> && std::is_signed_v<T>) {
    append_integer(out, value);
  } else if constexpr (Integer<T>) {
    append_unsigned(out, value);
  } else if constexpr (std::is_same_v<T, long double>) {
    append_number(out, static_cast<double>(value));
  } else if constexpr (Number<T>) {
    append_number(out, value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    append_string(out, value);
  } else if constexpr (NamedEnum<T>) {
    append_enum_name(out, enum_name(value));
  } else if constexpr (is_optional<T>) {
    if (value) {
      append_json(out, *value);
    } else {
      out += "null";
    }
  } else if constexpr (is_list<T>) {
    out += '[';
    for (const typename T::value_type& item : value) {
      append_separator(out);
      append_json(out, item);
    }
    out += ']';
  } else if constexpr (is_map<T>) {
    out += '{';
    for (const auto& [name, member] : value) {
      append_member_name(out, name);
      append_json(out, member);
    }
    out += '}';
  } else if constexpr (Described<T>) {
    out += '{';
    for_each_field<T>([&](const auto& field) { append_field(out, field, value); });
    out += '}';
  } else {
    append_value(out, value);
  }
}

template <class T>
std::string json_text(const T& value) {
  std::string text;
  append_json(text, value);
  return text;
}

}  // namespace mcp::detail
