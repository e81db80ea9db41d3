// The signature of what an author hands over: a lambda, a function, an object with one operator().
#pragma once

#include <tuple>
#include <type_traits>

namespace mcp::detail {

template <class R, bool IsConst, class... P>
struct SignatureOf {
  using Result = R;
  using Parameters = std::tuple<P...>;
  static constexpr bool is_const = IsConst;
};

template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... P>
struct Signature<R (*)(P...)> : SignatureOf<R, true, P...> {};
template <class R, class... P>
struct Signature<R (*)(P...) noexcept> : SignatureOf<R, true, P...> {};
template <class C, class R, class... P>
struct Signature<R (C::*)(P...) const> : SignatureOf<R, true, P...> {};
template <class C, class R, class... P>
struct Signature<R (C::*)(P...) const noexcept> : SignatureOf<R, true, P...> {};
template <class C, class R, class... P>
struct Signature<R (C::*)(P...)> : SignatureOf<R, false, P...> {};
template <class C, class R, class... P>
struct Signature<R (C::*)(P...) noexcept> : SignatureOf<R, false, P...> {};

template <class F>
concept Callable = std::is_function_v<std::remove_pointer_t<F>> || requires {
  &F::operator();
};

/// False after telling the author what to write instead.
template <class F>
constexpr bool check_not_a_member() {
  static_assert(!std::is_member_pointer_v<F>,
                "mcp: wrap a member function in a lambda, which has its object: [&store](int since) { return "
                "store.count(since); }");
  return !std::is_member_pointer_v<F>;
}

/// False for an object that only a non-const call can use: several threads would change it at once.
template <class F>
constexpr bool is_mutable() {
  if constexpr (Callable<F>) {
    return !Signature<F>::is_const;
  } else {
    return false;
  }
}

/// False after telling the author why.
template <class F>
constexpr bool check_not_mutable() {
  static_assert(!is_mutable<F>(),
                "mcp: the handler is called from several threads at once, so it cannot be a mutable lambda: capture a "
                "reference or a std::shared_ptr to what changes, and guard it");
  return !is_mutable<F>();
}

}  // namespace mcp::detail
