#include "protocol/log_level.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/json_text.hpp"

namespace mcph {
namespace {

constexpr std::array<std::string_view, 8> names{"debug", "info",     "notice", "warning",
                                                "error", "critical", "alert",  "emergency"};

}  // namespace

std::string_view name_of(LogLevel level) {
  return names.at(static_cast<std::size_t>(level));
}

std::optional<LogLevel> read_log_level(const Json& name) {
  if (!name.is_string()) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), name.get_ref<const std::string&>());
  if (found == names.end()) return std::nullopt;
  return static_cast<LogLevel>(found - names.begin());
}

RpcError unknown_log_level(const Json& name) {
  std::string message = "Invalid params: " + dump(name) + " is no log level; it is one of";
  for (const auto each : names)
    message.append(each == names.front() ? " " : ", ").append(each);
  return {error_code::invalid_params, std::move(message)};
}

}  // namespace mcph
