#include "config/form.hpp"

#include <algorithm>
#include <numeric>

#include "schema/schema.hpp"

namespace mcph {
namespace {

// Levenshtein's: letters to be added, dropped or exchanged.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({exchanged, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
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

std::string unknown_key_words(std::string_view key, const OrderedJson& properties) {
  constexpr std::size_t similar = 3;
  std::string all;
  std::string nearest;
  auto nearest_distance = similar;
  for (const auto& [known, schema] : properties.items()) {
    all.append(all.empty() ? "" : ", ").append(known);
    if (const auto far = distance(key, known); far < nearest_distance) {
      nearest = known;
      nearest_distance = far;
    }
  }
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
