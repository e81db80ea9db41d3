#include "transport/streamable_http/authorization.hpp"

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "auth/proof.hpp"
#include "http/fields.hpp"
#include "protocol/message.hpp"
#include "transport/streamable_http/request_id.hpp"
#include "transport/streamable_http/resource_metadata.hpp"

namespace mcph {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string list;
  for (const auto& word : words)
    list.append(list.empty() ? "" : " ").append(word);
  return list;
}

// What a client is asked for (RFC 6750 section 3, RFC 9449 section 7.1, RFC 9728 section 5.1).
class Challenge {
 public:
  explicit Challenge(std::string scheme) : text_(std::move(scheme)) {}

  void add(const char* name, const std::string& value) {
    text_.append(text_.ends_with('"') ? ", " : " ").append(name).append("=\"");
    for (const char c : value) {
      if (c == '"' || c == '\\') text_ += '\\';  // RFC 9110 section 5.6.4
      text_ += c;
    }
    text_ += '"';
  }
  void add_error(std::string_view error, const std::string& description) {
    add("error", std::string(error));
    add("error_description", description);
  }
  // Where a client finds out how to get a token, and what to ask for.
  void add_resource(const ProtectedResource& resource, std::string_view endpoint,
                    const std::vector<std::string>& scopes) {
    if (!resource.has_metadata()) return;
    add("resource_metadata", metadata_url(resource, endpoint));
    if (!scopes.empty()) add("scope", joined(scopes));
  }
  std::string text() && {
    // A scheme is followed by a parameter at least (RFC 6750 section 3).
    if (!text_.ends_with('"')) add("realm", "mcp");
    return std::move(text_);
  }

 private:
  std::string text_;
};

// Of the server that a request of this path goes to.
std::string endpoint_of(std::string_view path) {
  return std::string(path.substr(0, path.rfind('/'))).append(mcp_path);
}

std::string what_to_send(const ProtectedResource& resource) {
  return resource.takes_tokens ? "send a token in the header \"Authorization: Bearer TOKEN\""
                               : "connect with a client certificate, or through the proxy that says who you are";
}

// Where no token is taken, none is asked for. As each 401 has a challenge (RFC 9110 section 15.5.2), it is one of a
// scheme for which no client has anything.
std::string scheme_to_send(const CredentialError& error, const ProtectedResource& resource) {
  if (error.by_proof) return "DPoP";
  return resource.takes_tokens ? "Bearer" : "ConnectionCredential";
}

HttpRefusal refuse(const HttpRequest& request, const CredentialError& error, const ProtectedResource& resource) {
  if (error.kind == CredentialError::Kind::unavailable) {
    auto later = unavailable("Try again later: " + error.description);
    later.body = error_response(id_of(request), {error_code::internal_error, later.message});
    return later;
  }
  const bool missing = error.kind == CredentialError::Kind::missing;
  Challenge challenge(scheme_to_send(error, resource));
  // Nothing is said of an error where there was no credential (RFC 6750 section 3.1).
  if (!missing) challenge.add_error(error.code, error.description);
  if (error.by_proof) challenge.add("algs", joined(proof_algorithms()));
  challenge.add_resource(resource, endpoint_of(request.path), resource.scopes);
  const auto message = "Unauthorized: " + (missing ? what_to_send(resource) : error.description);
  HttpRefusal refusal{.status = 401,
                      .message = message,
                      .fields = {{"WWW-Authenticate", std::move(challenge).text()}},
                      .body = error_response(id_of(request), {error_code::unauthorized, message})};
  if (!error.nonce.empty()) refusal.fields.emplace_back("DPoP-Nonce", error.nonce);
  return refusal;
}

// What a proxy says of whom it asks for, and anybody else, too: who is to be believed is decided later.
ForwardedUser read_forwarded_user(const RequestFields& fields, const ProxySettings& proxy) {
  if (proxy.user_header.empty()) return {};
  const auto lines = [&](const std::string& name) {
    return name.empty() ? std::vector<std::string_view>() : lines_of(fields, name);
  };
  return {.users = lines(proxy.user_header), .names = lines(proxy.name_header), .groups = lines(proxy.groups_header)};
}

using AuthenticationOutcome = AuthenticationCounts::Outcome;

AuthenticationOutcome outcome_of(CredentialError::Kind kind) {
  switch (kind) {
    case CredentialError::Kind::missing:
    case CredentialError::Kind::needs_nonce:
      return AuthenticationOutcome::missing;
    case CredentialError::Kind::invalid:
      return AuthenticationOutcome::invalid;
    case CredentialError::Kind::unavailable:
    case CredentialError::Kind::unsettled:
      return AuthenticationOutcome::unavailable;
  }
  return AuthenticationOutcome::unavailable;
}

// Whether somebody has tried a credential that is none.
bool is_failure(const CredentialError& error, const HttpRequest& request) {
  const bool is_good_none =
      error.kind == CredentialError::Kind::missing || error.kind == CredentialError::Kind::invalid;
  return is_good_none && request.fields.authorization.has_value();
}

}  // namespace

HttpMiddleware locate_by(const Current<AccessState>& access) {
  return [&access](HttpRequest& request) -> HttpVerdict {
    const auto state = access.get();
    const auto& connections = state->connections();
    // It was good when the connection was made, or the one that this one goes on from. Where it says who a client is,
    // that is looked at later.
    const auto* const certificate = request.peer.certificate.get();
    const bool is_gate = certificate != nullptr && !connections.takes_certificates();
    if (is_gate && std::chrono::system_clock::now() >= certificate->expiry)
      return {.refusal = HttpRefusal{403, "The client's certificate has expired"}};
    if (!connections.knows_proxies()) return {};
    const auto list = list_field(request.all_fields, "X-Forwarded-For");
    const auto source = list ? connections.source_of(request.peer, *list) : std::nullopt;
    if (source) request.source = *source;
    return {};
  };
}

HttpMiddleware authenticate_by(const Current<AccessState>& access, AuthenticationCounts& counts,
                               FailureListener failed) {
  return [&access, &counts, failed = std::move(failed)](HttpRequest& request) -> HttpVerdict {
    // What a browser asks before it sends a credential (Fetch, "CORS-preflight fetch").
    if (request.method == boost::beast::http::verb::options) return {};
    const auto state = access.get();
    if (!state->asks_for_credentials()) {
      counts.count(AuthenticationOutcome::nobody);
      return {};
    }
    PresentedCredential presented{.authorization = request.fields.authorization};
    presented.method = std::string_view(boost::beast::http::to_string(request.method));
    presented.path = request.path;
    presented.proofs = lines_of(request.all_fields, "DPoP");
    presented.peer = &request.peer;
    presented.source = request.source;
    presented.forwarded = read_forwarded_user(request.all_fields, state->connections().proxy());
    auto found = state->authenticate(presented, std::chrono::system_clock::now());
    if (found.has_value()) {
      request.principal = *std::move(found);
      counts.count(request.principal.is_anonymous() ? AuthenticationOutcome::nobody : AuthenticationOutcome::accepted);
      return {};
    }
    if (found.error().kind == CredentialError::Kind::unsettled)
      return {.wait = std::move(found.error().settle),
              .given_up = [&counts] { counts.count(AuthenticationOutcome::unavailable); }};
    counts.count(outcome_of(found.error().kind));
    if (is_failure(found.error(), request)) failed(request);
    return {.refusal = refuse(request, found.error(), state->resource())};
  };
}

PrincipalRenewal renew_by(const Current<AccessState>& access) {
  return [&access](const Principal& principal) { return access.get()->with_roles_of_now(principal); };
}

ScopeChallenge scope_challenge(const Current<AccessState>& access) {
  return [&access](const std::vector<std::string>& scopes, const Principal& principal, std::string_view path) {
    const auto state = access.get();
    // A client of an older revision asks for no more than it is told: what it has had is told, too (2025-11-25,
    // basic/authorization, "Runtime Insufficient Scope Errors").
    std::set<std::string> all(scopes.begin(), scopes.end());
    if (!principal.is_anonymous()) {
      for (const auto& scope : principal.identity().scopes) {
        if (state->resource().known_scopes.contains(scope)) all.insert(scope);
      }
    }
    const bool by_proof = !principal.is_anonymous() && !principal.identity().bound_to.empty();
    Challenge challenge(by_proof ? "DPoP" : "Bearer");
    challenge.add_error("insufficient_scope", "the token lacks a scope");
    challenge.add_resource(state->resource(), endpoint_of(path), {all.begin(), all.end()});
    return std::move(challenge).text();
  };
}

}  // namespace mcph
