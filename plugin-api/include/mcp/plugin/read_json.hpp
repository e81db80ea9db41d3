// read_json: JSON that an author has read, such as a file of settings, as a described struct or any other type that has
// a JSON form. A plain function.
#pragma once

#include <string_view>

#include <mcp/plugin/detail/decode.hpp>
#include <mcp/plugin/json.hpp>

namespace mcp {

/// Throws std::invalid_argument that says where the value is not what the type takes, and what it takes there:
/// members that a struct has no field for, missing ones, other types, and values that .min(), .max_length() and the
/// like do not allow. Patterns are not looked at. `name` is what the message calls the whole.
template <class T>
T read_json(const Json& value, std::string_view name = {}) {
  const detail::Place whole{nullptr, name};
  T read = detail::decode<T>(value, whole);
  detail::require_schema<T>(value, whole);
  return read;
}

}  // namespace mcp
