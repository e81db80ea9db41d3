// What the compiler knows of a struct and of an enum without being told: how many members there are, where they are and
// what they are called; which values have names. By structured bindings, and by what the compiler calls a template's
// argument: gcc 12, clang 14 and later.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mcp::detail {

/// Becomes whatever is asked for, where nothing is evaluated. (Defined all the same, because clang asks for that where
/// a type has no linkage.)
struct Anything {
  template <class T>
  operator T() const {  // NOLINT(google-explicit-constructor): that is what it is for
    __builtin_unreachable();
  }
};
struct AnyClass {
  template <class T>
  requires std::is_class_v<T>
  operator T() const {  // NOLINT(google-explicit-constructor)
    __builtin_unreachable();
  }
};
struct AnyUnion {
  template <class T>
  requires std::is_union_v<T>
  operator T() const {  // NOLINT(google-explicit-constructor)
    __builtin_unreachable();
  }
};
template <class Base, class Derived>
concept BaseOf = std::is_base_of_v<Base, Derived> && !std::is_same_v<Base, Derived>;
template <class Derived>
struct AnyBase {
  template <BaseOf<Derived> T>
  operator T() const {  // NOLINT(google-explicit-constructor)
    __builtin_unreachable();
  }
};
/// Becomes nothing: what can be made of it can be made of whatever there is.
struct Nothing {};

/// Whether an aggregate can be made of so many initialisers, and these after them.
template <class T, class... Next, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires {
    T{(static_cast<void>(I), Anything{})..., Next{}...};
  };
}
template <class T, class Next>
constexpr bool takes_next(auto before) {
  return takes<T, Next>(before) && !takes<T, Nothing>(before);
}
/// The same with one between them that is empty braces.
template <class T, std::size_t... I, std::size_t... J>
constexpr bool takes_braces(std::index_sequence<I...>, std::index_sequence<J...>) {
  return requires {
    T{(static_cast<void>(I), Anything{})..., {}, (static_cast<void>(J), Anything{})...};
  };
}

/// The most members of a struct without fields().
inline constexpr std::size_t max_members = 32;

/// How many initialisers an aggregate takes, which is one for each member unless it has bases or arrays. More than
/// max_members: there are too many, or the compiler cannot tell. Fewer may be too few for a member that must be
/// initialised.
template <class T, std::size_t Count = 0>
constexpr std::size_t count_members() {
  constexpr bool fits = takes<T>(std::make_index_sequence<Count>());
  if constexpr (Count > max_members || (fits && !takes<T>(std::make_index_sequence<Count + 1>()))) {
    return Count;
  } else {
    return count_members<T, Count + 1>();
  }
}

/// Whether the initialiser number I is the first of an array's: in braces, it takes the place of all of them.
template <class T, std::size_t I, std::size_t... J>
constexpr bool is_array_at(std::index_sequence<J...> after) {
  constexpr auto before = std::make_index_sequence<I>();
  return !takes_braces<T>(before, after) && (takes_braces<T>(before, std::make_index_sequence<J>()) || ...);
}

/// References to the members, or nothing where one of them is a bit-field. (Of which clang before 16 says so itself.)
template <class T>
constexpr auto members_of(T& object) {
  constexpr std::size_t count = count_members<std::remove_const_t<T>>();
  // clang-format off
#if defined(__clang__) && __clang_major__ < 16
#define MCP_CAN_TIE(...) true
#else
#define MCP_CAN_TIE(...) requires { std::tie(__VA_ARGS__); }
#endif
#define MCP_MEMBERS(number, ...)                                          \
  if constexpr (count == number) {                                        \
    auto& [__VA_ARGS__] = object;                                         \
    if constexpr (MCP_CAN_TIE(__VA_ARGS__)) return std::tie(__VA_ARGS__); \
  }
#define MCP_8 m0, m1, m2, m3, m4, m5, m6, m7
#define MCP_16 MCP_8, m8, m9, m10, m11, m12, m13, m14, m15
#define MCP_24 MCP_16, m16, m17, m18, m19, m20, m21, m22, m23
  if constexpr (count == 0) return std::tuple<>();
  MCP_MEMBERS(1, m0)
  MCP_MEMBERS(2, m0, m1)
  MCP_MEMBERS(3, m0, m1, m2)
  MCP_MEMBERS(4, m0, m1, m2, m3)
  MCP_MEMBERS(5, m0, m1, m2, m3, m4)
  MCP_MEMBERS(6, m0, m1, m2, m3, m4, m5)
  MCP_MEMBERS(7, m0, m1, m2, m3, m4, m5, m6)
  MCP_MEMBERS(8, m0, m1, m2, m3, m4, m5, m6, m7)
  MCP_MEMBERS(9, MCP_8, m8)
  MCP_MEMBERS(10, MCP_8, m8, m9)
  MCP_MEMBERS(11, MCP_8, m8, m9, m10)
  MCP_MEMBERS(12, MCP_8, m8, m9, m10, m11)
  MCP_MEMBERS(13, MCP_8, m8, m9, m10, m11, m12)
  MCP_MEMBERS(14, MCP_8, m8, m9, m10, m11, m12, m13)
  MCP_MEMBERS(15, MCP_8, m8, m9, m10, m11, m12, m13, m14)
  MCP_MEMBERS(16, MCP_8, m8, m9, m10, m11, m12, m13, m14, m15)
  MCP_MEMBERS(17, MCP_16, m16)
  MCP_MEMBERS(18, MCP_16, m16, m17)
  MCP_MEMBERS(19, MCP_16, m16, m17, m18)
  MCP_MEMBERS(20, MCP_16, m16, m17, m18, m19)
  MCP_MEMBERS(21, MCP_16, m16, m17, m18, m19, m20)
  MCP_MEMBERS(22, MCP_16, m16, m17, m18, m19, m20, m21)
  MCP_MEMBERS(23, MCP_16, m16, m17, m18, m19, m20, m21, m22)
  MCP_MEMBERS(24, MCP_16, m16, m17, m18, m19, m20, m21, m22, m23)
  MCP_MEMBERS(25, MCP_24, m24)
  MCP_MEMBERS(26, MCP_24, m24, m25)
  MCP_MEMBERS(27, MCP_24, m24, m25, m26)
  MCP_MEMBERS(28, MCP_24, m24, m25, m26, m27)
  MCP_MEMBERS(29, MCP_24, m24, m25, m26, m27, m28)
  MCP_MEMBERS(30, MCP_24, m24, m25, m26, m27, m28, m29)
  MCP_MEMBERS(31, MCP_24, m24, m25, m26, m27, m28, m29, m30)
  MCP_MEMBERS(32, MCP_24, m24, m25, m26, m27, m28, m29, m30, m31)
  // clang-format on
#undef MCP_8
#undef MCP_16
#undef MCP_24
#undef MCP_MEMBERS
#undef MCP_CAN_TIE
}

/// Whether the next member is a union itself, and not a class that has one.
template <class T>
constexpr bool is_union_next(auto before) {
  return takes_next<T, AnyUnion>(before) && !takes<T, AnyClass>(before);
}

template <class T, std::size_t... I>
constexpr bool members_are_single(std::index_sequence<I...>) {
  return (!is_union_next<T>(std::make_index_sequence<I>()) && ...) &&
         (!is_array_at<T, I>(std::make_index_sequence<sizeof...(I) - I - 1>()) && ...);
}

template <class T>
inline constexpr bool has_array = false;
template <class... T>
inline constexpr bool has_array<std::tuple<T&...>> = (std::is_array_v<T> || ...);

/// Whether the members of an aggregate can be found, if there are not too many: where it has a base, an array, a
/// reference, a bit-field or a union, they cannot.
template <class T>
constexpr bool comes_apart() {
  constexpr std::size_t count = count_members<T>();
  constexpr auto all = std::make_index_sequence<count>();
  if constexpr (!takes<T>(all) || takes_next<T, AnyBase<T>>(std::index_sequence<>()) || !members_are_single<T>(all)) {
    return false;
  } else if constexpr (count > max_members) {
    return true;
  } else {
    using Members = decltype(members_of(std::declval<T&>()));
    return !std::is_void_v<Members> && !has_array<Members>;
  }
}

/// Of those that can be found.
template <class T>
inline constexpr std::size_t member_count = comes_apart<T>() && count_members<T>() <= max_members ? count_members<T>()
                                                                                                  : 0;

/// A place for an object that is never made, so that its members have addresses.
template <class T>
union Room {
  constexpr Room() : nothing() {}
  constexpr ~Room() {}  // NOLINT(modernize-use-equals-default): that of the object is not to be called

  char nothing;
  T object;
};
#ifdef __clang__
// Which takes it for no constant where T has none of its own in constant expressions.
template <class T>
[[clang::no_destroy]] inline constinit const Room<T> room{};
#else
template <class T>
inline constexpr Room<T> room{};
#endif

/// A pointer as an argument of a template, as gcc takes one into an object.
template <class P>
struct PointerTo {
  P pointer;
};
template <class P>
PointerTo(P) -> PointerTo<P>;

/// Has the argument in the text.
template <auto Argument>
constexpr std::string_view text_of_argument() {
  return __PRETTY_FUNCTION__;
}
template <auto... Arguments>
constexpr std::string_view text_of_arguments() {
  return __PRETTY_FUNCTION__;
}

/// As compilers write names: those that are not ASCII in UTF-8.
constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// The name at the end of a text, or nothing if there is a number or none.
constexpr std::string_view last_name(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_name_character(text[begin - 1]))
    --begin;
  const std::string_view name = text.substr(begin);
  return name.empty() || (name.front() >= '0' && name.front() <= '9') ? std::string_view() : name;
}

struct MemberSample {
  int sample;
};
enum class ValueSample { sample };
/// What follows a member's name, and the last value's.
inline constexpr std::size_t after_member = [] {
  constexpr std::string_view text = text_of_argument<PointerTo{&room<MemberSample>.object.sample}>();
  return text.size() - text.rfind("sample") - std::string_view("sample").size();
}();
inline constexpr std::size_t after_values = [] {
  constexpr std::string_view text = text_of_arguments<ValueSample::sample>();
  return text.size() - text.rfind("sample") - std::string_view("sample").size();
}();

template <class T, std::size_t I>
inline constexpr std::string_view member_name = [] {
  constexpr std::string_view text = text_of_argument<PointerTo{&std::get<I>(members_of(room<T>.object))}>();
  return last_name(text.substr(0, text.size() - after_member));
}();

/// An enum for which 0 is a value whatever its values are, so that the compiler can be asked about each number.
template <class E>
concept WideEnum = std::is_enum_v<E> && requires {
  E{0};
};

/// The values of an enum that are looked for, as far as its underlying type has them.
inline constexpr int min_value = -128;
inline constexpr int max_value = 255;

template <WideEnum E>
inline constexpr int first_value = std::is_signed_v<std::underlying_type_t<E>> ? min_value : 0;
template <WideEnum E>
inline constexpr std::size_t value_count = [] {
  constexpr auto last = std::numeric_limits<std::underlying_type_t<E>>::max();
  return static_cast<std::size_t>((last < max_value ? static_cast<int>(last) : max_value) - first_value<E> + 1);
}();

/// So many are looked at together, because compilers limit what they do for one constant.
inline constexpr std::size_t values_at_once = 128;

template <WideEnum E, std::size_t Begin, std::size_t... I>
constexpr std::string_view text_of_values(std::index_sequence<I...>) {
  return text_of_arguments<static_cast<E>(first_value<E> + static_cast<int>(Begin + I))...>();
}

/// Where the last of some values begins, at the comma before it. Their own names have none, unless a template's
/// arguments are in them.
constexpr std::size_t begin_of_last_value(std::string_view text) {
  std::size_t begin = text.size();
  for (int depth = 0; begin > 0; --begin) {
    const char c = text[begin - 1];
    depth += c == '>' || c == ')' ? 1 : c == '<' || c == '(' ? -1 : 0;
    if (c == ',' && depth == 0) return begin - 1;
  }
  return begin;
}

/// Which of some values have names.
struct ValueNames {
  struct Name {
    int value;
    std::string_view name;
  };
  std::array<Name, values_at_once> last_first{};
  std::size_t count = 0;
};

/// Of values_at_once values, or of as many as there are from Begin on.
template <WideEnum E, std::size_t Begin>
inline constexpr ValueNames names_from = [] {
  constexpr std::size_t left = value_count<E> - Begin;
  constexpr std::size_t count = left < values_at_once ? left : values_at_once;
  constexpr std::string_view text = text_of_values<E, Begin>(std::make_index_sequence<count>());
  ValueNames names;
  std::size_t end = text.size() - after_values;
  std::size_t cast_length = 0;
  for (std::size_t i = count; i > 0; --i) {
    std::size_t digits = end;
    while (text[digits - 1] >= '0' && text[digits - 1] <= '9')
      --digits;
    if (text[digits - 1] == '-') --digits;
    if (text[digits - 1] != ')') {
      const auto value = text.substr(0, end);
      names.last_first[names.count++] = {first_value<E> + static_cast<int>(Begin + i - 1), last_name(value)};
      end = begin_of_last_value(value);
    } else {
      // What has no name is written (E)7, and most have none: what is before the digits need be measured only once.
      if (cast_length == 0) cast_length = digits - begin_of_last_value(text.substr(0, digits));
      end = digits - cast_length;
    }
  }
  return names;
}();

template <WideEnum E, class Each>
constexpr void for_each_name(const Each& each) {
  const auto look_at = [&](const ValueNames& names) {
    for (std::size_t i = names.count; i > 0; --i)
      each(names.last_first[i - 1]);
  };
  constexpr std::size_t chunks = (value_count<E> + values_at_once - 1) / values_at_once;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (look_at(names_from<E, I * values_at_once>), ...);
  }
  (std::make_index_sequence<chunks>());
}

template <class E>
constexpr std::size_t count_named_values() {
  std::size_t count = 0;
  if constexpr (WideEnum<E>) for_each_name<E>([&](const auto&) { ++count; });
  return count;
}

}  // namespace mcp::detail
