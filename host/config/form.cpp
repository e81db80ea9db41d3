#include "config/form.hpp"

#include "base/similar_name.hpp"
#include "schema/schema.hpp"

namespace mcph {

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

std::string unknown_key_words(std::string_view key, const OrderedJson& properties) {
  std::string all;
  std::vector<std::string> names;
  for (const auto& [known, schema] : properties.items()) {
    all.append(all.empty() ? "" : ", ").append(known);
    names.push_back(known);
  }
  const auto nearest = similar_name(key, names);
  return nearest.empty() ? "is no setting here; there are " + all
                         : "is no setting here; did you mean \"" + nearest + "\"?";
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

Form<OrderedJson> any_schema() {
  return leaf<OrderedJson>({{"type", {"object", "boolean"}}});
}

}  // namespace mcph
