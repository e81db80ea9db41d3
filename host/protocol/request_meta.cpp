#include "protocol/request_meta.hpp"

#include <string>
#include <utility>

namespace mcph {
namespace {

RpcError refuse(const std::string& what) {
  return {error_code::invalid_params, "Invalid params: " + what};
}

}  // namespace

bool has_modern_meta(const Json& params) {
  const auto meta = params.find("_meta");
  if (meta == params.end() || !meta->is_object()) return false;
  return meta->contains(meta_key::protocol_version) || meta->contains(meta_key::client_capabilities) ||
         meta->contains(meta_key::client_info);
}

Result<std::string, RpcError> read_version(const Json& params) {
  const auto meta = params.find("_meta");
  if (meta != params.end() && meta->is_object()) {
    const auto version = meta->find(meta_key::protocol_version);
    if (version != meta->end() && version->is_string()) return version->get<std::string>();
  }
  // Whoever lacks this seldom has the rest.
  return refuse(std::string("params._meta must be an object with the string ") + meta_key::protocol_version +
                " and the object " + meta_key::client_capabilities);
}

Result<std::optional<LogLevel>, RpcError> take_log_level(Json& params) {
  const auto meta = params.find("_meta");
  if (meta == params.end() || !meta->is_object()) return std::nullopt;
  const auto name = meta->find(meta_key::log_level);
  if (name == meta->end()) return std::nullopt;
  const auto level = read_log_level(*name);
  if (!level) return unknown_log_level(*name);
  meta->erase(name);
  return level;
}

Result<Caller, RpcError> take_caller(Json& params) {
  auto version = read_version(params);
  if (version.has_error()) return version.error();
  const auto meta = params.find("_meta");
  const auto capabilities = meta->find(meta_key::client_capabilities);
  if (capabilities == meta->end() || !capabilities->is_object()) {
    return refuse(std::string("params._meta lacks the object ") + meta_key::client_capabilities);
  }
  const auto client = meta->find(meta_key::client_info);
  if (client != meta->end() && !client->is_object()) {
    return refuse(std::string("params._meta has a ") + meta_key::client_info + " that is not an object");
  }

  Caller caller{*std::move(version), nullptr, std::move(*capabilities)};
  meta->erase(capabilities);
  if (client != meta->end()) {
    caller.client = std::move(*client);
    meta->erase(client);
  }
  meta->erase(meta->find(meta_key::protocol_version));
  if (meta->empty()) params.erase("_meta");
  return caller;
}

}  // namespace mcph
