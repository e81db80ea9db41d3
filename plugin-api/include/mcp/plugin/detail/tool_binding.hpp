// A callable and the names of its parameters -> a handler that takes JSON text, and the schemas that say so.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <mcp/plugin/arg.hpp>
#include <mcp/plugin/call.hpp>
#include <mcp/plugin/context.hpp>
#include <mcp/plugin/detail/decode.hpp>
#include <mcp/plugin/detail/read_text.hpp>
#include <mcp/plugin/detail/result_conversion.hpp>
#include <mcp/plugin/detail/schema.hpp>
#include <mcp/plugin/detail/tool_parameters.hpp>

namespace mcp::detail {

// The arguments are the text of one JSON object.
using ToolHandler = std::function<ToolResult(std::string_view arguments, Context& context)>;
using AsyncToolHandler = std::function<void(std::string_view arguments, Call call)>;

/// One of the two handlers is set.
struct ToolBinding {
  std::string input_schema;
  std::string output_schema;
  ToolHandler handler;
  AsyncToolHandler async_handler;
};

/// What follows the handler.
template <class... Args>
std::array<Arg, sizeof...(Args)> arg_array(Args&&... args) {
  constexpr bool only_args = (std::is_same_v<std::remove_cvref_t<Args>, Arg> && ...);
  static_assert(only_args, "mcp: after the handler follow only mcp::arg(name, description)");
  if constexpr (only_args) {
    return {std::forward<Args>(args)...};
  } else {
    return {((void)args, Arg({}, {}))...};
  }
}

/// Throws std::invalid_argument that says what of an Arg does not fit its parameter: "the default of".
[[noreturn]] void refuse_modifier(std::string_view what, const std::invalid_argument& why);

/// A tool's arguments as they are written.
struct WrittenArguments {
  const MembersText& members;

  /// Nothing if it was not given. Null is the same, unless it is a value.
  template <class T>
  std::optional<without_optional<T>> value(const Arg& arg) const {
    const std::string_view json = members.find(arg.name());
    if (json.empty() || (json == "null" && (is_optional<T> || !takes_null<T>))) return std::nullopt;
    return decode_text<without_optional<T>>(json, Place{nullptr, arg.name()});
  }
};

/// The same as a tree, where they are written unusually.
struct JsonArguments {
  const Json& object;

  template <class T>
  std::optional<without_optional<T>> value(const Arg& arg) const {
    const Json* value = find_member(object, arg.name());
    if (!value || (is_null(*value) && (is_optional<T> || !takes_null<T>))) return std::nullopt;
    return decode<without_optional<T>>(*value, Place{nullptr, arg.name()});
  }
};

/// The values of a handler's parameters.
template <class... Value>
class ArgumentList {
 public:
  /// Throws std::invalid_argument for what does not fit.
  explicit ArgumentList(const std::array<Arg, sizeof...(Value)>& args)
      : ArgumentList(args, std::index_sequence_for<Value...>()) {}

  std::string schema() const { return schema_; }

  std::tuple<Value...> decode(std::string_view json) const {
    MembersText members;
    if (members.read(json)) return values(WrittenArguments{members});
    return values(JsonArguments{*parsed(json)});
  }

  template <class Given>
  std::tuple<Value...> values(const Given& given) const {
    return values(given, std::index_sequence_for<Value...>());
  }

 private:
  template <std::size_t... I>
  ArgumentList(const std::array<Arg, sizeof...(Value)>& args, std::index_sequence<I...>)
      : args_(args), defaults_{default_of<Value>(args[I])...} {
    require_unique_names(args.data(), args.size());
    ObjectSchema object;
    [[maybe_unused]] const SchemaPlace root = SchemaPlace::root(SchemaUse::Input);
    (add_argument<Value>(object, args[I], root), ...);
    (require_choices<Value>(args[I]), ...);
    schema_ = object.schema(SchemaUse::Input).text();
  }

  template <class T>
  static std::optional<without_optional<T>> default_of(const Arg& arg) try {
    if (arg.default_json().empty()) return std::nullopt;
    return mcp::detail::decode<without_optional<T>>(*parsed(arg.default_json()), Place{nullptr, arg.name()});
  } catch (const std::invalid_argument& error) {
    refuse_modifier("the default of", error);
  }

  template <class T>
  static void require_choices(const Arg& arg) try {
    if (arg.choices_json().empty()) return;
    const Place place{nullptr, arg.name()};
    const auto choices = parsed(arg.choices_json());
    for (std::size_t i = 0; i < list_size(*choices, place); ++i)
      mcp::detail::decode<without_optional<T>>(list_item(*choices, i), place);
  } catch (const std::invalid_argument& error) {
    refuse_modifier("a choice of", error);
  }

  template <class T, class Given>
  static T value_of(const Given& given, const Arg& arg, const std::optional<without_optional<T>>& fallback) {
    if (auto value = given.template value<T>(arg)) return *std::move(value);
    if (fallback) return *fallback;
    if constexpr (is_optional<T>) {
      return std::nullopt;
    } else {
      refuse(Place{nullptr, arg.name()}, "is missing");
    }
  }

  // Braces, so that the arguments are looked at in their order and the first that is wrong is the one that is named.
  template <class Given, std::size_t... I>
  std::tuple<Value...> values(const Given& given, std::index_sequence<I...>) const {
    return std::tuple<Value...>{value_of<Value>(given, args_[I], std::get<I>(defaults_))...};
  }

  std::array<Arg, sizeof...(Value)> args_;
  std::tuple<std::optional<without_optional<Value>>...> defaults_;
  std::string schema_;
};

/// The fields of the one struct that a handler takes.
template <Described T>
class StructArguments {
 public:
  std::string schema() const { return described_schema<T>(SchemaPlace::root(SchemaUse::Input)).text(); }
  std::tuple<T> decode(std::string_view json) const { return {decode_text<T>(json, Place{})}; }
};

/// Throws a ToolError: what the model gave is what is wrong.
[[noreturn]] void refuse_arguments(const std::invalid_argument& why);
template <class Arguments>
auto decoded(const Arguments& arguments, std::string_view json) try {
  return arguments.decode(json);
} catch (const std::invalid_argument& error) {
  refuse_arguments(error);
}

/// Throws std::invalid_argument that names the component: of the kind "tool" or "prompt".
[[noreturn]] void refuse_component(std::string_view kind, std::string_view name, const std::invalid_argument& why);

template <class Parameters, std::size_t Names, std::size_t... I>
auto bind_parameters(const std::array<Arg, Names>& args, std::index_sequence<I...>) {
  return ArgumentList<typename Parameters::template Value<I>...>(args);
}

template <class F, std::size_t Names>
auto bind_arguments(const std::array<Arg, Names>& args) {
  using P = ToolParameters<F>;
  if constexpr (Names == 0 && P::is_one_struct()) {
    return StructArguments<typename P::template Value<0>>();
  } else {
    return bind_parameters<P>(args, std::make_index_sequence<Names>());
  }
}

/// Calls with the values moved, and with what follows them.
template <class F, class Values, class... Trailing>
decltype(auto) apply_values(const F& callable, Values&& values, Trailing&&... trailing) {
  return std::apply(
      [&](auto&... value) -> decltype(auto) {
        return callable(std::move(value)..., std::forward<Trailing>(trailing)...);
      },
      values);
}

template <class F, class Values>
decltype(auto) call_tool(const F& callable, Values&& values, Context& context) {
  if constexpr (ToolParameters<F>::takes_context) {
    return apply_values(callable, values, context);
  } else {
    return apply_values(callable, values);
  }
}

template <class Invoke>
ToolResult result_of(const Invoke& invoke) {
  if constexpr (std::is_void_v<decltype(invoke())>) {
    invoke();
    return {};
  } else {
    return tool_result(invoke());
  }
}

template <class F, std::size_t Names>
ToolBinding bind_tool(std::string_view name, F callable, const std::array<Arg, Names>& args) try {
  using Result = typename Signature<F>::Result;
  auto arguments = bind_arguments<F>(args);
  ToolBinding binding{arguments.schema(), output_schema<Result>(), {}, {}};
  // Shared, because a std::function copies what it holds, and a handler may own what cannot be copied.
  auto bound = std::make_shared<std::pair<decltype(arguments), F>>(std::move(arguments), std::move(callable));
  binding.handler = [bound](std::string_view json, Context& context) -> ToolResult {
    auto values = decoded(bound->first, json);
    return result_of([&]() -> Result { return call_tool(bound->second, values, context); });
  };
  return binding;
} catch (const std::invalid_argument& error) {
  refuse_component("tool", name, error);
}

template <class F, std::size_t Names>
ToolBinding bind_async_tool(std::string_view name, F callable, const std::array<Arg, Names>& args) try {
  auto arguments = bind_arguments<F>(args);
  ToolBinding binding{arguments.schema(), {}, {}, {}};
  auto bound = std::make_shared<std::pair<decltype(arguments), F>>(std::move(arguments), std::move(callable));
  binding.async_handler = [bound](std::string_view json, Call call) {
    auto values = decoded(bound->first, json);
    apply_values(bound->second, values, std::move(call));
  };
  return binding;
} catch (const std::invalid_argument& error) {
  refuse_component("tool", name, error);
}

template <class F>
ToolBinding bind_raw_tool(std::string_view schema, F callable) {
  ToolBinding binding{std::string(schema), {}, {}, {}};
  auto bound = std::make_shared<F>(std::move(callable));
  binding.handler = [bound](std::string_view json, Context& context) -> ToolResult {
    const auto arguments = parsed(json);
    return result_of([&]() -> decltype(auto) {
      if constexpr (std::is_invocable_v<const F&, const Json&, Context&>) {
        return (*bound)(*arguments, context);
      } else {
        return (*bound)(*arguments);
      }
    });
  };
  return binding;
}

template <class F>
ToolBinding bind_raw_async_tool(std::string_view schema, F callable) {
  ToolBinding binding{std::string(schema), {}, {}, {}};
  auto bound = std::make_shared<F>(std::move(callable));
  binding.async_handler = [bound](std::string_view json, Call call) { (*bound)(*parsed(json), std::move(call)); };
  return binding;
}

}  // namespace mcp::detail
