#include "check/example_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "check/pattern_text.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_depth = 8;
constexpr std::size_t max_nodes = 10'000;   // of one value
constexpr std::size_t long_text = 10'000;   // bytes
constexpr std::size_t many_elements = 200;  // of an array without a maximum
constexpr std::size_t max_choices = 8;      // of one enum

const OrderedJson* found(const OrderedJson& schema, const char* keyword) {
  if (!schema.is_object()) return nullptr;
  const auto place = schema.find(keyword);
  return place == schema.end() ? nullptr : &*place;
}

std::optional<double> number_in(const OrderedJson& schema, const char* keyword) {
  const auto* const value = found(schema, keyword);
  return value != nullptr && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

std::size_t size_in(const OrderedJson& schema, const char* keyword, std::size_t otherwise) {
  constexpr double most = 1'000'000;
  const auto number = number_in(schema, keyword);
  return number ? static_cast<std::size_t>(std::clamp(*number, 0.0, most)) : otherwise;
}

// The type that is said, or that the keywords are for.
std::string type_in(const OrderedJson& schema) {
  if (const auto* const type = found(schema, "type")) {
    if (type->is_string()) return type->get<std::string>();
    if (type->is_array() && !type->empty() && type->front().is_string()) return type->front().get<std::string>();
  }
  const auto has = [&](auto... keywords) { return ((found(schema, keywords) != nullptr) || ...); };
  if (has("properties", "required", "additionalProperties")) return "object";
  if (has("items", "prefixItems", "minItems")) return "array";
  if (has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) return "number";
  return "string";
}

Json whole_or_not(double number, bool whole) {
  constexpr double most = 9.0e18;
  if (std::abs(number) < most && (whole || number == std::floor(number))) return static_cast<std::int64_t>(number);
  return number;
}

std::optional<double> lowest(const OrderedJson& schema, bool whole) {
  if (const auto least = number_in(schema, "minimum")) return whole ? std::ceil(*least) : *least;
  const auto above = number_in(schema, "exclusiveMinimum");
  if (!above) return std::nullopt;
  return whole ? std::floor(*above) + 1 : *above + std::max(1e-6, std::abs(*above) * 1e-9);
}

std::optional<double> highest(const OrderedJson& schema, bool whole) {
  if (const auto most = number_in(schema, "maximum")) return whole ? std::floor(*most) : *most;
  const auto below = number_in(schema, "exclusiveMaximum");
  if (!below) return std::nullopt;
  return whole ? std::ceil(*below) - 1 : *below - std::max(1e-6, std::abs(*below) * 1e-9);
}

Json usual_number(const OrderedJson& schema) {
  const bool whole = type_in(schema) == "integer";
  double number = 1;
  if (const auto least = lowest(schema, whole)) number = std::max(number, *least);
  if (const auto most = highest(schema, whole)) number = std::min(number, *most);
  if (const auto step = number_in(schema, "multipleOf"); step && *step > 0) {
    const auto most = highest(schema, whole);
    const auto above = std::ceil(number / *step) * *step;
    number = most && above > *most ? std::floor(number / *step) * *step : above;
  }
  return whole_or_not(number, whole);
}

std::string text_of_format(const std::string& format) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> examples{
      {{"date-time", "2026-01-31T12:00:00Z"},
       {"date", "2026-01-31"},
       {"time", "12:00:00Z"},
       {"duration", "PT1H"},
       {"email", "ada@example.org"},
       {"hostname", "example.org"},
       {"ipv4", "192.0.2.1"},
       {"ipv6", "2001:db8::1"},
       {"uri", "https://example.org/a"},
       {"uri-reference", "/a"},
       {"uuid", "123e4567-e89b-42d3-a456-426614174000"},
       {"regex", "a+"}}};
  const auto* const example =
      std::ranges::find(examples, format, &std::pair<std::string_view, std::string_view>::first);
  return example == examples.end() ? "example" : std::string(example->second);
}

std::string usual_text(const OrderedJson& schema) {
  const auto* const pattern = found(schema, "pattern");
  const auto* const format = found(schema, "format");
  std::string text = "example";
  if (pattern != nullptr && pattern->is_string()) {
    text = text_matching(pattern->get_ref<const std::string&>());
  } else if (format != nullptr && format->is_string()) {
    text = text_of_format(format->get<std::string>());
  }
  const auto least = size_in(schema, "minLength", 0);
  if (text.size() < least) text.append(least - text.size(), text.empty() ? 'a' : text.back());
  if (const auto most = size_in(schema, "maxLength", text.size()); text.size() > most) text.resize(most);
  return text;
}

// What the author or the schema says before any guess; nothing: neither.
const OrderedJson* said_value(const OrderedJson& schema) {
  if (const auto* const value = found(schema, "const")) return value;
  if (const auto* const examples = found(schema, "examples");
      examples != nullptr && examples->is_array() && !examples->empty()) {
    return &examples->front();
  }
  if (const auto* const value = found(schema, "default")) return value;
  const auto* const choices = found(schema, "enum");
  return choices != nullptr && choices->is_array() && !choices->empty() ? &choices->front() : nullptr;
}

// `part` is added to `whole`, whose own keywords stand; members and what is required are put together.
void add_part(OrderedJson& whole, const OrderedJson& part) {
  if (!part.is_object()) return;
  for (const auto& [keyword, value] : part.items()) {
    auto& own = whole[keyword];
    if (own.is_null()) {
      own = value;
    } else if (keyword == "properties" && own.is_object() && value.is_object()) {
      for (const auto& [name, member] : value.items())
        if (!own.contains(name)) own[name] = member;
    } else if (keyword == "required" && own.is_array() && value.is_array()) {
      for (const auto& name : value)
        own.push_back(name);
    }
  }
}

bool requires_member(const OrderedJson& schema, const std::string& name) {
  const auto* const required = found(schema, "required");
  return required != nullptr && required->is_array() &&
         std::find(required->begin(), required->end(), name) != required->end();
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i)
    all += text;
  return all;
}

std::vector<ExampleValues::Named> border_texts(const OrderedJson& schema) {
  const auto most = size_in(schema, "maxLength", long_text);
  const auto least = size_in(schema, "minLength", 0);
  return {{"empty", ""},
          {"of its smallest length", std::string(least, 'a')},
          {"long", std::string(std::min(most, long_text * 10), 'a')},
          {"long, not ASCII", repeated("\xE6\xBC\xA2", std::min(most, long_text))},
          {"with characters beyond ASCII", "Gr\xC3\xBC\xC3\x9F \xE6\xBC\xA2\xE5\xAD\x97 \xF0\x9F\x8E\x89 e\xCC\x81"},
          {"with control characters", std::string("a\0b\n\t\x1B[31m", 10)},
          {"of quotes and braces", R"("'\{}[]%s%n$(x)`;--<b>)"},
          {"that is a path", "../../../../no-such-folder/no-such-file"}};
}

std::vector<ExampleValues::Named> border_numbers(const OrderedJson& schema) {
  const bool whole = type_in(schema) == "integer";
  std::vector<ExampleValues::Named> all{{"0", 0}, {"-1", -1}};
  if (const auto least = lowest(schema, whole)) all.push_back({"at its minimum", whole_or_not(*least, whole)});
  if (const auto most = highest(schema, whole)) all.push_back({"at its maximum", whole_or_not(*most, whole)});
  all.push_back({"as large as 64 bits hold", std::numeric_limits<std::int64_t>::max()});
  all.push_back({"as small as 64 bits hold", std::numeric_limits<std::int64_t>::min()});
  all.push_back({"beyond 64 bits", 1e300});
  if (!whole) all.push_back({"tiny", 1e-300});
  return all;
}

}  // namespace

OrderedJson ExampleValues::flat(const OrderedJson& schema, std::size_t depth) const {
  if (!schema.is_object() || depth > max_depth || nodes_ > max_nodes) return schema;
  ++nodes_;
  auto whole = schema;
  if (const auto* const reference = found(schema, "$ref"); reference != nullptr && reference->is_string()) {
    const auto& text = reference->get_ref<const std::string&>();
    whole.erase("$ref");
    if (text == "#") {
      add_part(whole, flat(schema_, depth + 1));
    } else if (text.starts_with("#/")) {
      const OrderedJson::json_pointer place(text.substr(1));
      if (schema_.contains(place)) add_part(whole, flat(schema_.at(place), depth + 1));
    }
  }
  for (const auto* const keyword : {"anyOf", "oneOf"}) {
    const auto* const alternatives = found(schema, keyword);
    if (alternatives == nullptr || !alternatives->is_array() || alternatives->empty()) continue;
    whole.erase(keyword);
    add_part(whole, flat(alternatives->front(), depth + 1));
  }
  if (const auto* const parts = found(schema, "allOf"); parts != nullptr && parts->is_array()) {
    whole.erase("allOf");
    for (const auto& part : *parts)
      add_part(whole, flat(part, depth + 1));
  }
  return whole;
}

Json ExampleValues::make_new(const OrderedJson& schema, Extent extent) const {
  nodes_ = 0;
  return make(schema, extent, 0);
}

Json ExampleValues::make(const OrderedJson& schema, Extent extent, std::size_t depth) const {
  if (depth > max_depth || nodes_ > max_nodes) return nullptr;
  const auto whole = flat(schema, depth);
  if (const auto* const said = said_value(whole)) return *said;
  const auto type = type_in(whole);
  if (type == "object") return make_object(whole, extent, depth);
  if (type == "array") return make_array(whole, extent, depth);
  if (type == "integer" || type == "number") return usual_number(whole);
  if (type == "boolean") return true;
  if (type == "null") return nullptr;
  return usual_text(whole);
}

Json ExampleValues::make_object(const OrderedJson& schema, Extent extent, std::size_t depth) const {
  auto object = Json::object();
  if (const auto* const members = found(schema, "properties"); members != nullptr && members->is_object()) {
    for (const auto& [name, member] : members->items()) {
      if (extent == Extent::all || requires_member(schema, name)) object[name] = make(member, extent, depth + 1);
    }
  }
  if (const auto* const required = found(schema, "required"); required != nullptr && required->is_array()) {
    for (const auto& name : *required) {
      if (name.is_string() && !object.contains(name.get<std::string>())) object[name.get<std::string>()] = "example";
    }
  }
  const auto* const others = found(schema, "additionalProperties");
  for (auto at = object.size(); at < size_in(schema, "minProperties", 0); ++at)
    object["member" + std::to_string(at)] =
        others != nullptr && others->is_object() ? make(*others, extent, depth + 1) : Json("example");
  return object;
}

Json ExampleValues::make_array(const OrderedJson& schema, Extent extent, std::size_t depth) const {
  auto array = Json::array();
  if (const auto* const first = found(schema, "prefixItems"); first != nullptr && first->is_array()) {
    for (const auto& each : *first)
      array.push_back(make(each, extent, depth + 1));
  }
  const auto* const items = found(schema, "items");
  const auto count = std::max(size_in(schema, "minItems", 0), std::min<std::size_t>(1, size_in(schema, "maxItems", 1)));
  while (array.size() < std::min(count, many_elements)) {
    auto element = items == nullptr ? Json("example") : make(*items, extent, depth + 1);
    if (schema.value("uniqueItems", false) && !array.empty()) {
      if (element.is_number()) element = element.get<double>() + static_cast<double>(array.size());
      if (element.is_string()) element = element.get<std::string>() + std::to_string(array.size());
    }
    array.push_back(std::move(element));
  }
  return array;
}

std::optional<Json> ExampleValues::usual() const {
  if (const auto* const examples = found(schema_, "examples"); examples != nullptr && examples->is_array()) {
    for (const auto& example : *examples)
      if (takes(example)) return example;
  }
  for (const auto extent : {Extent::all, Extent::required}) {
    if (auto value = make_new(schema_, extent); takes(value)) return value;
  }
  return std::nullopt;
}

std::vector<ExampleValues::Named> ExampleValues::border_of(const std::string& name, const OrderedJson& schema) const {
  std::vector<Named> all;
  if (const auto* const choices = found(schema, "enum"); choices != nullptr && choices->is_array()) {
    for (std::size_t i = 0; i < std::min(choices->size(), max_choices); ++i)
      all.push_back({"as " + (*choices)[i].dump(), (*choices)[i]});
    return all;
  }
  const auto type = type_in(schema);
  if (type == "string") {
    all = border_texts(schema);
  } else if (type == "integer" || type == "number") {
    all = border_numbers(schema);
  } else if (type == "boolean") {
    all = {{"true", true}, {"false", false}};
  } else if (type == "array") {
    const auto* const items = found(schema, "items");
    auto many = Json::array();
    nodes_ = 0;
    const auto most = std::min(size_in(schema, "maxItems", many_elements), many_elements);
    while (many.size() < most)
      many.push_back(items == nullptr ? Json("example") : make(*items, Extent::all, 1));
    all = {{"without elements", Json::array()}, {"with many elements", std::move(many)}};
  } else if (type == "object") {
    all = {{"without members", Json::object()}};
  }
  for (auto& each : all)
    each.what = "\"" + name + "\" " + each.what;
  return all;
}

std::vector<ExampleValues::Named> ExampleValues::border() const {
  std::vector<Named> all;
  const auto base = usual();
  if (!base || !base->is_object()) return all;
  const auto add = [&](std::string what, Json value) {
    if (takes(value)) all.push_back({std::move(what), std::move(value)});
  };
  add("only what is required", make_new(schema_, Extent::required));
  add("all members", make_new(schema_, Extent::all));
  nodes_ = 0;
  const auto whole = flat(schema_, 0);
  const auto* const members = found(whole, "properties");
  if (members == nullptr || !members->is_object()) return all;
  for (const auto& [name, member] : members->items()) {
    nodes_ = 0;
    for (auto& each : border_of(name, flat(member, 1))) {
      auto value = *base;
      value[name] = std::move(each.value);
      add(std::move(each.what), std::move(value));
    }
  }
  return all;
}

std::vector<ExampleValues::Named> ExampleValues::invalid() const {
  std::vector<Named> all;
  const auto add = [&](std::string what, Json value) {
    if (!takes(value)) all.push_back({std::move(what), std::move(value)});
  };
  add("no object, but null", nullptr);
  add("no object, but an array", Json::array({1, "a"}));
  add("no object, but a text", "example");
  add("an empty object", Json::object());
  const auto base = usual();
  if (!base || !base->is_object()) return all;
  const std::array<Json, 6> others{Json(nullptr), Json(true), Json(-1e300), Json(""), Json::array(), Json::object()};
  for (const auto& [name, member] : base->items()) {
    auto without = *base;
    without.erase(name);
    add("without \"" + name + "\"", std::move(without));
    for (const auto& other : others) {
      auto value = *base;
      value[name] = other;
      add("\"" + name + "\" is " + other.dump(), std::move(value));
    }
  }
  auto more = *base;
  more["unknown member"] = Json::array({Json::object()});
  add("a member that nobody knows", std::move(more));
  return all;
}

}  // namespace mcph
