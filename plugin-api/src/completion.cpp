#include "completion.hpp"

#include <algorithm>
#include <stdexcept>

#include <mcp/plugin/completion.hpp>
#include <nlohmann/json.hpp>

#include "registry.hpp"

namespace mcp {
namespace {

bool is_same_letter(char a, char b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return lower(a) == lower(b);
}

}  // namespace

std::vector<std::string> values_that_begin_with(std::string_view typed, const std::vector<std::string>& values) {
  std::vector<std::string> matching;
  for (const auto& value : values) {
    if (value.size() < typed.size() || !std::equal(typed.begin(), typed.end(), value.begin(), is_same_letter)) continue;
    matching.push_back(value);
  }
  return matching;
}

namespace detail {

CompletionHandler complete_from(std::vector<std::string> values) {
  return [values = std::move(values)](std::string_view typed, const Arguments&, Context&) {
    Completion completion{values_that_begin_with(typed, values)};
    completion.total = completion.values.size();
    return completion;
  };
}

void set_completion(Registry& registry, Metadata& metadata, std::string_view argument, CompletionHandler handler) {
  auto& record = static_cast<CompletableRecord&>(metadata);
  const auto& names = record.completable;
  if (std::find(names.begin(), names.end(), argument) == names.end()) {
    throw std::invalid_argument('"' + record.name + "\" has no argument or variable \"" + std::string(argument) +
                                "\" to complete");
  }
  // What is replaced goes after unlocking: what it owns is the author's, and may call the plugin as it goes.
  registry.change([&] { record.completions[std::string(argument)].swap(handler); });
}

void require_variables(std::string_view uri_template, const std::vector<bool>& values_are_optional) {
  const auto variables = variables_of(uri_template);
  const auto values = values_are_optional.size();
  const std::string which = "resource template \"" + std::string(uri_template) + "\": ";
  if (variables.size() != values) {
    throw std::invalid_argument(
        which + "its handler takes " + std::to_string(values) + (values == 1 ? " value" : " values") + ", but it has " +
        std::to_string(variables.size()) + (variables.size() == 1 ? " variable" : " variables"));
  }
  // A query ends a template.
  const auto before_query = variables_of(uri_template.substr(0, uri_template.find("{?"))).size();
  for (std::size_t i = before_query; i < values; ++i) {
    if (values_are_optional[i]) continue;
    throw std::invalid_argument(which + "a URI need not have the parameter \"" + variables[i] +
                                "\" of its query, so its handler takes a std::optional there");
  }
}

std::vector<std::string> variables_of(std::string_view uri_template) {
  const std::string_view whole = uri_template;
  std::vector<std::string> names;
  while (!uri_template.empty()) {
    const auto begin = uri_template.find_first_of("{*");
    if (begin == std::string_view::npos) break;
    if (uri_template[begin] == '*') {
      names.emplace_back("*");
      uri_template.remove_prefix(begin + 1);
      continue;
    }
    const auto end = uri_template.find('}', begin);
    if (end == std::string_view::npos)
      throw std::invalid_argument("resource template \"" + std::string(whole) + "\" has a \"{\" without its \"}\"");
    auto rest = uri_template.substr(begin + 1, end - begin - 1);
    if (rest.find_first_of("+#?/") == 0) rest.remove_prefix(1);
    for (bool is_last = false; !is_last;) {
      auto name = rest.substr(0, rest.find(','));
      is_last = name.size() == rest.size();
      if (!is_last) rest.remove_prefix(name.size() + 1);
      if (name.ends_with('*')) name.remove_suffix(1);
      names.emplace_back(name);
    }
    uri_template.remove_prefix(end + 1);
  }
  return names;
}

std::vector<std::string> choices_of(const Arg& argument) {
  std::vector<std::string> choices;
  if (argument.choices_json().empty()) return choices;
  for (const Json& choice : parse_json(argument.choices_json()))
    choices.push_back(choice.is_string() ? choice.get<std::string>() : dump_json(choice));
  return choices;
}

}  // namespace detail
}  // namespace mcp
