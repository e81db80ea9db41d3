#include "protocol/request_meta.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace mcph {
namespace {

RpcError refuse(const std::string& what) {
  return {error_code::invalid_params, "Invalid params: " + what};
}

}  // namespace

Result<void, RpcError> check_meta(JsonValue params) {
  const auto meta = params.find("_meta");
  const auto icons = meta.find(meta_key::client_info).find("icons");
  const auto check = [](std::size_t has, std::size_t may_have, const char* what) -> Result<void, RpcError> {
    if (has <= may_have) return {};
    return refuse("params._meta has " + std::to_string(has) + what + ", and may have " + std::to_string(may_have));
  };
  if (auto bytes = check(meta.text().size() - icons.text().size(), max_meta_bytes, " bytes"); bytes.has_error())
    return bytes;
  if (auto values = check(meta.values() - icons.values(), max_meta_values, " values"); values.has_error())
    return values;
  const auto token = meta.find("progressToken");
  // As some clients write what they leave out.
  if (!token || token.is_null() || token.is_string() || token.is_number()) return {};
  return refuse("params._meta.progressToken must be a string or an integer");
}

bool has_modern_meta(JsonValue params) {
  const auto meta = params.find("_meta");
  return meta.contains(meta_key::protocol_version) || meta.contains(meta_key::client_capabilities) ||
         meta.contains(meta_key::client_info);
}

Result<std::string, RpcError> read_version(JsonValue params) {
  const auto version = params.find("_meta").find(meta_key::protocol_version);
  if (version.is_string()) return version.string();
  // Whoever lacks this seldom has the rest.
  return refuse(std::string("params._meta must be an object with the string ") + meta_key::protocol_version +
                " and the object " + meta_key::client_capabilities);
}

Result<std::optional<LogLevel>, RpcError> read_log_level_in(JsonValue params) {
  const auto name = params.find("_meta").find(meta_key::log_level);
  if (!name) return std::nullopt;
  const auto level = read_log_level(name.json());
  if (!level) return unknown_log_level(name.json());
  return level;
}

Json without_icons(JsonValue implementation) {
  if (!implementation.contains("icons")) return implementation.json();
  auto rest = Json::object();
  for (const auto [key, value] : implementation.members()) {
    if (key != "icons") rest[std::string(key)] = value.json();
  }
  return rest;
}

Result<Caller, RpcError> read_caller(JsonValue params) {
  auto version = read_version(params);
  if (version.has_error()) return version.error();
  const auto meta = params.find("_meta");
  const auto capabilities = meta.find(meta_key::client_capabilities);
  if (!capabilities.is_object()) {
    return refuse(std::string("params._meta lacks the object ") + meta_key::client_capabilities);
  }
  const auto client = meta.find(meta_key::client_info);
  if (client && !client.is_object()) {
    return refuse(std::string("params._meta has a ") + meta_key::client_info + " that is not an object");
  }
  return Caller{*std::move(version), without_icons(client), capabilities.json()};
}

Json other_meta(JsonValue params) {
  static constexpr std::string_view known[] = {meta_key::protocol_version, meta_key::client_info,
                                               meta_key::client_capabilities, meta_key::log_level};
  Json others;
  for (const auto [key, value] : params.find("_meta").members()) {
    if (std::ranges::find(known, key) == std::end(known)) others[std::string(key)] = value.json();
  }
  return others;
}

}  // namespace mcph
