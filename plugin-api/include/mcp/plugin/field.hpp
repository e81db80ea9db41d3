// What is known of the members of a struct that is a tool's arguments, a result, a configuration, or part of one. Of a
// struct that has nothing but members, each is a field, whose name is the member's. A struct that says more of them, or
// is a class, has a function fields() that returns a tuple of mcp::field, one for each member that clients see: what it
// means, its bounds, another name. Everything here is a constant expression: mistakes are found by the compiler. A
// field has a function for each keyword of JSON Schema that it can set.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <mcp/plugin/detail/scalar.hpp>
#include <mcp/plugin/detail/types.hpp>

namespace mcp {

namespace detail {

struct ConstantKeyword {
  std::string_view name;
  Scalar value;
};

/// As many as there are keywords that a field can set.
inline constexpr std::size_t max_keywords = 11;

/// Whether there is this number among those of an integer type.
template <Integer Value, Number T>
constexpr bool holds(T number) {
  if constexpr (Integer<T>) {
    return std::in_range<Value>(number);
  } else {
    return static_cast<T>(static_cast<Value>(number)) == number;
  }
}

}  // namespace detail

template <class Class, class Member, std::size_t Choices = 0>
class Field {
 public:
  using Type = Member;
  /// What the modifiers below are about: T of a member std::optional<T>.
  using Value = detail::without_optional<Member>;
  static constexpr std::size_t choice_count = Choices;
  static_assert(!std::is_array_v<Member>, "mcp: a field cannot be an array: use std::array");

  constexpr Field(std::string_view name, Member Class::*member, std::string_view description)
      : name_(name), description_(description), member_(member) {}

  /// The smallest and the largest number allowed.
  template <class T>
  constexpr Field min(T bound) const {
    require_number();
    return with("minimum", detail::scalar(bound));
  }
  template <class T>
  constexpr Field max(T bound) const {
    require_number();
    return with("maximum", detail::scalar(bound));
  }

  /// In characters (Unicode code points).
  constexpr Field min_length(std::size_t length) const {
    require_text();
    return with("minLength", detail::scalar(length));
  }
  constexpr Field max_length(std::size_t length) const {
    require_text();
    return with("maxLength", detail::scalar(length));
  }
  /// A regular expression (ECMA-262) that the text must contain a match of: write ^...$ to match all of it.
  constexpr Field pattern(std::string_view expression) const {
    require_text();
    return with("pattern", detail::scalar(expression));
  }

  /// The name that people see, in forms above all.
  constexpr Field title(std::string_view title) const { return with("title", detail::scalar(title)); }
  /// What kind of text it is, which is never checked. A form may ask for "email", "uri", "date" or "date-time".
  constexpr Field format(std::string_view format) const {
    require_text();
    return with("format", detail::scalar(format));
  }

  constexpr Field min_items(std::size_t count) const {
    require_list();
    return with("minItems", detail::scalar(count));
  }
  constexpr Field max_items(std::size_t count) const {
    require_list();
    return with("maxItems", detail::scalar(count));
  }

  /// Clients of HTTP repeat the value in the header Mcp-Param-NAME, where proxies can read it; the host checks that the
  /// two agree. Never for a secret, and not for what stands in a list.
  constexpr Field header(std::string_view name) const {
    static_assert(std::is_integral_v<Value> || std::is_same_v<Value, std::string> || detail::NamedEnum<Value>,
                  "mcp: .header() is for integers, bools, std::string and named enums");
    return with("x-mcp-header", detail::scalar(name));
  }

  /// The value when the field is absent, which makes the field one that need not be given.
  template <class T>
  constexpr Field default_value(const T& value) const {
    static_assert(detail::Number<Value> || std::is_same_v<Value, bool> || std::is_same_v<Value, std::string> ||
                      detail::NamedEnum<Value>,
                  "mcp: a field can have a default if it is a number, a bool, a std::string or a named enum");
    constexpr bool is_of_its_kind = detail::Number<Value> == detail::Number<T> &&
                                    std::is_same_v<Value, bool> == std::is_same_v<T, bool> &&
                                    std::is_convertible_v<const T&, Value>;
    static_assert(is_of_its_kind, "mcp: the default of a field must have the field's type");
    require_constants<T>();
    if constexpr (std::is_floating_point_v<Value> && detail::Number<T>) {
      // As wide as the bounds, so that 0.1 is what 0.1 allows.
      return with("default", detail::scalar(static_cast<double>(value)));
    } else if constexpr (detail::Number<Value> && detail::Number<T>) {
      // What throws is no constant.
      if (!detail::holds<Value>(value))
        throw std::invalid_argument("mcp: the default of a field must be a value of the field's type");
      return with("default", detail::scalar(static_cast<Value>(value)));
    } else {
      return with("default", detail::scalar(value));
    }
  }

  /// The only values allowed. (An enum with names says the same with a type.)
  template <class... T>
  constexpr Field<Class, Member, sizeof...(T)> one_of(const T&... values) const {
    static_assert(detail::Number<Value> || std::is_same_v<Value, std::string>,
                  "mcp: .one_of() is for numbers and texts");
    require_constants<T...>();
    return Field<Class, Member, sizeof...(T)>(*this, {detail::scalar(values)...});
  }

  constexpr std::string_view name() const { return name_; }
  constexpr std::string_view description() const { return description_; }
  constexpr Member Class::*member() const { return member_; }
  Member& of(Class& object) const { return object.*member_; }
  const Member& of(const Class& object) const { return object.*member_; }
  constexpr const std::array<detail::Scalar, Choices>& choices() const { return choices_; }
  constexpr const detail::ConstantKeyword* begin() const { return keywords_.data(); }
  constexpr const detail::ConstantKeyword* end() const { return keywords_.data() + keyword_count_; }

  /// The default, or a Scalar that holds nothing.
  constexpr detail::Scalar default_scalar() const {
    for (const auto& keyword : *this) {
      if (keyword.name == "default") return keyword.value;
    }
    return {};
  }

  template <std::size_t Others>
  constexpr Field(const Field<Class, Member, Others>& other, const std::array<detail::Scalar, Choices>& choices)
      : name_(other.name()), description_(other.description()), member_(other.member()), choices_(choices) {
    for (const auto& keyword : other)
      keywords_[keyword_count_++] = keyword;
  }

 private:
  template <class... T>
  static constexpr void require_constants() {
    static_assert((!std::is_same_v<T, std::string> && ...),
                  "mcp: the values of a field are constants, which a std::string is not: write \"text\" instead of "
                  "std::string(\"text\")");
  }
  static constexpr void require_number() {
    static_assert(detail::Number<Value>,
                  "mcp: .min() and .max() are for numbers: use .min_length()/.max_length() for texts and "
                  ".min_items()/.max_items() for vectors");
  }
  static constexpr void require_text() {
    static_assert(std::is_same_v<Value, std::string>,
                  "mcp: .min_length(), .max_length(), .pattern() and .format() are for std::string");
  }
  static constexpr void require_list() {
    static_assert(detail::is_list<Value> || detail::is_set<Value>,
                  "mcp: .min_items() and .max_items() are for std::vector and std::set");
  }

  constexpr Field with(std::string_view keyword, detail::Scalar value) const {
    Field changed = *this;
    for (std::size_t i = 0; i < keyword_count_; ++i) {
      if (keywords_[i].name != keyword) continue;
      changed.keywords_[i].value = value;
      return changed;
    }
    changed.keywords_[changed.keyword_count_++] = {keyword, value};
    return changed;
  }

  std::string_view name_;
  std::string_view description_;
  Member Class::*member_;
  std::array<detail::ConstantKeyword, detail::max_keywords> keywords_{};
  std::size_t keyword_count_ = 0;
  std::array<detail::Scalar, Choices> choices_{};
};

/// A member whose type is std::optional<T>, or that has a default_value, need not be given; every other must.
template <class Class, class Member>
constexpr Field<Class, Member> field(std::string_view name, Member Class::*member, std::string_view description = {}) {
  return Field<Class, Member>(name, member, description);
}

namespace detail {

/// The name of a member as it is written in the source.
template <class Class, class Member, std::size_t... I>
constexpr std::string_view name_of_member(Member Class::*member, std::index_sequence<I...>) {
  std::string_view name;
  const auto look_at = [&]<std::size_t J> {
    constexpr const auto* each = &std::get<J>(members_of(room<Class>.object));
    if constexpr (std::is_same_v<decltype(each), const Member* const>) {
      if (each == &(room<Class>.object.*member)) name = member_name<Class, J>;
    }
  };
  (look_at.template operator()<I>(), ...);
  return name;
}

}  // namespace detail

/// The same under the name of the member. Its class has nothing but members, and fields().
template <class Class, class Member>
constexpr Field<Class, Member> field(Member Class::*member, std::string_view description = {}) {
  static_assert(std::is_aggregate_v<Class>,
                "mcp: a field of a class that has constructors, bases or private members needs a name: "
                "mcp::field(\"name\", &Class::member)");
  if constexpr (std::is_aggregate_v<Class>) {
    constexpr bool comes_apart = detail::comes_apart<Class>();
    static_assert(
        comes_apart,
        "mcp: a field of a struct that has an array, a base, a reference, a bit-field or a union needs a name: "
        "mcp::field(\"name\", &Struct::member); or use std::array");
    static_assert(
        !comes_apart || detail::count_members<Class>() <= detail::max_members,
        "mcp: a field of a struct with more than 32 members needs a name: mcp::field(\"name\", &Struct::member)");
    return Field<Class, Member>(detail::name_of_member(member, std::make_index_sequence<detail::member_count<Class>>()),
                                member, description);
  } else {
    return Field<Class, Member>({}, member, description);
  }
}

namespace detail {

/// A member of a struct that says nothing of it.
template <PlainStruct Class, std::size_t I>
struct PlainField {
  using Type = std::remove_cvref_t<std::tuple_element_t<I, decltype(members_of(std::declval<Class&>()))>>;
  static constexpr std::size_t choice_count = 0;

  static constexpr std::string_view name() { return member_name<Class, I>; }
  static constexpr std::string_view description() { return {}; }
  static Type& of(Class& object) { return std::get<I>(members_of(object)); }
  static const Type& of(const Class& object) { return std::get<I>(members_of(object)); }
  static constexpr std::array<Scalar, 0> choices() { return {}; }
  static constexpr const ConstantKeyword* begin() { return nullptr; }
  static constexpr const ConstantKeyword* end() { return nullptr; }
  static constexpr Scalar default_scalar() { return {}; }
};

template <PlainStruct T, std::size_t... I>
constexpr auto plain_fields(std::index_sequence<I...>) {
  return std::tuple<PlainField<T, I>...>();
}

template <Described T>
constexpr auto find_fields() {
  if constexpr (SaysItsFields<T>) {
    return T::fields();
  } else {
    constexpr bool comes_apart = detail::comes_apart<T>();
    static_assert(
        comes_apart,
        "mcp: the members of a struct that has an array, a base, a reference, a bit-field or a union cannot be "
        "found: use std::array, or write static constexpr auto fields() with names: mcp::field(\"name\", "
        "&Struct::member)");
    static_assert(!comes_apart || count_members<T>() <= max_members,
                  "mcp: a struct with more than 32 members needs static constexpr auto fields()");
    return plain_fields<T>(std::make_index_sequence<member_count<T>>());
  }
}

template <Described T>
inline constexpr auto fields_of = find_fields<T>();

template <class... Fields>
constexpr bool names_are_unique(const std::tuple<Fields...>& fields) {
  return std::apply(
      [](const auto&... field) {
        const std::array<std::string_view, sizeof...(field)> names{field.name()...};
        for (std::size_t i = 0; i < names.size(); ++i) {
          for (std::size_t j = i + 1; j < names.size(); ++j) {
            if (names[i] == names[j]) return false;
          }
        }
        return true;
      },
      fields);
}

/// Calls `each` with every field of T, in the author's order.
template <Described T, class Function>
void for_each_field(Function&& each) {
  static_assert(names_are_unique(fields_of<T>), "mcp: two fields of this struct have the same name");
  std::apply([&](const auto&... field) { (each(field), ...); }, fields_of<T>);
}

template <class Member>
constexpr bool is_required(bool has_default) {
  return !is_optional<Member> && !has_default;
}

}  // namespace detail
}  // namespace mcp
