// A bound, a default or an allowed value as a constant expression: one of JSON's scalars.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <mcp/plugin/detail/types.hpp>
#include <mcp/plugin/enum_names.hpp>

namespace mcp::detail {

using Scalar = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string_view>;

template <class T>
constexpr Scalar scalar(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (Integer<T> && std::is_signed_v<T>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (Integer<T>) {
    return static_cast<std::uint64_t>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else if constexpr (NamedEnum<T>) {
    return enum_name(value);
  } else {
    static_assert(std::is_convertible_v<const T&, std::string_view>,
                  "mcp: a bound, a default or an allowed value is a number, a bool, a text or a value of a named enum");
    return std::string_view(value);
  }
}

std::string scalar_text(const Scalar& value);

}  // namespace mcp::detail
