#include "mock/condition.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace plugins::mock {
namespace {

using mcp::Json;

// "address.city" -> address, city
std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps;
  for (;;) {
    const auto dot = path.find('.');
    steps.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return steps;
    path.remove_prefix(dot + 1);
  }
}

const Json* member(const Json& value, const std::string& step) {
  if (value.is_object()) {
    const auto found = value.find(step);
    return found == value.end() ? nullptr : &*found;
  }
  std::size_t index = 0;
  const auto* const end = step.data() + step.size();
  const auto read = std::from_chars(step.data(), end, index);
  const bool is_index = value.is_array() && read.ec == std::errc() && read.ptr == end && index < value.size();
  return is_index ? &value[index] : nullptr;
}

// Null if there is no such field.
const Json* field_at(const Json& fields, const std::vector<std::string>& path) {
  const Json* at = &fields;
  for (const auto& step : path) {
    at = member(*at, step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

// Of a number, or of a text that is one: variables of URIs and arguments of prompts are texts.
std::optional<double> number_in(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = read.ec == std::errc() && read.ptr == text.data() + text.size() && std::isfinite(number);
  return is_number ? std::optional(number) : std::nullopt;
}

// Below 0, 0 or above 0. Nothing if the two cannot be put in order.
std::optional<int> order(const Json& found, const Json& value) {
  const auto sign = [](const auto& a, const auto& b) { return a < b ? -1 : (b < a ? 1 : 0); };
  if (value.is_number()) {
    if (found.is_number()) return sign(found, value);
    const auto number = number_in(found);
    return number ? std::optional(sign(*number, value.get<double>())) : std::nullopt;
  }
  if (!found.is_string() || !value.is_string()) return std::nullopt;
  return sign(found.get_ref<const std::string&>(), value.get_ref<const std::string&>());
}

bool contains(const Json& found, const Json& value) {
  if (found.is_array()) return std::find(found.begin(), found.end(), value) != found.end();
  if (!found.is_string() || !value.is_string()) return false;
  return found.get_ref<const std::string&>().find(value.get_ref<const std::string&>()) != std::string::npos;
}

void require_value(Operator comparison, const Json& value, const std::string& place) {
  switch (comparison) {
    case Operator::startsWith:
    case Operator::endsWith:
    case Operator::matches:
      if (!value.is_string()) refuse(place, "must be a text for this operator");
      return;
    case Operator::gt:
    case Operator::gte:
    case Operator::lt:
    case Operator::lte:
      if (!value.is_number() && !value.is_string()) refuse(place, "must be a number or a text for this operator");
      return;
    case Operator::in:
      if (!value.is_array()) refuse(place, "must be an array of what the field may be");
      return;
    case Operator::exists:
      if (!value.is_boolean()) refuse(place, "must be true or false, or be left out, for this operator");
      return;
    case Operator::equals:
    case Operator::notEquals:
    case Operator::contains:
      return;
  }
}

}  // namespace

Condition::Condition(const ConditionSettings& settings, const std::string& place) {
  const int kinds = (settings.field ? 1 : 0) + (settings.all ? 1 : 0) + (settings.any ? 1 : 0);
  if (kinds != 1) refuse(place, "must have one of field (with operator and value), all and any");
  if (settings.field) {
    set_comparison(settings, place);
    return;
  }
  if (settings.comparison || settings.value) refuse(place, "has an operator or a value, but no field");
  kind_ = settings.all ? Kind::all : Kind::any;
  set_parts(settings.all ? *settings.all : *settings.any, place + (settings.all ? ".all" : ".any"));
}

void Condition::set_parts(const std::vector<ConditionSettings>& parts, const std::string& place) {
  if (parts.empty()) refuse(place, "must have at least one condition");
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts_.emplace_back(parts[i], place + '[' + std::to_string(i) + ']');
}

void Condition::set_comparison(const ConditionSettings& settings, const std::string& place) {
  if (!settings.comparison) refuse(place + ".operator", "is missing");
  operator_ = *settings.comparison;
  path_ = steps_of(*settings.field);
  if (std::find(path_.begin(), path_.end(), "") != path_.end()) {
    refuse(place + ".field", "must be a name, or names with dots between them: address.city");
  }
  if (settings.value) {
    value_ = *settings.value;
  } else if (operator_ == Operator::exists) {
    value_ = true;
  }
  require_value(operator_, value_, place + ".value");
  if (operator_ != Operator::matches) return;
  try {
    pattern_ = std::make_shared<const Pattern>(value_.get<std::string>());
  } catch (const std::invalid_argument& error) {
    refuse(place + ".value", error.what());
  }
}

bool Condition::holds(const Json& fields) const {
  const auto part_holds = [&](const Condition& part) { return part.holds(fields); };
  if (kind_ == Kind::all) return std::all_of(parts_.begin(), parts_.end(), part_holds);
  if (kind_ == Kind::any) return std::any_of(parts_.begin(), parts_.end(), part_holds);
  const Json* const found = field_at(fields, path_);
  if (operator_ == Operator::exists) return (found != nullptr) == value_.get<bool>();
  if (found == nullptr) return operator_ == Operator::notEquals;
  return compares(*found);
}

bool Condition::compares(const Json& found) const {
  const auto text = [&found]() -> std::string_view {
    return found.is_string() ? std::string_view(found.get_ref<const std::string&>()) : std::string_view();
  };
  const auto wanted = [this]() -> std::string_view { return value_.get_ref<const std::string&>(); };
  switch (operator_) {
    case Operator::equals:
      return found == value_;
    case Operator::notEquals:
      return found != value_;
    case Operator::contains:
      return contains(found, value_);
    case Operator::startsWith:
      return found.is_string() && text().starts_with(wanted());
    case Operator::endsWith:
      return found.is_string() && text().ends_with(wanted());
    case Operator::matches:
      return found.is_string() && pattern_->is_found_in(text());
    case Operator::gt:
      return order(found, value_).value_or(0) > 0;
    case Operator::gte:
      return order(found, value_).value_or(-1) >= 0;
    case Operator::lt:
      return order(found, value_).value_or(0) < 0;
    case Operator::lte:
      return order(found, value_).value_or(1) <= 0;
    case Operator::in:
      return std::find(value_.begin(), value_.end(), found) != value_.end();
    case Operator::exists:
      break;  // asked for before there is a field
  }
  return false;
}

void Condition::add_names(std::vector<std::string>& names) const {
  if (kind_ == Kind::comparison) names.push_back(path_.front());
  for (const auto& part : parts_)
    part.add_names(names);
}

}  // namespace plugins::mock
