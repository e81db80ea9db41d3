// A callable of a resource or a resource template -> one handler, whatever it takes and returns.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <mcp/plugin/context.hpp>
#include <mcp/plugin/detail/callable.hpp>
#include <mcp/plugin/detail/encode.hpp>
#include <mcp/plugin/detail/result_conversion.hpp>
#include <mcp/plugin/detail/text_values.hpp>
#include <mcp/plugin/detail/tool_binding.hpp>
#include <mcp/plugin/error.hpp>
#include <mcp/plugin/resource.hpp>
#include <mcp/plugin/variables.hpp>

namespace mcp::detail {

using ResourceHandler = std::function<ResourceContents(const Uri& uri, Context& context)>;

template <class T>
inline constexpr bool is_bytes =
    std::is_same_v<T, std::vector<unsigned char>> || std::is_same_v<T, std::vector<std::byte>>;

template <class R>
constexpr void require_resource_result() {
  if constexpr (std::is_enum_v<R>) require_json_form<R>();
  static_assert(
      std::is_enum_v<R> || std::is_same_v<R, ResourceContents> || std::is_same_v<R, ResourceContent> || is_text<R> ||
          is_bytes<R> || has_json_form<R>,
      "mcp: a resource returns a text, bytes (std::vector<std::uint8_t> or <std::byte>), mcp::Json, a struct or "
      "what else has a JSON form, mcp::ResourceContent, mcp::ResourceContents, or a std::optional of those, "
      "where nothing means that there is no such resource");
}

template <class R>
ResourceContents resource_contents(const R& result, const Uri& uri) {
  if constexpr (is_optional<R>) {
    if (!result) throw NotFound(uri.text());
    return resource_contents(*result, uri);
  } else if constexpr (std::is_same_v<R, ResourceContents>) {
    return result;
  } else if constexpr (std::is_same_v<R, ResourceContent>) {
    return {result};
  } else if constexpr (is_text<std::decay_t<R>>) {
    return {text_resource(not_null<std::decay_t<R>>(result))};
  } else if constexpr (is_bytes<R>) {
    return {blob_resource(result)};
  } else {
    return {json_resource(json_text(result))};
  }
}

/// What the handler returns, if it may return that.
template <class F, class... Given>
ResourceContents contents_of(const Uri& uri, const F& call, Given&&... given) {
  using R = std::invoke_result_t<const F&, Given...>;
  require_resource_result<without_optional<std::decay_t<R>>>();
  if constexpr (!std::is_void_v<R>) return resource_contents(call(std::forward<Given>(given)...), uri);
}

template <class F>
inline constexpr bool is_resource_handler =
    std::is_invocable_v<const F&, const Uri&, Context&> || std::is_invocable_v<const F&, const Uri&> ||
    std::is_invocable_v<const F&, Context&> || std::is_invocable_v<const F&>;

/// Of a resource template: one that takes its variables as values. Parameters must have types to be looked at: the body
/// of a generic lambda would be compiled, and fail, first.
template <class F>
constexpr bool takes_variables() {
  if constexpr (!Callable<F>) {
    return false;
  } else {
    return !is_resource_handler<F> && std::tuple_size_v<typename Signature<F>::Parameters> > 0;
  }
}

template <class F>
constexpr bool check_template_handler() {
  if constexpr (takes_variables<F>()) {
    return check_text_values<F>();
  } else {
    static_assert(Callable<F> || std::is_member_pointer_v<F>,
                  "mcp: the handler of a resource template takes one value for each variable, or (const mcp::Uri&), or "
                  "nothing, and mcp::Context& after that if it likes; its parameters have types: write (int number), "
                  "not (auto number)");
    return check_not_a_member<F>() && Callable<F> && check_not_mutable<F>();
  }
}

template <class F>
constexpr bool check_resource_handler() {
  static_assert(
      std::is_member_pointer_v<F> || is_mutable<F>() || is_resource_handler<F>,
      "mcp: the handler of a resource takes nothing, (const mcp::Uri&), (mcp::Context&), or both in this order");
  return check_not_a_member<F>() && check_not_mutable<F>() && is_resource_handler<F>;
}

template <class F>
ResourceHandler bind_resource(F callable) {
  auto bound = std::make_shared<F>(std::move(callable));
  return [bound](const Uri& uri, Context& context) -> ResourceContents {
    const F& call = *bound;
    if constexpr (std::is_invocable_v<const F&, const Uri&, Context&>) {
      return contents_of(uri, call, uri, context);
    } else if constexpr (std::is_invocable_v<const F&, const Uri&>) {
      return contents_of(uri, call, uri);
    } else if constexpr (std::is_invocable_v<const F&, Context&>) {
      return contents_of(uri, call, context);
    } else {
      return contents_of(uri, call);
    }
  };
}

/// The variables of a template in their order. Throws std::invalid_argument for a { without its }.
std::vector<std::string> variables_of(std::string_view uri_template);
/// Throws std::invalid_argument where a handler takes more values than there are, or less, or demands one that a URI
/// need not have.
void require_variables(std::string_view uri_template, const std::vector<bool>& values_are_optional);

template <class F, std::size_t... I>
auto variable_values(const Uri& uri, const std::vector<std::string>& names, std::index_sequence<I...>) {
  using P = ToolParameters<F>;
  const auto value = [&]<class T>(const std::string& name) -> T {
    if constexpr (is_optional<T>) {
      if (!uri.has(name)) return std::nullopt;
    }
    const std::string_view text = uri[name];
    auto read = value_of_text<without_optional<T>>(text, Place{nullptr, name});
    // A whole number has one spelling, so that what a rule says of one URI is not passed by another one.
    if constexpr (Integer<without_optional<T>>) {
      if (std::to_string(read) != text) throw std::invalid_argument(name);
    }
    return read;
  };
  try {
    return std::tuple<typename P::template Value<I>...>{
        value.template operator()<typename P::template Value<I>>(names[I])...};
  } catch (const std::invalid_argument&) {
    throw NotFound(uri.text());  // what is no such value names nothing
  }
}

template <class F, std::size_t... I>
std::vector<bool> optional_values(std::index_sequence<I...>) {
  return {is_optional<typename ToolParameters<F>::template Value<I>>...};
}

template <class F>
ResourceHandler bind_resource_template(std::string_view uri_template, F callable) {
  if constexpr (takes_variables<F>()) {
    using P = ToolParameters<F>;
    require_variables(uri_template, optional_values<F>(P::indices));
    auto bound =
        std::make_shared<std::pair<std::vector<std::string>, F>>(variables_of(uri_template), std::move(callable));
    return [bound](const Uri& uri, Context& context) -> ResourceContents {
      auto values = variable_values<F>(uri, bound->first, P::indices);
      return contents_of(uri, [&] { return call_tool(bound->second, values, context); });
    };
  } else {
    return bind_resource(std::move(callable));
  }
}

}  // namespace mcp::detail
