// The schema of a form that a user fills in: a flat object of values for which every client has a field (MCP,
// client/elicitation, "Requested Schema").
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <mcp/plugin/detail/schema.hpp>

namespace mcp {

class InputRequest;
enum class ElicitAction;

namespace detail {

InputRequest form_request(std::string_view message, std::string_view schema);
std::string refusal_text(bool declined);
ElicitAction action_of(const Json& answer);
/// An empty object if the client left it out.
const Json& form_content(const Json& answer);

template <class T>
inline constexpr bool is_choice_of_several = false;
template <NamedEnum E, class A>
inline constexpr bool is_choice_of_several<std::vector<E, A>> = true;

/// The one field of a form that asks for a value alone.
inline constexpr std::string_view single_field = "value";

/// MCP's forms know four formats of a text, and no pattern.
constexpr bool is_form_format(std::string_view format) {
  return format == "date" || format == "date-time" || format == "email" || format == "uri";
}
template <class T>
inline constexpr bool is_form_value = std::is_same_v<T, bool> || is_text_form<T> || Number<T> ||
                                      std::is_same_v<T, std::string> || NamedEnum<T> || is_choice_of_several<T>;

/// {"const", "title"} for each value, or nothing if none has a title.
template <NamedEnum E>
std::string titled_choices() {
  ArrayText choices;
  bool any = false;
  for (const auto& each : enum_values<E>) {
    any = any || !each.title.empty();
    choices.item(
        ObjectText().string("const", each.name).string("title", each.title.empty() ? each.name : each.title).text());
  }
  return any ? choices.text() : std::string();
}

template <class T>
Schema form_value_schema(const SchemaPlace& place) {
  if constexpr (is_choice_of_several<T>) {
    using E = typename T::value_type;
    const std::string titled = titled_choices<E>();
    return list_schema(titled.empty() ? enum_schema<E>() : Schema().set("anyOf", titled));
  } else if constexpr (is_text_form<T>) {
    Schema schema = type_schema("string");
    if constexpr (requires { JsonForm<T>::format; }) {
      if (is_form_format(JsonForm<T>::format)) schema.set("format", json_string(JsonForm<T>::format));
    }
    return schema;
  } else if constexpr (NamedEnum<T>) {
    const std::string titled = titled_choices<T>();
    return titled.empty() ? enum_schema<T>() : type_schema("string").set("oneOf", titled);
  } else {
    return schema_of<T>(place);
  }
}

template <class T>
Schema struct_form_schema(const SchemaPlace& root) {
  static_assert(
      Described<T>,
      "mcp: a form is a struct that has only members, or one with static constexpr auto fields(), or one value: "
      "a number, a bool, a std::string, a date or an enum");
  ObjectSchema object;
  for_each_field<T>([&]<class Field>(const Field& field) {
    using Member = typename Field::Type;
    using Value = without_optional<Member>;
    static_assert(
        is_form_value<Value>,
        "mcp: a field of a form is a number, a bool, a std::string, a date, an enum, a std::vector of an enum, or "
        "a std::optional of those");
    Schema schema = form_value_schema<Value>(root);
    describe_field(schema, field);
    object.property(field.name(), schema, is_required<Member>(field.default_scalar().index() != 0));
  });
  // Without additionalProperties, which MCP's forms do not have.
  return object.schema(SchemaUse::Output);
}

template <class T>
Schema form_schema() {
  const SchemaPlace root = SchemaPlace::root(SchemaUse::Input);
  if constexpr (is_form_value<T>) {
    ObjectSchema object;
    object.property(single_field, form_value_schema<T>(root), true);
    return object.schema(SchemaUse::Output);
  } else {
    return struct_form_schema<T>(root);
  }
}

}  // namespace detail
}  // namespace mcp
