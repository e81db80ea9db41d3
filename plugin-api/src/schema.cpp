#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include <mcp/plugin/detail/decode.hpp>
#include <mcp/plugin/detail/schema.hpp>
#include <nlohmann/json.hpp>

namespace mcp {

namespace detail {
namespace {

/// One step of a JSON pointer (RFC 6901) as part of a URI fragment (section 6).
std::string pointer_step(std::string_view name) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string step = "/";
  for (const char c : name) {
    const bool unreserved =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    if (unreserved) {
      step += c;
    } else if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      const auto byte = static_cast<unsigned char>(c);
      ((step += '%') += digits[byte / 16]) += digits[byte % 16];
    }
  }
  return step;
}

bool fits(std::string_view keyword, ValueKind kind) {
  if (keyword == "minimum" || keyword == "maximum") return kind == ValueKind::Number;
  if (keyword == "minLength" || keyword == "maxLength" || keyword == "pattern") return kind == ValueKind::Text;
  if (keyword == "minItems" || keyword == "maxItems") return kind == ValueKind::List;
  if (keyword == "enum") return kind == ValueKind::Number || kind == ValueKind::Text;
  return true;
}

std::size_t characters(std::string_view text) {
  const auto begins_one = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_one));
}

}  // namespace

bool allows(std::string_view keyword, const Json& limit, const Json& value) {
  const auto is_within = [&](const Json& size, std::string_view least, std::string_view most) {
    return (keyword != least || size >= limit) && (keyword != most || size <= limit);
  };
  if (keyword == "enum") return std::find(limit.begin(), limit.end(), value) != limit.end();
  if (value.is_number()) return is_within(value, "minimum", "maximum");
  if (value.is_string()) return is_within(characters(value.get_ref<const std::string&>()), "minLength", "maxLength");
  return !value.is_array() || is_within(value.size(), "minItems", "maxItems");
}

// In the words of the host, which checks the arguments of tools.
void require_allowed(const Json& value, const Place& place, std::string_view keyword, const std::string& limit) {
  if (allows(keyword, parse_json(limit), value)) return;
  if (keyword == "enum") refuse(place, "is " + dump_json(value) + ", not one of " + limit);
  const std::string bound = (keyword.starts_with("min") ? "at least " : "at most ") + limit;
  if (value.is_number()) refuse(place, "must be " + bound + ", but is " + dump_json(value));
  const std::string unit = value.is_string() ? " character" : " item";
  const auto size = value.is_string() ? characters(value.get_ref<const std::string&>()) : value.size();
  refuse(place, "must have " + bound + unit + (limit == "1" ? "" : "s") + ", but has " + std::to_string(size));
}

void require_consistent(const Schema& written, const std::string& what) {
  const Json schema = parse_json(written.text());
  const auto reject = [&what](const std::string& why) { throw std::invalid_argument(what + ": " + why); };
  const std::pair<const char*, const char*> bounds[] = {
      {"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}};
  for (const auto& [least, most] : bounds) {
    if (!schema.contains(least) || !schema.contains(most) || schema[least] <= schema[most]) continue;
    reject("its " + (least + (" " + dump_json(schema[least]))) + " is more than its " + most + ' ' +
           dump_json(schema[most]));
  }
  const auto value = schema.find("default");
  if (value == schema.end()) return;
  for (const auto& [keyword, limit] : schema.items()) {
    if (allows(keyword, limit, *value)) continue;
    reject("its default " + dump_json(*value) + " is not what its " + keyword + ' ' + dump_json(limit) + " allows");
  }
}

Schema& Schema::set(std::string_view keyword, std::string json) {
  const auto found =
      std::find_if(keywords_.begin(), keywords_.end(), [&](auto& each) { return each.first == keyword; });
  if (found != keywords_.end()) {
    found->second = std::move(json);
  } else {
    keywords_.emplace_back(keyword, std::move(json));
  }
  return *this;
}

std::string Schema::text() const {
  ObjectText object;
  for (const auto& [keyword, json] : keywords_)
    object.member(keyword, json);
  return object.text();
}

const SchemaPlace* SchemaPlace::enclosing(const void* described) const {
  for (const SchemaPlace* place = parent; place; place = place->parent) {
    if (place->type == described) return place;
  }
  return nullptr;
}

std::string SchemaPlace::reference() const {
  std::string reference = parent ? parent->reference() : "#";
  if (!keyword.empty()) reference += pointer_step(keyword);
  if (!name.empty()) reference += pointer_step(name);
  return reference;
}

void ObjectSchema::property(std::string_view name, const Schema& schema, bool required) {
  properties_.member(name, schema.text());
  if (required) required_.item(json_string(name));
}

Schema ObjectSchema::schema(SchemaUse use) const {
  Schema object = type_schema("object");
  object.set("properties", properties_.text());
  if (!required_.empty()) object.set("required", required_.text());
  // A misspelt argument is a mistake to tell the model about; a result may grow.
  if (use == SchemaUse::Input) object.set("additionalProperties", "false");
  return object;
}

Schema type_schema(std::string_view type) {
  return Schema().set("type", json_string(type));
}

Schema integer_schema(int bits, bool is_signed) {
  Schema schema = type_schema("integer");
  if (bits <= 16) {
    const int values = 1 << bits;
    schema.set("minimum", std::to_string(is_signed ? -values / 2 : 0));
    schema.set("maximum", std::to_string(is_signed ? values / 2 - 1 : values - 1));
  } else if (!is_signed) {
    // The bounds of wider types would only be noise to a model; conversion refuses what does not fit.
    schema.set("minimum", "0");
  }
  return schema;
}

Schema names_schema(const std::vector<std::string_view>& names) {
  ArrayText list;
  for (const auto name : names)
    list.item(json_string(name));
  return type_schema("string").set("enum", list.text());
}

Schema list_schema(const Schema& items) {
  return type_schema("array").set("items", items.text());
}

Schema sized_list_schema(const Schema& items, std::size_t size) {
  const std::string count = std::to_string(size);
  return list_schema(items).set("minItems", count).set("maxItems", count);
}

Schema map_schema(const Schema& values) {
  return type_schema("object").set("additionalProperties", values.text());
}

Schema nullable_schema(const Schema& value) {
  return Schema().set("anyOf", ArrayText().item(value.text()).item(type_schema("null").text()).text());
}

Schema reference_schema(const SchemaPlace& place) {
  return Schema().set("$ref", json_string(place.reference()));
}

void require_unique_names(const Arg* args, std::size_t count) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& name = args[i].name();
    if (name.empty()) throw std::invalid_argument("argument " + std::to_string(i + 1) + " has no name");
    if (!seen.insert(name).second) throw std::invalid_argument("two arguments are named \"" + name + "\"");
  }
}

void describe_argument(Schema& schema, const Arg& arg, ValueKind kind) {
  if (!arg.description().empty()) schema.set("description", json_string(arg.description()));
  for (const auto& keyword : arg.keywords()) {
    if (!fits(keyword.name, kind)) {
      throw std::invalid_argument("argument \"" + arg.name() + "\": its type has no \"" + keyword.name + "\"");
    }
    schema.set(keyword.name, keyword.json);
  }
  if (!arg.keywords().empty()) require_consistent(schema, "argument \"" + arg.name() + '"');
}

}  // namespace detail

Arg& Arg::one_of(const std::vector<std::string>& values) {
  std::vector<std::string> json;
  json.reserve(values.size());
  for (const auto& value : values)
    json.push_back(detail::json_string(value));
  return choices(json);
}

Arg& Arg::choices(const std::vector<std::string>& json) {
  detail::ArrayText list;
  for (const auto& value : json)
    list.item(value);
  return set("enum", list.text());
}

Arg& Arg::set(std::string_view keyword, std::string json) {
  std::erase_if(keywords_, [&](const Keyword& each) { return each.name == keyword; });
  keywords_.push_back({std::string(keyword), std::move(json)});
  return *this;
}

std::string_view Arg::keyword_json(std::string_view keyword) const {
  for (const auto& each : keywords_) {
    if (each.name == keyword) return each.json;
  }
  return {};
}

}  // namespace mcp
