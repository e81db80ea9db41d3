#include "config/form.hpp"

#include "base/similar_name.hpp"
#include "schema/schema.hpp"

namespace mcph {
namespace {

// For a key that a table does not have: the one that was probably meant, or all that there are.
std::string unknown_key_words(std::string_view key, const std::vector<std::string>& known) {
  std::string all;
  for (const auto& each : known)
    all.append(all.empty() ? "" : ", ").append(each);
  const auto nearest = similar_name(key, known);
  return nearest.empty() ? "is no setting here; there are " + all
                         : "is no setting here; did you mean \"" + nearest + "\"?";
}

}  // namespace

bool fits(const OrderedJson& schema, const OrderedJson& value, const std::string& pointer, Mistakes& mistakes) {
  // As a member, because the words about one begin with its name in quotes.
  const auto compiled = Schema::compile({{"properties", {{"value", schema}}}});
  const auto violation = compiled->validate({{"value", Json(value)}});
  if (!violation) return true;
  static constexpr std::string_view member = "/value";
  static constexpr std::string_view end_of_name = "\" ";
  const auto& message = violation->message;
  mistakes.push_back({pointer + violation->path.substr(member.size()),
                      message.substr(message.find(end_of_name) + end_of_name.size())});
  return false;
}

bool is_object(const OrderedJson& value, const std::string& pointer, Mistakes& mistakes) {
  return fits({{"type", "object"}}, value, pointer, mistakes);
}

void TableShape::add(std::string_view name, OrderedJson schema, Part part, std::string_view description,
                     const void* defaults) {
  std::string key(name);
  schema["description"] = description;
  // What a table has besides has its defaults itself.
  if (!schema.contains("properties")) {
    if (auto shown = part.show(static_cast<const std::byte*>(defaults) + part.offset); !shown.is_null())
      schema["default"] = std::move(shown);
  }
  schema_["properties"][key] = std::move(schema);
  parts_.emplace(key, std::move(part));
  order_.push_back(std::move(key));
}

void TableShape::require(std::vector<std::string> keys) {
  schema_["required"] = keys;
  required_ = std::move(keys);
}

void TableShape::read(const OrderedJson& value, const std::string& pointer, void* target, Mistakes& mistakes) const {
  if (!is_object(value, pointer, mistakes)) return;
  for (const auto& [key, member] : value.items()) {
    const auto at = append_to_pointer(pointer, key);
    if (const auto found = parts_.find(key); found != parts_.end()) {
      const auto& part = found->second;
      part.read(member, at, static_cast<std::byte*>(target) + part.offset, mistakes);
    } else {
      mistakes.push_back({at, unknown_key_words(key, order_), true});
    }
  }
  for (const auto& key : required_) {
    if (!value.contains(key)) mistakes.push_back({pointer, "lacks \"" + key + "\"", true});
  }
}

OrderedJson TableShape::show(const void* value) const {
  auto json = OrderedJson::object();
  for (const auto& key : order_) {
    const auto& part = parts_.at(key);
    if (auto shown = part.show(static_cast<const std::byte*>(value) + part.offset); !shown.is_null())
      json[key] = std::move(shown);
  }
  return json.empty() ? OrderedJson() : json;
}

Form<bool> truth() {
  return leaf<bool>({{"type", "boolean"}});
}

Form<std::string> text() {
  auto form = leaf<std::string>({{"type", "string"}});
  form.show = [](const std::string& value) { return value.empty() ? OrderedJson() : OrderedJson(value); };
  return form;
}

Form<std::string> text(std::function<Result<>(const std::string&)> check) {
  return converted<std::string, std::string>(
      text(),
      [check = std::move(check)](const std::string& value) -> Result<std::string> {
        if (const auto checked = check(value); checked.has_error()) return checked.error();
        return value;
      },
      [](const std::string& value) { return value; });
}

Form<std::filesystem::path> path() {
  auto form = leaf<std::string>({{"type", "string"}, {"minLength", 1}, {"format", "path"}});
  form.show = text().show;
  return converted<std::filesystem::path, std::string>(
      std::move(form), [](const std::string& value) -> Result<std::filesystem::path> { return value; },
      [](const std::filesystem::path& value) { return value.string(); });
}

Form<std::string> path_or_none() {
  auto form = leaf<std::string>({{"type", "string"}, {"format", "path-or-none"}});
  form.show = text().show;
  return form;
}

Form<OrderedJson> any_schema() {
  return leaf<OrderedJson>({{"type", {"object", "boolean"}}});
}

}  // namespace mcph
