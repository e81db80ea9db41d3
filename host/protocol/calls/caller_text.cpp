#include "protocol/calls/caller_text.hpp"

#include <utility>

#include "base/json_text.hpp"

namespace mcph {

Json context_json(const Caller& caller, std::optional<std::chrono::milliseconds> deadline) {
  Json context = {{"protocolVersion", caller.protocol_version}, {"clientCapabilities", caller.capabilities}};
  if (!caller.client.is_null()) context["client"] = caller.client;
  if (deadline) context["deadline"] = deadline->count();
  return context;
}

std::string caller_text(const Caller& caller) {
  const auto& principal = caller.principal;
  if (principal.is_anonymous()) return "{}";
  const auto& identity = principal.identity();
  Json json = {{"id", principal.id()}, {"issuer", identity.issuer}, {"subject", identity.subject}};
  if (!identity.name.empty()) json["name"] = identity.name;
  if (!identity.email.empty()) json["email"] = identity.email;
  if (!identity.groups.empty()) json["groups"] = identity.groups;
  if (!identity.roles.empty()) json["roles"] = identity.roles;
  if (!identity.scopes.empty()) json["scopes"] = identity.scopes;
  return dump(Json{{"principal", std::move(json)}});
}

}  // namespace mcph
