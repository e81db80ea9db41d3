// Values from texts: a template's variables and a prompt's arguments, which have no other form in MCP. A handler that
// takes them by their types is called with one for each, in their order.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <mcp/plugin/context.hpp>
#include <mcp/plugin/detail/callable.hpp>
#include <mcp/plugin/detail/decode.hpp>
#include <mcp/plugin/detail/tool_parameters.hpp>

namespace mcp::detail {

template <class T>
inline constexpr bool has_text_form =
    std::is_same_v<T, std::string> || std::is_same_v<T, bool> || Number<T> || NamedEnum<T> || is_text_form<T>;

/// The number or truth value that a text says, or the text itself.
std::shared_ptr<const Json> scalar_of_text(std::string_view text);
std::shared_ptr<const Json> text_value(std::string_view text);

template <class T>
std::shared_ptr<const Json> json_of_text(std::string_view text) {
  return Number<T> || std::is_same_v<T, bool> ? scalar_of_text(text) : text_value(text);
}

/// Throws std::invalid_argument, with the place, for a text that is no such value.
template <class T>
T value_of_text(std::string_view text, const Place& place) {
  return decode<T>(*json_of_text<T>(text), place);
}

template <class F, std::size_t... I>
constexpr bool all_values_have_text_form(std::index_sequence<I...>) {
  return (has_text_form<without_optional<typename ToolParameters<F>::template Value<I>>> && ...);
}

/// Of a callable whose parameters have types.
template <class F>
constexpr bool check_text_values() {
  if constexpr (check_values<F>()) {
    constexpr bool fit = all_values_have_text_form<F>(ToolParameters<F>::indices);
    static_assert(fit,
                  "mcp: the variables of a template and the arguments of a prompt are texts: take them as numbers, "
                  "bool, std::string, enums, dates, durations, std::filesystem::path, or std::optional of those");
    return fit && check_not_mutable<F>();
  }
  return false;
}

}  // namespace mcp::detail
