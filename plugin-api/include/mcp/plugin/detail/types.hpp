// Which C++ types have a JSON form, and the words a person reads who used one that has not.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <mcp/plugin/detail/reflection.hpp>
#include <mcp/plugin/json.hpp>
#include <mcp/plugin/json_form.hpp>

namespace mcp::detail {

template <class T>
inline constexpr bool is_character =
    std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
    std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

/// __int128, which is an integer to -std=gnu++20: it would be cut to the 64 bits that are written and read.
template <class T>
inline constexpr bool is_wide_integer = false;
template <std::integral T>
inline constexpr bool is_wide_integer<T> = (sizeof(T) > sizeof(std::int64_t));

template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool> && !is_character<T> && !is_wide_integer<T>;

template <class T>
concept Number = Integer<T> || std::is_floating_point_v<T>;

/// It is written as a value of another type.
template <class T>
concept HasJsonForm = requires {
  typename JsonForm<T>::As;
};

/// As a text.
template <class T>
inline constexpr bool is_text_form = false;
template <HasJsonForm T>
inline constexpr bool is_text_form<T> = std::is_same_v<typename JsonForm<T>::As, std::string>;

/// A struct that says what its fields are: static constexpr auto fields() { return std::tuple{mcp::field(...), ...}; }
template <class T>
concept SaysItsFields = std::is_class_v<T> && requires {
  T::fields();
};

/// A struct that is nothing but its members, which are its fields. An std::array is none, because it is like a tuple.
template <class T>
concept PlainStruct =
    std::is_class_v<T> && std::is_aggregate_v<T> && !SaysItsFields<T> && !HasJsonForm<T> && !requires {
  std::tuple_size<T>::value;
}
&&!std::is_same_v<T, std::monostate>;

template <class T>
concept Described = SaysItsFields<T> || PlainStruct<T>;

/// An enum that says what its values are called: constexpr auto mcp_enum(E) { return mcp::enum_names<E>({...}); }
template <class T>
concept SaysItsNames = std::is_enum_v<T> && requires(T value) {
  mcp_enum(value);
};

/// One whose values have names, as it says or as they are written.
template <class T>
concept NamedEnum = SaysItsNames<T> ||(std::is_enum_v<T>&& count_named_values<T>() > 0);

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Not one of itself, as nlohmann::ordered_json is, which would have no end.
template <class T>
concept Container =
    std::is_class_v<T> && !std::is_same_v<T, std::string> && !std::is_same_v<T, Json> && !HasJsonForm<T> && requires {
  typename T::value_type;
}
&&!std::is_same_v<typename T::value_type, T>;

/// std::vector, std::deque, std::list
template <class T>
inline constexpr bool is_list = false;
template <Container T>
inline constexpr bool is_list<T> = requires(T list, typename T::value_type value) {
  list.push_back(std::move(value));
};

/// It has each key once, and says of what it inserts whether it is new. A std::multiset does neither.
template <class T>
concept KeyContainer = Container<T> && requires(T container, typename T::value_type value) {
  typename T::key_type;
  container.insert(std::move(value)).second;
};
template <class T>
concept MapContainer = KeyContainer<T> && requires {
  typename T::mapped_type;
};

/// std::set, std::unordered_set
template <class T>
inline constexpr bool is_set = KeyContainer<T> && !MapContainer<T>;

/// std::map, std::unordered_map, whose keys are texts or enums
template <class T>
inline constexpr bool is_map = false;
template <MapContainer T>
inline constexpr bool is_map<T> = std::is_same_v<typename T::key_type, std::string> || NamedEnum<typename T::key_type>;

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;

/// std::tuple, std::pair
template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class T, class U>
inline constexpr bool is_tuple<std::pair<T, U>> = true;

template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;

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

/// Null is one of its values.
template <class T>
inline constexpr bool takes_null = is_optional<T> || std::is_same_v<T, std::monostate> || std::is_same_v<T, Json>;
template <HasJsonForm T>
inline constexpr bool takes_null<T> = takes_null<typename JsonForm<T>::As>;
template <class... T>
requires(!HasJsonForm<std::variant<T...>>) inline constexpr bool takes_null<std::variant<T...>> = (takes_null<T> ||
                                                                                                   ...);

/// Every value of U is one of T, as they are in JSON.
template <class T, class U>
constexpr bool takes_all_of() {
  if constexpr (std::is_same_v<T, Json>) {
    return true;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::is_same_v<U, std::string> || NamedEnum<U> || is_text_form<U>;
  } else if constexpr (Integer<T> && Integer<U>) {
    return std::cmp_less_equal(std::numeric_limits<T>::min(), std::numeric_limits<U>::min()) &&
           std::cmp_greater_equal(std::numeric_limits<T>::max(), std::numeric_limits<U>::max());
  } else {
    return std::is_floating_point_v<T> && Number<U>;
  }
}

/// Whether each alternative of a variant has values that none before it takes.
template <class... T>
constexpr bool all_are_reachable(std::variant<T...>*) {
  std::size_t alternative = 0;
  const auto is_reachable = [&alternative]<class U>(std::type_identity<U>) {
    const std::size_t before = alternative++;
    std::size_t other = 0;
    return !((other++ < before && takes_all_of<without_optional<T>, U>()) || ...);
  };
  return (is_reachable(std::type_identity<T>()) && ...);
}

template <class T>
inline constexpr bool has_json_form =
    std::is_same_v<T, bool> || Number<T> || std::is_same_v<T, std::string> || NamedEnum<T> || HasJsonForm<T> ||
    is_optional<T> || is_list<T> || is_set<T> || is_map<T> || is_array<T> || is_tuple<T> || is_variant<T> ||
    std::is_same_v<T, std::monostate> || Described<T> || std::is_same_v<T, Json>;

/// Compiles for a type that can be an argument or a field, and says what to write instead for one that cannot.
template <class T>
constexpr void require_json_form() {
  constexpr bool is_text_view = std::is_same_v<T, std::string_view> || std::is_pointer_v<T>;
  static_assert(!is_text_view,
                "mcp: std::string_view and pointers cannot be arguments or fields, because nothing would own what they "
                "point to: use std::string");
  static_assert(!std::is_enum_v<T> || NamedEnum<T>,
                "mcp: no value of this enum from -128 to 255 has a name, or it is an enum without class and without an "
                "underlying type: beside the enum E write constexpr auto mcp_enum(E) { "
                "return mcp::enum_names<E>({{E::First, \"first\"}, ...}); }");
  static_assert(!is_character<T>, "mcp: a character type has no JSON form: use std::string, or an integer type");
  static_assert(
      has_json_form<T> || !is_wide_integer<T>,
      "mcp: an integer of more than 64 bits has no JSON form: use std::int64_t, std::uint64_t, or std::string "
      "for its digits");
  static_assert(
      has_json_form<T> || is_text_view || std::is_enum_v<T> || is_character<T> || is_wide_integer<T>,
      "mcp: this type has no JSON form: use numbers, bool, std::string, enums, std::optional, the standard "
      "library's containers, variants, dates and durations, std::filesystem::path, mcp::Json, a struct that has "
      "only members, or a class with static constexpr auto fields(); or say its form in mcp::JsonForm");
}

}  // namespace mcp::detail
