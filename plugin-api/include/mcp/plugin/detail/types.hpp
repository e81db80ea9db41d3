// Which C++ types have a JSON form, and the words a person reads who used one that has not.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include <mcp/plugin/json.hpp>

namespace mcp::detail {

template <class T>
inline constexpr bool is_character =
    std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
    std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool> && !is_character<T>;

template <class T>
concept Number = Integer<T> || std::is_floating_point_v<T>;

/// A struct that says what its fields are: static constexpr auto fields() { return std::tuple{mcp::field(...), ...}; }
template <class T>
concept Described = std::is_class_v<T> && requires {
  T::fields();
};

/// An enum that says what its values are called: constexpr auto mcp_enum(E) { return mcp::enum_names<E>({...}); }
template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) {
  mcp_enum(value);
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_list = false;
template <class T, class A>
inline constexpr bool is_list<std::vector<T, A>> = true;

template <class T>
inline constexpr bool is_map = false;
template <class T, class C, class A>
inline constexpr bool is_map<std::map<std::string, T, C, A>> = true;
template <class T, class H, class E, class A>
inline constexpr bool is_map<std::unordered_map<std::string, T, H, E, A>> = true;

template <class T>
struct WithoutOptional {
  using type = T;
};
template <class T>
struct WithoutOptional<std::optional<T>> {
  using type = T;
};
/// T of std::optional<T>, else the type itself.
template <class T>
using without_optional = typename WithoutOptional<T>::type;

template <class T>
inline constexpr bool has_json_form =
    std::is_same_v<T, bool> || Number<T> || std::is_same_v<T, std::string> || NamedEnum<T> || is_optional<T> ||
    is_list<T> || is_map<T> || Described<T> || std::is_same_v<T, Json>;

/// Compiles for a type that can be an argument or a field, and says what to write instead for one that cannot.
template <class T>
constexpr void require_json_form() {
  constexpr bool is_text_view = std::is_same_v<T, std::string_view> || std::is_pointer_v<T>;
  static_assert(!is_text_view,
                "mcp: std::string_view and pointers cannot be arguments or fields, because nothing would own what they "
                "point to: use std::string");
  static_assert(!std::is_enum_v<T> || NamedEnum<T>,
                "mcp: the values of this enum have no names: beside the enum E write constexpr auto mcp_enum(E) { "
                "return mcp::enum_names<E>({{E::First, \"first\"}, ...}); }");
  static_assert(!is_character<T>, "mcp: a character type has no JSON form: use std::string, or an integer type");
  static_assert(has_json_form<T> || is_text_view || std::is_enum_v<T> || is_character<T>,
                "mcp: this type has no JSON form: use numbers, bool, std::string, named enums, std::optional, "
                "std::vector, std::map<std::string, T>, mcp::Json, or a struct with static constexpr auto fields()");
}

}  // namespace mcp::detail
