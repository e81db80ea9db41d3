// JSON -> C++ values. Arguments have been checked against the published schema before they come here, so what is left
// is conversion, and refusal of what the type cannot hold: std::invalid_argument that names the place. Only where a
// variant's types are to be told apart is the schema looked at again.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <mcp/plugin/detail/types.hpp>
#include <mcp/plugin/field.hpp>

namespace mcp::detail {

/// Where a value lies in the whole, for messages; a list from the inside out, on the stack.
struct Place {
  const Place* parent = nullptr;
  std::string_view name;
  std::size_t index = 0;
};

[[noreturn]] void refuse(const Place& place, std::string_view why);
[[noreturn]] void refuse_key(const Place& place, const std::vector<std::string_view>& allowed);
[[noreturn]] void refuse_name(const Json& value, const Place& place, const std::vector<std::string_view>& allowed);

bool decode_boolean(const Json& value, const Place& place);
std::int64_t decode_integer(const Json& value, const Place& place, std::int64_t min, std::int64_t max);
std::uint64_t decode_unsigned(const Json& value, const Place& place, std::uint64_t max);
/// Refuses what is more than `most`, or less than its negative.
double decode_number(const Json& value, const Place& place, long double most);
const std::string& decode_string(const Json& value, const Place& place);
std::size_t list_size(const Json& value, const Place& place);
void require_size(const Json& list, const Place& place, std::size_t size);
const Json& list_item(const Json& value, std::size_t index);
std::vector<std::pair<const std::string*, const Json*>> members(const Json& value, const Place& place);
void require_object(const Json& value, const Place& place);
/// Null if the object has no such member.
const Json* find_member(const Json& object, std::string_view name);
/// Adds "\"roots[0].writeable\" is not one of name, path, writable" for every member that is not one of the names.
void add_strangers(const Json& object, const Place& place, const std::vector<std::string_view>& names,
                   std::vector<std::string>& strangers);
/// Whether a keyword of JSON Schema, such as minimum or enum, allows the value; what is about other kinds of values, or
/// says nothing of them, does.
bool allows(std::string_view keyword, const Json& limit, const Json& value);
/// The same, by the limit's JSON, of what lies at a place, and of a field's keywords and choices. Throws
/// std::invalid_argument.
void require_allowed(const Json& value, const Place& place, std::string_view keyword, const std::string& limit);
void require_allowed(const Json& value, const Place& place, std::string_view keyword, const Scalar& limit);
void require_choice(const Json& value, const Place& place, const Scalar* choices, std::size_t count);
bool is_null(const Json& value);
void require_null(const Json& value, const Place& place);
void copy(const Json& from, Json& to);

template <class T>
T decode(const Json& value, const Place& place);

template <NamedEnum E, class Refuse>
E value_of_name(std::string_view name, const Refuse& refuse) {
  std::vector<std::string_view> allowed;
  for (const auto& each : enum_values<E>) {
    if (each.name == name) return each.value;
    allowed.push_back(each.name);
  }
  refuse(allowed);
  return {};
}

template <NamedEnum E>
E decode_enum(const Json& value, const Place& place) {
  return value_of_name<E>(decode_string(value, place),
                          [&](const auto& allowed) { refuse_name(value, place, allowed); });
}

/// The default of a field, which the compiler has checked.
template <class T>
T from_scalar(const Scalar& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return std::get<bool>(value);
  } else if constexpr (Integer<T> && std::is_signed_v<T>) {
    return static_cast<T>(std::get<std::int64_t>(value));
  } else if constexpr (Integer<T>) {
    return static_cast<T>(std::get<std::uint64_t>(value));
  } else if constexpr (Number<T>) {
    return static_cast<T>(std::get<double>(value));
  } else if constexpr (NamedEnum<T>) {
    for (const auto& each : enum_values<T>) {
      if (each.name == std::get<std::string_view>(value)) return each.value;
    }
    return T{};
  } else {
    return T(std::get<std::string_view>(value));
  }
}

template <class Object, class Field>
void decode_field(const Json& value, const Place& place, const Field& field, Object& out) {
  using Member = typename Field::Type;
  const Json* found = find_member(value, field.name());
  if (found && is_null(*found) && (is_optional<Member> || !takes_null<Member>)) found = nullptr;
  if (found) {
    field.of(out) = decode<Member>(*found, Place{&place, field.name()});
    return;
  }
  using Value = without_optional<Member>;
  if constexpr (Number<Value> || std::is_same_v<Value, bool> || std::is_same_v<Value, std::string> ||
                NamedEnum<Value>) {
    if (const Scalar fallback = field.default_scalar(); fallback.index() != 0) {
      field.of(out) = from_scalar<Value>(fallback);
      return;
    }
  }
  if constexpr (!is_optional<Member>) refuse(Place{&place, field.name()}, "is missing");
}

template <Described T>
T decode_described(const Json& value, const Place& place) {
  static_assert(std::is_default_constructible_v<T>,
                "mcp: a struct that is read from JSON must be default-constructible");
  require_object(value, place);
  T out{};
  for_each_field<T>([&](const auto& field) { decode_field(value, place, field, out); });
  return out;
}

template <class T>
T decode_list(const Json& value, const Place& place) {
  T out;
  const std::size_t size = list_size(value, place);
  if constexpr (requires { out.reserve(size); }) out.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    auto item = decode<typename T::value_type>(list_item(value, i), Place{&place, {}, i});
    if constexpr (is_set<T>) {
      if (!out.insert(std::move(item)).second) refuse(Place{&place, {}, i}, "is there twice");
    } else {
      out.push_back(std::move(item));
    }
  }
  return out;
}

template <class Key>
Key decode_key(const std::string& name, const Place& place) {
  if constexpr (NamedEnum<Key>) {
    return value_of_name<Key>(name, [&](const auto& allowed) { refuse_key(place, allowed); });
  } else {
    return name;
  }
}

template <class T>
T decode_map(const Json& value, const Place& place) {
  T out;
  for (const auto& [name, member] : members(value, place)) {
    const Place here{&place, *name};
    out.emplace(decode_key<typename T::key_type>(*name, here), decode<typename T::mapped_type>(*member, here));
  }
  return out;
}

template <class T, std::size_t... I>
T decode_tuple(const Json& value, const Place& place, std::index_sequence<I...>) {
  require_size(value, place, sizeof...(I));
  // Braces, so that the items are looked at in their order.
  return T{decode<std::tuple_element_t<I, T>>(list_item(value, I), Place{&place, {}, I})...};
}

template <class T>
void require_schema(const Json& value, const Place& place);

/// The first of the types that the value fits: also in its members, because that may be what distinguishes them.
template <class T, std::size_t I = 0>
T decode_variant(const Json& value, const Place& place, std::string&& reasons = {}) {
  if constexpr (I == std::variant_size_v<T>) {
    refuse(place, "fits none of its types: " + reasons);
  } else {
    using Alternative = std::variant_alternative_t<I, T>;
    try {
      T fitting(std::in_place_index<I>, decode<Alternative>(value, place));
      require_schema<Alternative>(value, place);
      return fitting;
    } catch (const std::invalid_argument& error) {
      (reasons += reasons.empty() ? "" : "; ") += error.what();
    }
    return decode_variant<T, I + 1>(value, place, std::move(reasons));
  }
}

template <HasJsonForm T>
T decode_form(const Json& value, const Place& place) {
  const auto form = decode<typename JsonForm<T>::As>(value, place);
  try {
    return JsonForm<T>::from(form);
  } catch (const std::invalid_argument& error) {
    refuse(place, error.what());
  }
}

template <class T>
T decode(const Json& value, const Place& place) {
  require_json_form<T>();
  if constexpr (std::is_same_v<T, bool>) {
    return decode_boolean(value, place);
  } else if constexpr (Integer<T> && std::is_signed_v<T>) {
    return static_cast<T>(decode_integer(value, place, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else if constexpr (Integer<T>) {
    return static_cast<T>(decode_unsigned(value, place, std::numeric_limits<T>::max()));
  } else if constexpr (Number<T>) {
    return static_cast<T>(decode_number(value, place, std::numeric_limits<T>::max()));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return decode_string(value, place);
  } else if constexpr (NamedEnum<T>) {
    return decode_enum<T>(value, place);
  } else if constexpr (HasJsonForm<T>) {
    return decode_form<T>(value, place);
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    require_null(value, place);
    return {};
  } else if constexpr (is_variant<T>) {
    static_assert(
        all_are_reachable(static_cast<T*>(nullptr)),
        "mcp: a std::variant becomes the first of its types that fits, and one of them takes all that a later "
        "one would: put it last; std::string goes after enums and what has a text as its form, double after "
        "integers, mcp::Json after everything");
    return decode_variant<T>(value, place);
  } else if constexpr (is_array<T> || is_tuple<T>) {
    return decode_tuple<T>(value, place, std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (is_optional<T>) {
    return is_null(value) ? T{} : T(decode<typename T::value_type>(value, place));
  } else if constexpr (is_list<T> || is_set<T>) {
    return decode_list<T>(value, place);
  } else if constexpr (is_map<T>) {
    return decode_map<T>(value, place);
  } else if constexpr (Described<T>) {
    return decode_described<T>(value, place);
  } else if constexpr (std::is_same_v<T, Json>) {
    T out;
    copy(value, out);
    return out;
  }
}

/// Calls look.operator()<Struct> with each object that a described struct is read from, and its place: first with those
/// inside of others.
template <class T, class Look>
void for_each_struct(const Json& value, const Place& place, const Look& look) {
  if constexpr (HasJsonForm<T>) {
    for_each_struct<typename JsonForm<T>::As>(value, place, look);
  } else if constexpr (is_optional<T>) {
    if (!is_null(value)) for_each_struct<typename T::value_type>(value, place, look);
  } else if constexpr (is_list<T> || is_set<T> || is_array<T>) {
    for (std::size_t i = 0; i < list_size(value, place); ++i)
      for_each_struct<typename T::value_type>(list_item(value, i), Place{&place, {}, i}, look);
  } else if constexpr (is_tuple<T>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (for_each_struct<std::tuple_element_t<I, T>>(list_item(value, I), Place{&place, {}, I}, look), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (is_map<T>) {
    for (const auto& [name, member] : members(value, place))
      for_each_struct<typename T::mapped_type>(*member, Place{&place, *name}, look);
  } else if constexpr (Described<T>) {
    for_each_field<T>([&]<class Field>(const Field& field) {
      const Json* member = find_member(value, field.name());
      if (member && !is_null(*member))
        for_each_struct<typename Field::Type>(*member, Place{&place, field.name()}, look);
    });
    look.template operator()<T>(value, place);
  }
}

/// What described structs do not have a field for: most likely mistyped names.
template <class T>
void find_strangers(const Json& value, const Place& place, std::vector<std::string>& strangers) {
  for_each_struct<T>(value, place, [&]<class Struct>(const Json& object, const Place& here) {
    std::vector<std::string_view> names;
    for_each_field<Struct>([&](const auto& field) { names.push_back(field.name()); });
    add_strangers(object, here, names, strangers);
  });
}

/// Throws std::invalid_argument for what can be read as a T though a field does not allow it. Patterns are not looked
/// at.
template <class T>
void require_limits(const Json& value, const Place& place) {
  for_each_struct<T>(value, place, []<class Struct>(const Json& object, const Place& here) {
    for_each_field<Struct>([&]<class Field>(const Field& field) {
      const Json* member = find_member(object, field.name());
      if (!member || is_null(*member)) return;
      const Place there{&here, field.name()};
      for (const auto& keyword : field)
        require_allowed(*member, there, keyword.name, keyword.value);
      if constexpr (Field::choice_count > 0)
        require_choice(*member, there, field.choices().data(), Field::choice_count);
    });
  });
}

/// The same, and for members without a field.
template <class T>
void require_schema(const Json& value, const Place& place) {
  std::vector<std::string> strangers;
  find_strangers<T>(value, place, strangers);
  if (!strangers.empty()) throw std::invalid_argument(strangers.front());
  require_limits<T>(value, place);
}

}  // namespace mcp::detail
