// A callable of a prompt -> one handler, whatever it takes and returns.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>

#include <mcp/plugin/context.hpp>
#include <mcp/plugin/detail/callable.hpp>
#include <mcp/plugin/detail/result_conversion.hpp>
#include <mcp/plugin/prompt.hpp>
#include <mcp/plugin/variables.hpp>

namespace mcp::detail {

using PromptHandler = std::function<Messages(const Arguments& arguments, Context& context)>;

template <class R>
Messages prompt_messages(R&& result) {
  using T = std::decay_t<R>;
  if constexpr (std::is_same_v<T, Messages>) {
    return std::forward<R>(result);
  } else if constexpr (std::is_same_v<T, Message>) {
    return {std::forward<R>(result)};
  } else {
    static_assert(
        is_text<T> || std::is_same_v<T, Content>,
        "mcp: a prompt returns a text (one message of the user), mcp::Content, mcp::Message or mcp::Messages");
    return {user(std::forward<R>(result))};
  }
}

template <class F>
inline constexpr bool is_prompt_handler =
    std::is_invocable_v<const F&, const Arguments&, Context&> || std::is_invocable_v<const F&, const Arguments&> ||
    std::is_invocable_v<const F&, Context&> || std::is_invocable_v<const F&>;

template <class F>
constexpr bool check_prompt_handler() {
  static_assert(is_mutable<F>() || is_prompt_handler<F>,
                "mcp: the handler of a prompt takes nothing, (const mcp::Arguments&), (mcp::Context&), or both in this "
                "order");
  return check_not_mutable<F>() && is_prompt_handler<F>;
}

template <class F>
PromptHandler bind_prompt(F callable) {
  auto bound = std::make_shared<F>(std::move(callable));
  return [bound](const Arguments& arguments, Context& context) -> Messages {
    const F& call = *bound;
    if constexpr (std::is_invocable_v<const F&, const Arguments&, Context&>) {
      return prompt_messages(call(arguments, context));
    } else if constexpr (std::is_invocable_v<const F&, const Arguments&>) {
      return prompt_messages(call(arguments));
    } else if constexpr (std::is_invocable_v<const F&, Context&>) {
      return prompt_messages(call(context));
    } else {
      return prompt_messages(call());
    }
  };
}

}  // namespace mcp::detail
