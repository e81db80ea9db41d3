#include "http/json_template.hpp"

#include <optional>
#include <stdexcept>
#include <utility>

#include "shared/text_template.hpp"

namespace plugins::http {
namespace {

using mcp::Json;

void add_names(const Json& json, const std::string& place, std::vector<std::string>& names) {
  if (json.is_object()) {
    for (const auto& [name, member] : json.items())
      add_names(member, place + '.' + name, names);
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i)
      add_names(json[i], place + '[' + std::to_string(i) + ']', names);
  } else if (json.is_string()) {
    try {
      for (auto& name : TextTemplate(json.get_ref<const std::string&>()).names())
        names.push_back(std::move(name));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument('"' + place + "\" " + error.what());
    }
  }
}

// Nothing: it is left out.
std::optional<Json> filled_text(const std::string& text, const JsonTemplate::Values& values) {
  const TextTemplate parsed(text);
  if (parsed.is_one_value()) {
    auto value = values(parsed.parts().front().text);
    return value.is_null() ? std::nullopt : std::make_optional<Json>(std::move(value));
  }
  const auto as_text = [&values](const std::string& name) -> std::optional<std::string> {
    const auto value = values(name);
    if (value.is_null()) return "";
    return value.is_string() ? value.get<std::string>() : mcp::dump_json(value);
  };
  return std::make_optional<Json>(parsed.filled(as_text).value_or(""));
}

std::optional<Json> filled_json(const Json& json, const JsonTemplate::Values& values) {
  if (json.is_string()) return filled_text(json.get_ref<const std::string&>(), values);
  if (json.is_object()) {
    Json object = Json::object();
    for (const auto& [name, member] : json.items()) {
      if (auto value = filled_json(member, values)) object[name] = *std::move(value);
    }
    return std::make_optional<Json>(std::move(object));
  }
  if (!json.is_array()) return std::make_optional<Json>(json);
  Json array = Json::array();
  for (const auto& item : json) {
    if (auto value = filled_json(item, values)) array.push_back(*std::move(value));
  }
  return std::make_optional<Json>(std::move(array));
}

}  // namespace

JsonTemplate::JsonTemplate(Json json, const std::string& place) : json_(std::move(json)) {
  add_names(json_, place, names_);
}

Json JsonTemplate::filled(const Values& values) const {
  return filled_json(json_, values).value_or(Json());
}

}  // namespace plugins::http
