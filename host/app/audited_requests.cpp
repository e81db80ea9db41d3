#include "app/audited_requests.hpp"

#include <utility>

#include "audit/arguments.hpp"
#include "auth/own_issuers.hpp"
#include "base/json_text.hpp"
#include "base/sha256.hpp"

namespace mcph {
namespace {

// Of a request's id, in bytes of JSON.
constexpr std::size_t max_id = 256;

template <class Object>
Object& add_identity(Object& object, const Identity& identity) {
  return object.add("issuer", identity.issuer)
      .add("subject", identity.subject)
      .add("name", identity.name)
      .add("client", identity.client)
      .add("credential", identity.credential);
}

void add_principal(AuditEvent& event, const Principal& principal) {
  if (!principal.is_anonymous()) add_identity(event.begin("principal"), principal.identity()).end();
}

// For a sum: who comes with a new token each time is one principal all the same.
std::string principal_json(const Principal& principal) {
  if (principal.is_anonymous()) return {};
  auto identity = principal.identity();
  if (identity.issuer != this_host) identity.credential.clear();
  AuditObject object;
  return add_identity(object, identity).json();
}

// Of a session or a task. Whoever knows an id is not helped by it to what is somebody else's, and must not be by this
// log.
std::string id_digest(std::string_view id) {
  constexpr std::size_t digits = 16;
  if (id.empty()) return {};
  Sha256 digest;
  digest.add(id.data(), id.size());
  return digest.hex().substr(0, digits);
}

// To the microsecond.
std::string milliseconds_text(std::chrono::steady_clock::duration time) {
  constexpr std::size_t places = 3;
  auto text = std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  text.insert(text.size() - places, ".");
  return text;
}

bool is_refused(const RequestEnd& end) {
  return end.outcome == "denied" || end.outcome == "invalid arguments" || end.outcome.starts_with("error ");
}

}  // namespace

// Of most calls nothing is wanted, and no tree is made.
std::string AuditedRequests::arguments(std::string_view component, JsonValue arguments) const {
  const auto how = arguments_rule(log_.options().arguments, component);
  return how == AuditedArguments::off ? std::string() : audited_arguments(how, arguments.json());
}

bool AuditedRequests::record_end(const RecordedRequest& request, const std::function<Then()>& wait) {
  const auto& end = request.end;
  const bool is_stranger = request.principal.is_anonymous() && end.plugin.empty() && is_refused(end);
  if (end.outcome == "limited" || (is_stranger && asks_for_credentials_())) {
    log_.add({.source = request.origin.source, .principal = principal_json(request.principal), .outcome = end.outcome});
    return true;
  }
  AuditEvent event("request");
  event.add("method", request.method)
      .add("component", request.component)
      .add("outcome", end.outcome)
      .add("rule", end.rule);
  add_principal(event, request.principal);
  event.add("source", request.origin.source)
      .begin("client")
      .add("name", request.client)
      .add("version", request.client_version)
      .end()
      .add("protocol_version", request.protocol_version)
      .add("session", id_digest(request.session))
      .add("task", id_digest(end.task));
  if (request.id.size() <= max_id) event.add_json("request_id", request.id);
  event.add("trace", request.trace)
      .begin("plugin")
      .add("name", end.plugin)
      .add("version", end.plugin_version)
      .add("digest", end.plugin_digest)
      .end()
      .add_json("duration_ms", milliseconds_text(request.took))
      .add("request_bytes", request.origin.bytes)
      .add("response_bytes", request.response_bytes)
      .add_json("arguments", request.arguments);
  return log_.add(event, wait);
}

void AuditedRequests::session_ended(std::string_view session, const Caller& caller) {
  AuditEvent event("session_ended");
  event.add("session", id_digest(session));
  add_principal(event, caller.principal);
  log_.add(event.add("protocol_version", caller.protocol_version));
}

void AuditedRequests::refused(std::string_view source, const Principal& principal, unsigned status) {
  log_.add({.source = std::string(source),
            .principal = principal_json(principal),
            .outcome = "http " + std::to_string(status)});
}

void AuditedRequests::operator_has(const OperatorAct& act) {
  AuditEvent event("operator");
  event.add("action", act.command).add("plugin", act.plugin).add("outcome", act.outcome);
  add_principal(event, act.by);
  log_.add(event);
}

}  // namespace mcph
