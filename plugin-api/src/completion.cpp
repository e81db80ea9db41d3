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
  registry.change([&] { record.completions.insert_or_assign(std::string(argument), std::move(handler)); });
}

void require_variables(std::string_view uri_template, std::size_t variables, std::size_t values) {
  if (variables == values) return;
  throw std::invalid_argument("resource template \"" + std::string(uri_template) + "\": its handler takes " +
                              std::to_string(values) + (values == 1 ? " value" : " values") + ", but it has " +
                              std::to_string(variables) + (variables == 1 ? " variable" : " variables"));
}

std::vector<std::string> variables_of(std::string_view uri_template) {
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
    if (end == std::string_view::npos) break;
    auto name = uri_template.substr(begin + 1, end - begin - 1);
    if (name.starts_with('+') || name.starts_with('#')) name.remove_prefix(1);
    names.emplace_back(name);
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
