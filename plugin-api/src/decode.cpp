#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <mcp/plugin/detail/decode.hpp>
#include <mcp/plugin/detail/text_values.hpp>
#include <nlohmann/json.hpp>

namespace mcp::detail {
namespace {

std::string path_of(const Place& place) {
  std::string path = place.parent ? path_of(*place.parent) : std::string();
  if (place.name.empty()) return place.parent ? path + '[' + std::to_string(place.index) + ']' : path;
  if (!path.empty()) path += '.';
  path.append(place.name);
  return path;
}

std::string in_words(const Json& value) {
  if (value.is_structured()) return std::string("an ") + value.type_name();
  constexpr std::size_t most = 100;
  const auto* const text = value.get_ptr<const std::string*>();
  if (!text || text->size() <= most) return dump_json(value);
  std::size_t size = most;
  while (size > 0 && (static_cast<unsigned char>((*text)[size]) & 0xC0U) == 0x80U)  // not within a character
    --size;
  return dump_json(text->substr(0, size) + "...");
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string list;
  for (const auto word : words)
    list.append(list.empty() ? "" : ", ").append(word);
  return list;
}

[[noreturn]] void refuse_type(const Json& value, const Place& place, std::string_view expected) {
  refuse(place, "must be " + std::string(expected) + ", but is " + in_words(value));
}

[[noreturn]] void refuse_range(const Json& value, const Place& place, const std::string& min, const std::string& max) {
  refuse(place, "is " + value.dump() + ", outside of " + min + " to " + max);
}

Json json_of(const Scalar& scalar) {
  return parse_json(scalar_text(scalar));
}

/// 2^53, the last integer that a double can be trusted with.
constexpr double last_exact = 9007199254740992.0;

/// JSON Schema counts 3.0 as an integer.
bool is_whole(double number) {
  return std::abs(number) <= last_exact && std::trunc(number) == number;
}

/// `value` is no integer to us. Beyond last_exact it is one all the same, but which one cannot be told any more.
[[noreturn]] void refuse_integer(const Json& value, const Place& place, std::string_view expected,
                                 const std::string& min, const std::string& max) {
  const bool is_beyond = value.is_number_float() && std::abs(value.get<double>()) > last_exact;
  if (!is_beyond) refuse_type(value, place, expected);
  refuse(place, "is " + value.dump() + ": write an integer from " + min + " to " + max + " with all its digits");
}

}  // namespace

void refuse(const Place& place, std::string_view why) {
  const std::string path = path_of(place);
  throw std::invalid_argument((path.empty() ? std::string("the value") : '"' + path + '"') + ' ' + std::string(why));
}

void refuse_key(const Place& place, const std::vector<std::string_view>& allowed) {
  refuse(place, "is not one of " + joined(allowed));
}

void refuse_name(const Json& value, const Place& place, const std::vector<std::string_view>& allowed) {
  refuse(place, "is " + dump_json(value) + ", not one of " + joined(allowed));
}

bool decode_boolean(const Json& value, const Place& place) {
  if (!value.is_boolean()) refuse_type(value, place, "a boolean");
  return value.get<bool>();
}

std::int64_t decode_integer(const Json& value, const Place& place, std::int64_t min, std::int64_t max) {
  std::int64_t integer = 0;
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(max)) refuse_range(value, place, std::to_string(min), std::to_string(max));
    integer = static_cast<std::int64_t>(number);
  } else if (value.is_number_integer()) {
    integer = value.get<std::int64_t>();
  } else if (value.is_number_float() && is_whole(value.get<double>())) {
    integer = static_cast<std::int64_t>(value.get<double>());
  } else {
    refuse_integer(value, place, "an integer", std::to_string(min), std::to_string(max));
  }
  if (integer < min || integer > max) refuse_range(value, place, std::to_string(min), std::to_string(max));
  return integer;
}

std::uint64_t decode_unsigned(const Json& value, const Place& place, std::uint64_t max) {
  std::uint64_t integer = 0;
  if (value.is_number_integer()) {
    const bool is_negative = !value.is_number_unsigned() && value.get<std::int64_t>() < 0;
    if (is_negative) refuse_range(value, place, "0", std::to_string(max));
    integer = value.get<std::uint64_t>();
  } else if (value.is_number_float() && is_whole(value.get<double>()) && value.get<double>() >= 0) {
    integer = static_cast<std::uint64_t>(value.get<double>());
  } else {
    refuse_integer(value, place, "an integer that is not negative", "0", std::to_string(max));
  }
  if (integer > max) refuse_range(value, place, "0", std::to_string(max));
  return integer;
}

double decode_number(const Json& value, const Place& place, long double most) {
  if (!value.is_number()) refuse_type(value, place, "a number");
  const auto number = value.get<double>();
  if (std::abs(number) > most) refuse(place, "is out of range: " + dump_json(value));
  return number;
}

const std::string& decode_string(const Json& value, const Place& place) {
  if (!value.is_string()) refuse_type(value, place, "a string");
  return value.get_ref<const std::string&>();
}

std::size_t list_size(const Json& value, const Place& place) {
  if (!value.is_array()) refuse_type(value, place, "an array");
  return value.size();
}

void require_size(const Json& list, const Place& place, std::size_t size) {
  if (list_size(list, place) != size)
    refuse(place, "must have " + std::to_string(size) + " items, but has " + std::to_string(list.size()));
}

const Json& list_item(const Json& value, std::size_t index) {
  return value[index];
}

std::vector<std::pair<const std::string*, const Json*>> members(const Json& value, const Place& place) {
  require_object(value, place);
  std::vector<std::pair<const std::string*, const Json*>> list;
  for (const auto& [name, member] : value.get_ref<const Json::object_t&>())
    list.emplace_back(&name, &member);
  return list;
}

void require_object(const Json& value, const Place& place) {
  if (!value.is_object()) refuse_type(value, place, "an object");
}

const Json* find_member(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto& members = object.get_ref<const Json::object_t&>();
  const auto found = members.find(name);
  return found == members.end() ? nullptr : &found->second;
}

void add_strangers(const Json& object, const Place& place, const std::vector<std::string_view>& names,
                   std::vector<std::string>& strangers) {
  for (const auto& [name, member] : members(object, place)) {
    if (std::find(names.begin(), names.end(), *name) != names.end()) continue;
    strangers.push_back('"' + path_of(Place{&place, *name}) + "\" is not one of " + joined(names));
  }
}

void require_allowed(const Json& value, const Place& place, std::string_view keyword, const Scalar& limit) {
  require_allowed(value, place, keyword, scalar_text(limit));
}

void require_choice(const Json& value, const Place& place, const Scalar* choices, std::size_t count) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    const Json choice = json_of(choices[i]);
    if (choice == value) return;
    texts.push_back(choice.is_string() ? choice.get<std::string>() : dump_json(choice));
  }
  refuse_name(value, place, {texts.begin(), texts.end()});
}

void require_null(const Json& value, const Place& place) {
  if (!value.is_null()) refuse_type(value, place, "null");
}

bool is_null(const Json& value) {
  return value.is_null();
}

std::shared_ptr<const Json> text_value(std::string_view text) {
  return std::make_shared<const Json>(text);
}

std::shared_ptr<const Json> scalar_of_text(std::string_view text) {
  // A parser would pass over white space, and end at a NUL.
  const bool may_be_one =
      text == "true" || text == "false" || text.find_first_not_of("-+.0123456789eE") == std::string_view::npos;
  if (!may_be_one) return text_value(text);
  auto value = Json::parse(text, nullptr, false);
  if (value.is_number() || value.is_boolean()) return std::make_shared<const Json>(std::move(value));
  return text_value(text);
}

void copy(const Json& from, Json& to) {
  to = from;
}

}  // namespace mcp::detail
