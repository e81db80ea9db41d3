#include "protocol/calls/call_log.hpp"

#include <array>
#include <charconv>

#include "base/utf8.hpp"
#include "protocol/asked_component.hpp"

namespace mcph {
namespace {

constexpr std::string_view event = "call";
constexpr std::size_t max_name_bytes = 200;
constexpr std::size_t max_error_bytes = 500;
constexpr std::size_t max_payload_bytes = 4000;

std::string name_field(std::string_view name) {
  return std::string(utf8_prefix(name, max_name_bytes));
}

std::string error_field(std::string_view error) {
  return std::string(utf8_prefix(error, max_error_bytes));
}

std::string payload_field(std::string_view json) {
  if (json.size() <= max_payload_bytes) return std::string(json);
  return std::string(utf8_prefix(json, max_payload_bytes)) + "... (" + std::to_string(json.size()) + " bytes)";
}

// To the microsecond, as a number.
Log::Field duration_field(std::chrono::steady_clock::duration time) {
  constexpr int digits = 3;
  std::array<char, 32> text{};
  const auto count = std::chrono::duration<double, std::milli>(time).count();
  const auto end = std::to_chars(text.begin(), text.end(), count, std::chars_format::fixed, digits).ptr;
  Log::Field field("ms", std::string(text.begin(), end));
  field.is_number = true;
  return field;
}

}  // namespace

void CallLog::ended(const End& end) const {
  const Log::Field method("method", end.method);
  const Log::Field component("component", name_field(end.component));
  const Log::Field plugin("plugin", end.plugin);
  const Log::Field outcome("outcome", end.outcome);
  const auto took = duration_field(end.took);
  if (log_.writes(Log::Level::trace)) {
    const Log::Field params("params", payload_field(end.params));
    const Log::Field answer("answer", payload_field(end.answer));
    if (end.error.empty()) return log_.trace(event, {method, component, plugin, outcome, took, params, answer});
    const Log::Field error("error", error_field(end.error));
    return log_.trace(event, {method, component, plugin, outcome, took, error, params, answer});
  }
  if (end.error.empty()) return log_.debug(event, {method, component, plugin, outcome, took});
  log_.debug(event, {method, component, plugin, outcome, took, {"error", error_field(end.error)}});
}

void CallLog::notified(std::string_view notification, const std::string& component, const std::string& plugin,
                       std::string_view text) const {
  if (!log_.writes(Log::Level::trace)) return;
  log_.trace(notification, {{"component", name_field(component)}, {"plugin", plugin}, {"text", payload_field(text)}});
}

void CallLog::refused(std::string_view method, std::string_view component, std::string_view why) const {
  if (!is_on()) return;
  log_.debug(event, {{"method", name_field(method)},
                     {"component", name_field(component)},
                     {"outcome", "refused"},
                     {"error", error_field(why)}});
}

std::string CallLog::component_of(const Message& request) const {
  const auto name = is_on() ? component_in(request.method, request.params) : JsonValue();
  return name.is_string() ? name.string() : std::string();
}

}  // namespace mcph
