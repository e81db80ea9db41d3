#include "transport/streamable_http/limit_fields.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace mcph {
namespace {

// A structured field's string (RFC 9651 section 3.3.3): the name of the limit, without the table of them all.
std::string quoted_name(std::string_view limit) {
  static constexpr std::string_view table = "limits.";
  limit.remove_prefix(limit.starts_with(table) ? table.size() : 0);
  std::string name(limit);
  std::ranges::replace_if(
      name, [](char c) { return c < ' ' || c > '~' || c == '"' || c == '\\'; }, '_');
  return "\"" + name + "\"";
}

std::string seconds_of(std::chrono::milliseconds time) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(time).count());
}

}  // namespace

ResponseFields limit_fields(const LimitStanding& standing) {
  const auto name = quoted_name(standing.limit);
  const auto quota = std::to_string(standing.quota);
  const auto remaining = std::to_string(standing.remaining);
  const auto reset = seconds_of(standing.reset);
  return {{"RateLimit-Policy",
           name + ";q=" + quota +
               (standing.is_concurrent ? ";qu=\"concurrent-requests\"" : ";w=" + seconds_of(standing.window))},
          {"RateLimit", name + ";r=" + remaining + ";t=" + reset},
          {"X-RateLimit-Limit", quota},
          {"X-RateLimit-Remaining", remaining},
          {"X-RateLimit-Reset", reset}};
}

ResponseFields refusal_fields(const LimitStanding& standing) {
  auto fields = limit_fields(standing);
  fields.emplace_back("Retry-After", seconds_of(standing.reset));
  return fields;
}

}  // namespace mcph
