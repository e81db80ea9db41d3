// Completion: what a client offers its user while they fill in an argument of a prompt or a variable of a resource
// template. A handler is called from several threads at once, each time with what has been typed so far.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <mcp/plugin/component.hpp>
#include <mcp/plugin/context.hpp>
#include <mcp/plugin/detail/callable.hpp>
#include <mcp/plugin/variables.hpp>

namespace mcp {

struct Completion {
  std::vector<std::string> values;                  ///< the best first; a client is told 100 of them at most
  std::optional<std::size_t> total = std::nullopt;  ///< how many there are, if that is known
  bool has_more = false;                            ///< there are more than these values
};

/// Those that begin with `typed`, in their order; ASCII letters are the same in either case.
std::vector<std::string> values_that_begin_with(std::string_view typed, const std::vector<std::string>& values);

namespace detail {

using CompletionHandler = std::function<Completion(std::string_view typed, const Arguments& chosen, Context& context)>;

template <class R>
Completion completion_of(R&& result) {
  using T = std::remove_cvref_t<R>;
  if constexpr (std::is_same_v<T, Completion>) {
    return std::forward<R>(result);
  } else {
    static_assert(std::is_same_v<T, std::vector<std::string>>,
                  "mcp: a completion returns std::vector<std::string> or mcp::Completion");
    return {std::forward<R>(result)};
  }
}

template <class F>
inline constexpr bool is_completion_handler =
    std::is_invocable_v<const F&, std::string_view, const Arguments&, Context&> ||
    std::is_invocable_v<const F&, std::string_view, const Arguments&> ||
    std::is_invocable_v<const F&, std::string_view, Context&> || std::is_invocable_v<const F&, std::string_view>;

template <class F>
constexpr bool check_completion_handler() {
  static_assert(is_mutable<F>() || is_completion_handler<F>,
                "mcp: a completion takes (std::string_view typed), and after it, if it wants to, (const "
                "mcp::Arguments& chosen), (mcp::Context&), or both in this order");
  return check_not_mutable<F>() && is_completion_handler<F>;
}

template <class F>
CompletionHandler bind_completion(F callable) {
  auto bound = std::make_shared<F>(std::move(callable));
  return [bound](std::string_view typed, const Arguments& chosen, Context& context) -> Completion {
    const F& call = *bound;
    if constexpr (std::is_invocable_v<const F&, std::string_view, const Arguments&, Context&>) {
      return completion_of(call(typed, chosen, context));
    } else if constexpr (std::is_invocable_v<const F&, std::string_view, const Arguments&>) {
      return completion_of(call(typed, chosen));
    } else if constexpr (std::is_invocable_v<const F&, std::string_view, Context&>) {
      return completion_of(call(typed, context));
    } else {
      return completion_of(call(typed));
    }
  };
}

CompletionHandler complete_from(std::vector<std::string> values);

/// Throws std::invalid_argument if the component has no such argument or variable.
void set_completion(Registry& registry, Metadata& metadata, std::string_view argument, CompletionHandler handler);

}  // namespace detail

/// What the builders of prompts and of resource templates have in common.
template <class Self>
class Completable : public Component<Self> {
 public:
  /// `handler` takes what has been typed so far (std::string_view), and after it, if it wants to, what has been chosen
  /// for the other arguments (const mcp::Arguments&), and mcp::Context&. It returns std::vector<std::string> or
  /// mcp::Completion. `argument` is an argument of the prompt, or a variable of the template.
  template <class F>
  requires(!std::convertible_to<F, std::vector<std::string>>) Self& complete(std::string_view argument, F handler) {
    detail::CompletionHandler bound;
    if constexpr (detail::check_completion_handler<F>()) bound = detail::bind_completion(std::move(handler));
    return set(argument, bound);
  }
  /// Those of these values that begin with what has been typed.
  Self& complete(std::string_view argument, std::vector<std::string> values) {
    return set(argument, detail::complete_from(std::move(values)));
  }

 protected:
  using Component<Self>::Component;

 private:
  Self& set(std::string_view argument, const detail::CompletionHandler& handler) {
    detail::set_completion(this->registry(), this->metadata(), argument, handler);
    return static_cast<Self&>(*this);
  }
};

}  // namespace mcp
