// C++ values -> JSON text, fields in the author's order.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/detail/types.hpp>
#include <mcp/plugin/field.hpp>

namespace mcp::detail {

/// Throws std::domain_error: a value has no name, though its enum has an mcp_enum, or because it has none.
[[noreturn]] void refuse_nameless(bool says_its_names);
/// Throws it again, and says where in the value it was: where the text that has been written ends.
[[noreturn]] void refuse_to_write(std::string_view written, const std::domain_error& why);
/// `,` unless the object or array has just been opened.
void append_separator(std::string& out);
void append_member_name(std::string& out, std::string_view name);

template <class T>
void append_json(std::string& out, const T& value);

template <NamedEnum E>
std::string_view required_name(E value) {
  const auto name = enum_name(value);
  if (name.empty()) refuse_nameless(SaysItsNames<E>);
  return name;
}

template <class Object, class Field>
void append_field(std::string& out, const Field& field, const Object& object) {
  const auto& member = field.of(object);
  if constexpr (is_optional<typename Field::Type>) {
    if (!member) return;
    append_member_name(out, field.name());
    append_json(out, *member);
  } else {
    append_member_name(out, field.name());
    append_json(out, member);
  }
}

template <class T>
void append_key(std::string& out, const T& key) {
  if constexpr (NamedEnum<T>) {
    append_member_name(out, required_name(key));
  } else {
    append_member_name(out, key);
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
    append_string(out, required_name(value));
  } else if constexpr (HasJsonForm<T>) {
    append_json<typename JsonForm<T>::As>(out, JsonForm<T>::to(value));
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    out += "null";
  } else if constexpr (is_variant<T>) {
    std::visit([&out](const auto& alternative) { append_json(out, alternative); }, value);
  } else if constexpr (is_tuple<T>) {
    out += '[';
    const auto append = [&out](const auto& item) {
      append_separator(out);
      append_json(out, item);
    };
    std::apply([&append](const auto&... item) { (append(item), ...); }, value);
    out += ']';
  } else if constexpr (is_optional<T>) {
    if (value) {
      append_json(out, *value);
    } else {
      out += "null";
    }
  } else if constexpr (is_list<T> || is_set<T> || is_array<T>) {
    out += '[';
    for (const typename T::value_type& item : value) {
      append_separator(out);
      append_json(out, item);
    }
    out += ']';
  } else if constexpr (is_map<T>) {
    out += '{';
    for (const auto& [name, member] : value) {
      append_key(out, name);
      append_json(out, member);
    }
    out += '}';
  } else if constexpr (Described<T>) {
    out += '{';
    for_each_field<T>([&](const auto& field) { append_field(out, field, value); });
    out += '}';
  } else if constexpr (std::is_same_v<T, Json>) {
    append_value(out, value);
  } else {
    require_json_form<T>();
  }
}

/// Throws std::domain_error that names the place of what has no JSON form, such as NaN.
template <class T>
std::string json_text(const T& value) {
  std::string text;
  try {
    append_json(text, value);
  } catch (const std::domain_error& error) {
    refuse_to_write(text, error);
  }
  return text;
}

}  // namespace mcp::detail
