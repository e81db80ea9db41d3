// What a handler of a tool may take, and the words a person reads whose handler takes something else.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <mcp/plugin/call.hpp>
#include <mcp/plugin/context.hpp>
#include <mcp/plugin/detail/callable.hpp>
#include <mcp/plugin/detail/types.hpp>

namespace mcp::detail {

/// The callable's parameters as a tool sees them: values, and at the end perhaps the context or the call.
template <class F>
struct ToolParameters {
  using All = typename Signature<F>::Parameters;
  static constexpr std::size_t all_count = std::tuple_size_v<All>;

  template <class T>
  static constexpr bool ends_with() {
    if constexpr (all_count == 0) {
      return false;
    } else {
      return std::is_same_v<std::tuple_element_t<all_count - 1, All>, T>;
    }
  }

  static constexpr bool takes_context = ends_with<Context&>();
  static constexpr bool takes_call = ends_with<Call>() || ends_with<Call&&>();
  static constexpr std::size_t count = all_count - (takes_context || takes_call ? 1 : 0);

  template <std::size_t I>
  using Raw = std::tuple_element_t<I, All>;
  /// What is kept of an argument while the handler runs: of a std::string_view, the text that it looks at.
  template <std::size_t I>
  using Value = std::conditional_t<std::is_same_v<std::remove_cvref_t<Raw<I>>, std::string_view> && !takes_call,
                                   std::string, std::remove_cvref_t<Raw<I>>>;

  static constexpr auto indices = std::make_index_sequence<count>();

  template <class T, std::size_t... I>
  static constexpr bool any_value_is(std::index_sequence<I...>) {
    return (std::is_same_v<Value<I>, T> || ...);
  }
  template <std::size_t... I>
  static constexpr bool any_is_mutable_reference(std::index_sequence<I...>) {
    return ((std::is_lvalue_reference_v<Raw<I>> && !std::is_const_v<std::remove_reference_t<Raw<I>>>) || ...);
  }

  /// The one parameter is a described struct, whose fields are the tool's arguments.
  static constexpr bool is_one_struct() {
    if constexpr (count == 1) {
      return Described<Value<0>>;
    } else {
      return false;
    }
  }
};

/// False after telling the author why, so that the compiler says nothing else about the same mistake.
template <class F>
constexpr bool check_handler() {
  static_assert(
      Callable<F> || std::is_member_pointer_v<F>,
      "mcp: the handler must be a function or a lambda whose parameters have types: write (double a), not "
      "(auto a), because the schema comes from them. If the compiler finds a mistake in its body, mend that one");
  return check_not_a_member<F>() && Callable<F> && check_not_mutable<F>();
}

template <class F>
constexpr bool check_references() {
  using P = ToolParameters<F>;
  constexpr bool context_by_value = P::template any_value_is<Context>(P::indices);
  constexpr bool mutable_reference = P::any_is_mutable_reference(P::indices) && !context_by_value;
  static_assert(!context_by_value, "mcp: take the context as the last parameter, by reference: mcp::Context&");
  static_assert(!mutable_reference, "mcp: take arguments by value or by const reference, and mcp::Context& at the end");
  return !context_by_value && !mutable_reference;
}

/// Of a callable that takes values, and is not answered later.
template <class F>
constexpr bool check_values() {
  using P = ToolParameters<F>;
  constexpr bool takes_call = P::takes_call || P::template any_value_is<Call>(P::indices);
  static_assert(!takes_call, "mcp: a handler that takes mcp::Call is for plugin.async_tool");
  if constexpr (takes_call) {
    return false;
  } else {
    return check_references<F>();
  }
}

template <class F, std::size_t Names>
constexpr bool check_names() {
  using P = ToolParameters<F>;
  constexpr bool raw = P::template any_value_is<Json>(P::indices) && P::count == 1 && Names == 0;
  constexpr bool named = raw || Names == P::count || (Names == 0 && P::is_one_struct());
  static_assert(!raw,
                "mcp: a handler that takes mcp::Json as it is has no schema of its own: use plugin.raw_tool(name, "
                "description, schema, handler)");
  static_assert(named,
                "mcp: give one mcp::arg(name, description) for each parameter of the handler, in their order; "
                "mcp::Context& and mcp::Call at the end do not count, and one struct, whose members are the arguments, "
                "needs none");
  return !raw && named;
}

/// Before anything is made of them, so that the compiler has less to say of where it was.
template <class F, std::size_t... I>
constexpr bool check_types(std::index_sequence<I...>) {
  using P = ToolParameters<F>;
  (require_json_form<without_optional<typename P::template Value<I>>>(), ...);
  return (has_json_form<without_optional<typename P::template Value<I>>> && ...);
}

template <class F, std::size_t Names>
constexpr bool check_arguments() {
  if constexpr (check_names<F, Names>()) return check_types<F>(ToolParameters<F>::indices);
  return false;
}

template <class F, std::size_t Names>
constexpr bool check_tool() {
  if constexpr (check_handler<F>()) {
    if constexpr (check_values<F>()) return check_arguments<F, Names>();
  }
  return false;
}

template <class F, std::size_t Names>
constexpr bool check_async_tool() {
  if constexpr (check_handler<F>()) {
    constexpr bool takes_call = ToolParameters<F>::takes_call;
    constexpr bool returns_nothing = std::is_void_v<typename Signature<F>::Result>;
    static_assert(takes_call, "mcp: the last parameter of an asynchronous tool's handler is mcp::Call");
    static_assert(returns_nothing,
                  "mcp: an asynchronous tool answers with call.complete(result), so its handler returns nothing");
    if constexpr (takes_call && returns_nothing) {
      if constexpr (check_references<F>()) return check_arguments<F, Names>();
    }
  }
  return false;
}

template <class F>
constexpr bool check_raw_tool() {
  if constexpr (check_not_a_member<F>()) {
    constexpr bool fits =
        std::is_invocable_v<const F&, const Json&> || std::is_invocable_v<const F&, const Json&, Context&>;
    constexpr bool fits_if_mutable =
        std::is_invocable_v<F&, const Json&> || std::is_invocable_v<F&, const Json&, Context&>;
    if constexpr (!fits && fits_if_mutable) return check_not_mutable<F>();
    static_assert(fits || fits_if_mutable,
                  "mcp: the handler of a raw tool takes (const mcp::Json& arguments), and mcp::Context& if it likes");
    return fits;
  }
  return false;
}

template <class F>
constexpr bool check_raw_async_tool() {
  if constexpr (check_not_a_member<F>()) {
    constexpr bool fits = std::is_invocable_r_v<void, const F&, const Json&, Call>;
    static_assert(fits,
                  "mcp: the handler of an asynchronous raw tool takes (const mcp::Json& arguments, mcp::Call call) and "
                  "returns nothing");
    return fits;
  }
  return false;
}

}  // namespace mcp::detail
