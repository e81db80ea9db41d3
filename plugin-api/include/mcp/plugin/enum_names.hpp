// The names of an enum's values, as clients see them: as they are written in the source, unless the enum says others.
// Only the values from -128 to 255 are looked for: an enum that has more says the names of all. Beside it, in its own
// namespace:
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

#include <mcp/plugin/detail/types.hpp>

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

template <class E>
constexpr auto named_values() {
  std::array<EnumName<E>, count_named_values<E>()> list{};
  std::size_t count = 0;
  for_each_name<E>([&](const auto& each) { list[count++] = {static_cast<E>(each.value), each.name}; });
  return list;
}

/// All values that have a name.
template <NamedEnum E>
inline constexpr auto enum_values = [] {
  if constexpr (SaysItsNames<E>) {
    return mcp_enum(E{});
  } else {
    return named_values<E>();
  }
}();

/// The name of a value, or an empty text for a value that has none.
template <class E>
constexpr std::string_view enum_name(E value) {
  for (const auto& each : enum_values<E>) {
    if (each.value == value) return each.name;
  }
  return {};
}

}  // namespace detail
}  // namespace mcp
