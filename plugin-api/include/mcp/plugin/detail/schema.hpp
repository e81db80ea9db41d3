// JSON Schema (2020-12) from C++ types, as text in the author's order of fields, because models read it. A struct that
// contains itself becomes a "$ref" to the place where it began.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mcp/plugin/arg.hpp>
#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/detail/types.hpp>
#include <mcp/plugin/field.hpp>

namespace mcp::detail {

/// What is said about arguments is what a caller must do; what is said about results is what it can rely on.
enum class SchemaUse { Input, Output };

class Schema {
 public:
  /// Sets a keyword to JSON text. A keyword that is there already keeps its place.
  Schema& set(std::string_view keyword, std::string json);
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> keywords_;
};

/// Where in the whole document a schema is being written; a list from the inside out, on the stack.
struct SchemaPlace {
  SchemaUse use = SchemaUse::Input;
  const SchemaPlace* parent = nullptr;
  std::string_view keyword;
  std::string_view name;
  const void* type = nullptr;

  static SchemaPlace root(SchemaUse use) { return {use, nullptr, {}, {}, nullptr}; }
  SchemaPlace below(std::string_view child_keyword, std::string_view child_name = {}) const {
    return {use, this, child_keyword, child_name, nullptr};
  }
  /// The nearest enclosing place that describes this type, or null.
  const SchemaPlace* enclosing(const void* described) const;
  /// As a URI fragment, "#/properties/child".
  std::string reference() const;
};

class ObjectSchema {
 public:
  void property(std::string_view name, const Schema& schema, bool required);
  Schema schema(SchemaUse use) const;

 private:
  ObjectText properties_;
  ArrayText required_;
};

Schema type_schema(std::string_view type);
Schema integer_schema(int bits, bool is_signed);
Schema names_schema(const std::vector<std::string_view>& names);
Schema list_schema(const Schema& items);
Schema sized_list_schema(const Schema& items, std::size_t size);
Schema map_schema(const Schema& values);
Schema nullable_schema(const Schema& value);
Schema reference_schema(const SchemaPlace& place);

/// What an argument is, to check that its modifiers make sense for it.
enum class ValueKind { Number, Text, List, Other };

/// Throws std::invalid_argument for a name that is empty or there twice.
void require_unique_names(const Arg* args, std::size_t count);

/// Throws std::invalid_argument where the keywords contradict one another, or the default contradicts them, so that the
/// author hears of it and not the first one who calls. `what` is what the message is about.
void require_consistent(const Schema& schema, const std::string& what);

/// Adds description and keywords. Throws std::invalid_argument for a modifier that does not fit, or contradicts
/// another.
void describe_argument(Schema& schema, const Arg& arg, ValueKind kind);

template <class T>
constexpr ValueKind value_kind() {
  using Value = without_optional<T>;
  if (Number<Value>) return ValueKind::Number;
  if (std::is_same_v<Value, std::string> || NamedEnum<Value>) return ValueKind::Text;
  if (is_list<Value> || is_set<Value>) return ValueKind::List;
  return ValueKind::Other;
}

/// Its address stands for the type.
template <class T>
inline constexpr char type_tag = 0;

template <class T>
Schema schema_of(const SchemaPlace& place);

template <class Field>
void describe_field(Schema& schema, const Field& field) {
  if (!field.description().empty()) schema.set("description", json_string(field.description()));
  for (const auto& keyword : field)
    schema.set(keyword.name, scalar_text(keyword.value));
  if constexpr (Field::choice_count > 0) {
    ArrayText choices;
    for (const auto& choice : field.choices())
      choices.item(scalar_text(choice));
    schema.set("enum", choices.text());
  }
  require_consistent(schema, "field \"" + std::string(field.name()) + '"');
}

template <class Field>
Schema field_schema(const Field& field, const SchemaPlace& place) {
  Schema schema = schema_of<without_optional<typename Field::Type>>(place);
  describe_field(schema, field);
  return schema;
}

template <Described T>
Schema described_schema(const SchemaPlace& place) {
  if (const SchemaPlace* outer = place.enclosing(&type_tag<T>)) return reference_schema(*outer);
  SchemaPlace here = place;
  here.type = &type_tag<T>;
  ObjectSchema object;
  for_each_field<T>([&]<class Field>(const Field& field) {
    // A result always has what is not optional, whatever the default of an argument would be.
    const bool has_default = here.use == SchemaUse::Input && field.default_scalar().index() != 0;
    object.property(field.name(), field_schema(field, here.below("properties", field.name())),
                    is_required<typename Field::Type>(has_default));
  });
  return object.schema(here.use);
}

template <NamedEnum E>
Schema enum_schema() {
  std::vector<std::string_view> names;
  names.reserve(enum_values<E>.size());
  for (const auto& each : enum_values<E>)
    names.push_back(each.name);
  return names_schema(names);
}

/// A schema for each of the types, as items of an array.
template <class T, template <std::size_t, class> class Each, std::size_t... I>
std::string schemas_of(std::string_view keyword, const SchemaPlace& place, std::index_sequence<I...>) {
  ArrayText list;
  [[maybe_unused]] const auto add = [&]<std::size_t J> {
    const std::string index = std::to_string(J);
    list.item(schema_of<typename Each<J, T>::type>(place.below(keyword, index)).text());
  };
  (add.template operator()<I>(), ...);
  return list.text();
}

template <class T, std::size_t... I>
Schema variant_schema(const SchemaPlace& place, std::index_sequence<I...> indices) {
  return Schema().set("anyOf", schemas_of<T, std::variant_alternative>("anyOf", place, indices));
}

/// Of so many values and no others: by maxItems, because clients that do not know prefixItems take "items" for all.
template <class T, std::size_t... I>
Schema tuple_schema(const SchemaPlace& place, std::index_sequence<I...> indices) {
  const std::string count = std::to_string(sizeof...(I));
  Schema schema = type_schema("array");
  // At least one, says JSON Schema.
  if constexpr (sizeof...(I) > 0) {
    schema.set("prefixItems", schemas_of<T, std::tuple_element>("prefixItems", place, indices));
  }
  return schema.set("minItems", count).set("maxItems", count);
}

template <HasJsonForm T>
Schema form_of(const SchemaPlace& place) {
  using Form = JsonForm<T>;
  Schema schema = schema_of<typename Form::As>(place);
  if constexpr (requires { Form::format; }) schema.set("format", json_string(Form::format));
  if constexpr (requires { Form::pattern; }) schema.set("pattern", json_string(Form::pattern));
  if constexpr (requires { Form::encoding; }) schema.set("contentEncoding", json_string(Form::encoding));
  return schema;
}

template <class T>
Schema schema_of(const SchemaPlace& place) {
  require_json_form<T>();
  if constexpr (std::is_same_v<T, bool>) {
    return type_schema("boolean");
  } else if constexpr (Integer<T>) {
    return integer_schema(static_cast<int>(sizeof(T) * 8), std::is_signed_v<T>);
  } else if constexpr (Number<T>) {
    return type_schema("number");
  } else if constexpr (std::is_same_v<T, std::string>) {
    return type_schema("string");
  } else if constexpr (NamedEnum<T>) {
    return enum_schema<T>();
  } else if constexpr (HasJsonForm<T>) {
    return form_of<T>(place);
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    return type_schema("null");
  } else if constexpr (is_variant<T>) {
    return variant_schema<T>(place, std::make_index_sequence<std::variant_size_v<T>>());
  } else if constexpr (is_array<T>) {
    return sized_list_schema(schema_of<typename T::value_type>(place.below("items")), std::tuple_size_v<T>);
  } else if constexpr (is_tuple<T>) {
    return tuple_schema<T>(place, std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (is_set<T>) {
    return list_schema(schema_of<typename T::value_type>(place.below("items"))).set("uniqueItems", "true");
  } else if constexpr (is_optional<T>) {
    return nullable_schema(schema_of<typename T::value_type>(place.below("anyOf", "0")));
  } else if constexpr (is_list<T>) {
    return list_schema(schema_of<typename T::value_type>(place.below("items")));
  } else if constexpr (is_map<T>) {
    Schema schema = map_schema(schema_of<typename T::mapped_type>(place.below("additionalProperties")));
    if constexpr (NamedEnum<typename T::key_type>)
      schema.set("propertyNames", enum_schema<typename T::key_type>().text());
    return schema;
  } else if constexpr (Described<T>) {
    return described_schema<T>(place);
  } else {
    return {};
  }
}

/// One parameter of a callable: not nullable if it is optional, because it may simply be absent.
template <class T>
void add_argument(ObjectSchema& object, const Arg& arg, const SchemaPlace& root) {
  Schema schema = schema_of<without_optional<T>>(root.below("properties", arg.name()));
  describe_argument(schema, arg, value_kind<T>());
  object.property(arg.name(), schema, is_required<T>(!arg.default_json().empty()));
}

}  // namespace mcp::detail
