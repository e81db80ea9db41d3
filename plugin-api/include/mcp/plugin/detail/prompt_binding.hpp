// A callable of a prompt -> one handler, whatever it takes and returns.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <mcp/plugin/context.hpp>
#include <mcp/plugin/detail/callable.hpp>
#include <mcp/plugin/detail/result_conversion.hpp>
#include <mcp/plugin/detail/text_values.hpp>
#include <mcp/plugin/detail/tool_binding.hpp>
#include <mcp/plugin/prompt.hpp>
#include <mcp/plugin/variables.hpp>

namespace mcp::detail {

using PromptHandler = std::function<Messages(const Arguments& arguments, Context& context)>;

template <class R>
constexpr void require_prompt_result() {
  static_assert(std::is_same_v<R, Messages> || std::is_same_v<R, Message> || is_text<R> || std::is_same_v<R, Content>,
                "mcp: a prompt returns a text (one message of the user), mcp::Content, mcp::Message or mcp::Messages");
}

template <class R>
Messages prompt_messages(R&& result) {
  using T = std::decay_t<R>;
  if constexpr (std::is_same_v<T, Messages>) {
    return std::forward<R>(result);
  } else if constexpr (std::is_same_v<T, Message>) {
    return {std::forward<R>(result)};
  } else if constexpr (is_text<T>) {
    return {user(std::string_view(not_null<T>(result)))};
  } else {
    return {user(std::forward<R>(result))};
  }
}

/// What the handler returns, if it may return that.
template <class F, class... Given>
Messages messages_of(const F& call, Given&&... given) {
  using R = std::invoke_result_t<const F&, Given...>;
  require_prompt_result<std::decay_t<R>>();
  if constexpr (!std::is_void_v<R>) return prompt_messages(call(std::forward<Given>(given)...));
}

template <class F>
inline constexpr bool is_prompt_handler =
    std::is_invocable_v<const F&, const Arguments&, Context&> || std::is_invocable_v<const F&, const Arguments&> ||
    std::is_invocable_v<const F&, Context&> || std::is_invocable_v<const F&>;

template <class F>
constexpr bool check_prompt_handler() {
  static_assert(std::is_member_pointer_v<F> || is_mutable<F>() || is_prompt_handler<F>,
                "mcp: the handler of a prompt takes values, for each of which an mcp::arg follows it, or nothing, "
                "(const mcp::Arguments&), (mcp::Context&), or both in this order");
  return check_not_a_member<F>() && check_not_mutable<F>() && is_prompt_handler<F>;
}

template <class F>
PromptHandler bind_prompt(F callable) {
  auto bound = std::make_shared<F>(std::move(callable));
  return [bound](const Arguments& arguments, Context& context) -> Messages {
    const F& call = *bound;
    if constexpr (std::is_invocable_v<const F&, const Arguments&, Context&>) {
      return messages_of(call, arguments, context);
    } else if constexpr (std::is_invocable_v<const F&, const Arguments&>) {
      return messages_of(call, arguments);
    } else if constexpr (std::is_invocable_v<const F&, Context&>) {
      return messages_of(call, context);
    } else {
      return messages_of(call);
    }
  };
}

template <class F, std::size_t Names>
constexpr bool check_typed_prompt() {
  if constexpr (check_handler<F>()) {
    if constexpr (check_values<F>()) {
      constexpr bool named = ToolParameters<F>::count == Names;
      static_assert(named,
                    "mcp: give one mcp::arg(name, description) for each parameter of the handler, in their order; "
                    "mcp::Context& at the end does not count");
      if constexpr (named) return check_text_values<F>();
    }
  }
  return false;
}

/// Throws std::invalid_argument for what of an Arg means nothing for a prompt.
void require_prompt_modifiers(const Arg* args, std::size_t count);
/// The same for what means nothing for texts, which the arguments are that a handler takes as mcp::Arguments.
void require_text_modifiers(std::string_view prompt, const std::vector<Arg>& arguments);
/// Throws std::invalid_argument for a value that the Arg does not allow: nobody else looks at those of prompts.
void require_allowed(const Json& value, const Arg& arg);

/// What the type says of an argument: that it must be given, and what it may be.
template <class T>
void describe_prompt_argument(Arg& arg) {
  using Value = without_optional<T>;
  if (!is_optional<T> && arg.default_json().empty()) arg.required();
  if constexpr (NamedEnum<Value>) {
    if (!arg.choices_json().empty()) return;
    std::vector<std::string> names;
    names.reserve(enum_values<Value>.size());
    for (const auto& each : enum_values<Value>)
      names.emplace_back(each.name);
    arg.one_of(names);
  }
}

/// Throws a ProtocolError: what was given is what is wrong.
[[noreturn]] void refuse_prompt_values(const std::invalid_argument& why);

/// A prompt's arguments as they are sent.
struct TextArguments {
  const Arguments& texts;

  /// Nothing if it was not given.
  template <class T>
  std::optional<without_optional<T>> value(const Arg& arg) const {
    using Value = without_optional<T>;
    if (!texts.has(arg.name())) return std::nullopt;
    const auto json = json_of_text<Value>(texts[arg.name()]);
    auto value = decode<Value>(*json, Place{nullptr, arg.name()});
    require_allowed(*json, arg);
    return value;
  }
};

template <class Arguments>
auto prompt_values(const Arguments& arguments, const mcp::Arguments& texts) try {
  return arguments.values(TextArguments{texts});
} catch (const std::invalid_argument& error) {
  refuse_prompt_values(error);
}

template <class F, std::size_t Names, std::size_t... I>
PromptHandler bind_typed_prompt(std::string_view name, F callable, std::array<Arg, Names>& args,
                                std::index_sequence<I...>) try {
  using P = ToolParameters<F>;
  (describe_prompt_argument<typename P::template Value<I>>(args[I]), ...);
  require_prompt_modifiers(args.data(), Names);
  ArgumentList<typename P::template Value<I>...> arguments(args);
  auto bound = std::make_shared<std::pair<decltype(arguments), F>>(std::move(arguments), std::move(callable));
  return [bound](const Arguments& texts, Context& context) -> Messages {
    auto values = prompt_values(bound->first, texts);
    return messages_of([&] { return call_tool(bound->second, values, context); });
  };
} catch (const std::invalid_argument& error) {
  refuse_component("prompt", name, error);
}

}  // namespace mcp::detail
