// The names of an enum's values, as clients see them. Beside the enum, in its own namespace:
//
//     enum class Unit { Celsius, Fahrenheit };
//     constexpr auto mcp_enum(Unit) {
//       return mcp::enum_names<Unit>({{Unit::Celsius, "celsius"}, {Unit::Fahrenheit, "fahrenheit"}});
//     }
//
// A third text is the value's title, which forms show to people: {Unit::Celsius, "celsius", "Degrees Celsius"}.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace mcp {

template <class E>
struct EnumName {
  E value;
  std::string_view name;
  std::string_view title = {};
};

template <class E, std::size_t N>
constexpr std::array<EnumName<E>, N> enum_names(const EnumName<E> (&names)[N]) {
  std::array<EnumName<E>, N> list{};
  for (std::size_t i = 0; i < N; ++i)
    list[i] = names[i];
  return list;
}

namespace detail {

/// The name of a value, or an empty text for a value that has none.
template <class E>
constexpr std::string_view enum_name(E value) {
  for (const auto& each : mcp_enum(value)) {
    if (each.value == value) return each.name;
  }
  return {};
}

}  // namespace detail
}  // namespace mcp
