// A callable of a resource or a resource template -> one handler, whatever it takes and returns.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <mcp/plugin/context.hpp>
#include <mcp/plugin/detail/callable.hpp>
#include <mcp/plugin/detail/encode.hpp>
#include <mcp/plugin/detail/result_conversion.hpp>
#include <mcp/plugin/error.hpp>
#include <mcp/plugin/resource.hpp>
#include <mcp/plugin/variables.hpp>

namespace mcp::detail {

using ResourceHandler = std::function<ResourceContents(const Uri& uri, Context& context)>;

template <class T>
inline constexpr bool is_bytes =
    std::is_same_v<T, std::vector<unsigned char>> || std::is_same_v<T, std::vector<std::byte>>;

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
    return {text_resource(result)};
  } else if constexpr (is_bytes<R>) {
    return {blob_resource(result)};
  } else {
    static_assert(
        Described<R> || std::is_same_v<R, Json>,
        "mcp: a resource returns a text, bytes (std::vector<std::uint8_t> or <std::byte>), mcp::Json, a struct "
        "with static constexpr auto fields(), mcp::ResourceContent, mcp::ResourceContents, or a std::optional "
        "of those, where nothing means that there is no such resource");
    return {text_resource(json_text(result), "application/json")};
  }
}

template <class F>
inline constexpr bool is_resource_handler =
    std::is_invocable_v<const F&, const Uri&, Context&> || std::is_invocable_v<const F&, const Uri&> ||
    std::is_invocable_v<const F&, Context&> || std::is_invocable_v<const F&>;

template <class F>
constexpr bool check_resource_handler() {
  static_assert(
      is_mutable<F>() || is_resource_handler<F>,
      "mcp: the handler of a resource takes nothing, (const mcp::Uri&), (mcp::Context&), or both in this order");
  return check_not_mutable<F>() && is_resource_handler<F>;
}

template <class F>
ResourceHandler bind_resource(F callable) {
  auto bound = std::make_shared<F>(std::move(callable));
  return [bound](const Uri& uri, Context& context) -> ResourceContents {
    const F& call = *bound;
    if constexpr (std::is_invocable_v<const F&, const Uri&, Context&>) {
      return resource_contents(call(uri, context), uri);
    } else if constexpr (std::is_invocable_v<const F&, const Uri&>) {
      return resource_contents(call(uri), uri);
    } else if constexpr (std::is_invocable_v<const F&, Context&>) {
      return resource_contents(call(context), uri);
    } else {
      return resource_contents(call(), uri);
    }
  };
}

}  // namespace mcp::detail
