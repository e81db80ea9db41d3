#include "auth/claims.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/ascii.hpp"
#include "base/json_pointer.hpp"
#include "base/path_pattern.hpp"
#include "base/uri.hpp"

namespace mcph {
namespace {

using Time = std::chrono::system_clock::time_point;
using Texts = std::vector<std::string>;

constexpr const char* unknown_binding = "the token is bound in a way that is not known here";

// By its name, or by a JSON Pointer to what is deeper: "/realm_access/roles".
JsonValue find_claim(JsonValue claims, std::string_view name) {
  if (name.empty()) return {};
  return name.front() == '/' ? value_at(claims, name) : claims.find(name);
}

std::string text_claim(JsonValue claims, std::string_view name) {
  const auto found = find_claim(claims, name);
  return found.is_string() ? found.string() : std::string();
}

// An array of texts, or one text.
Texts list_claim(JsonValue claims, std::string_view name) {
  const auto found = find_claim(claims, name);
  Texts texts;
  if (found.is_string()) texts.push_back(found.string());
  for (const auto each : found.elements()) {
    if (each.is_string()) texts.push_back(each.string());
  }
  return texts;
}

// Separated by spaces (RFC 6749 section 3.3), which some issuers write as an array, under another name.
Texts scopes_of(JsonValue claims) {
  Texts scopes;
  for (const auto* const name : {"scope", "scp"}) {
    for (const auto& text : list_claim(claims, name)) {
      std::string_view rest = text;
      while (!rest.empty()) {
        const auto end = std::min(rest.find(' '), rest.size());
        if (end > 0) scopes.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  }
  std::ranges::sort(scopes);
  scopes.erase(std::unique(scopes.begin(), scopes.end()), scopes.end());
  return scopes;
}

// A NumericDate (RFC 7519 section 2). An error: there is something else.
Result<std::optional<Time>> time_claim(JsonValue claims, std::string_view name) {
  const auto found = claims.find(name);
  if (!found) return std::optional<Time>();
  constexpr double end_of_9999 = 253402300799.0;
  constexpr double most = 9e9;  // the year 2255, which leaves room for a leeway
  const auto to_seconds = [](auto number) { return static_cast<double>(number); };
  const auto seconds = found.is_number() ? std::visit(to_seconds, found.number()) : -1.0;
  if (!(seconds >= 0 && seconds <= end_of_9999)) return fail("its " + std::string(name) + " is no time");
  return std::optional(Time(std::chrono::seconds(static_cast<std::int64_t>(std::min(seconds, most)))));
}

// Whether it counts now. Returns until when.
Result<std::optional<Time>> check_times(JsonValue claims, std::chrono::seconds leeway, Time now) {
  const auto expiry = time_claim(claims, "exp");
  if (expiry.has_error()) return expiry.error();
  if (*expiry && now >= **expiry + leeway) return fail("the token has expired");
  for (const auto* const name : {"nbf", "iat"}) {
    const auto begin = time_claim(claims, name);
    if (begin.has_error()) return begin.error();
    if (*begin && now + leeway < **begin) return fail("the token is not valid yet");
  }
  return *expiry ? std::optional(**expiry + leeway) : std::nullopt;
}

// Each is compared byte by byte, but for the origin of a URL (basic/authorization, "Canonical Server URI") and for the
// name of an upstream: what is almost this server is another one.
bool is_meant_for(JsonValue claims, const Texts& audiences) {
  return std::ranges::any_of(list_claim(claims, "aud"), [&](const std::string& claimed) {
    const auto is_of_us = [&](const std::string& name) {
      return std::ranges::any_of(audiences, [&](const std::string& each) { return fits_path(each, name); });
    };
    return is_of_us(claimed) || is_of_us(with_canonical_origin(claimed));
  });
}

std::string first_of(JsonValue claims, std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    if (auto text = text_claim(claims, name); !text.empty()) return text;
  }
  return {};
}

Result<Identity> make_identity(JsonValue claims, const IssuerSettings& issuer, Time expiry) {
  Identity identity{.issuer = issuer.issuer,
                    .subject = text_claim(claims, issuer.subject_claim),
                    .client = first_of(claims, {"client_id", "azp"}),
                    .name = first_of(claims, {issuer.name_claim, "preferred_username", "username"}),
                    .email = text_claim(claims, issuer.email_claim),
                    .groups = list_claim(claims, issuer.groups_claim),
                    .claimed_roles = list_claim(claims, issuer.roles_claim),
                    .scopes = scopes_of(claims),
                    .credential = text_claim(claims, "jti"),
                    .expiry = expiry};
  if (identity.subject.empty()) return fail("the token does not say whose it is");
  if (identity.name.empty()) identity.name = identity.subject;
  // Who has the key must prove it (RFC 7800 section 3.1), for which there are two ways here (RFC 9449 section 6, RFC
  // 8705 section 3.1).
  if (const auto bound = claims.find("cnf")) {
    if (bound.is_object() && bound.size() == 1) {
      identity.bound_to = text_claim(bound, "jkt");
      identity.bound_to_certificate = text_claim(bound, "x5t#S256");
    }
    if (identity.bound_to.empty() && identity.bound_to_certificate.empty()) return fail(unknown_binding);
  }
  return identity;
}

// An issuer need not say what a token is for (RFC 9068 section 2.1 is for those that do). One about a login, a logout
// or an event may have claims that no access token has (OpenID Connect Core section 2, Back-Channel Logout section
// 2.4), and some issuers say the kind. Of what is left the audience alone tells a login from an access token.
bool is_access_token(const std::optional<std::string>& type, JsonValue claims) {
  constexpr std::array<std::string_view, 5> of_others{"nonce", "at_hash", "c_hash", "s_hash", "events"};
  for (const auto [name, value] : claims.members()) {
    if (std::ranges::find(of_others, name) != of_others.end()) return false;
  }
  const auto kind = lower_case(text_claim(claims, "typ"));  // as Keycloak says it
  if (kind == "id" || kind == "refresh" || kind == "offline" || kind == "logout") return false;
  // As Cognito says it, and Hydra.
  if (const auto use = claims.find("token_use"); use && !use.is("access") && !use.is("access_token")) return false;
  if (!type) return true;
  const auto name = lower_case(*type);
  return name == "at+jwt" || name == "application/at+jwt" || name == "jwt";
}

}  // namespace

Result<Identity> identity_of_token(JsonValue claims, const std::optional<std::string>& type,
                                   const IssuerSettings& issuer, const Texts& audiences, Time now) {
  if (!is_access_token(type, claims)) return fail("the token is no access token");
  if (!claims.find("iss").is(issuer.issuer)) return fail("the token is of another issuer");
  if (!is_meant_for(claims, audiences)) return fail("the token is not for this server");
  const auto expiry = check_times(claims, issuer.leeway, now);
  if (expiry.has_error()) return expiry.error();
  if (!*expiry) return fail("the token does not say when it expires");
  return make_identity(claims, issuer, **expiry);
}

Result<Identity> identity_of_answer(JsonValue claims, const IssuerSettings& issuer, const Texts& audiences, Time now) {
  if (const auto by = claims.find("iss"); by && !by.is(issuer.issuer)) return fail("the token is of another issuer");
  const bool says = claims.contains("aud");
  if ((says || !issuer.trust_without_audience) && !is_meant_for(claims, audiences))
    return fail("the token is not for this server");
  // An issuer may know a refresh token, too, and need not say of either what it is (RFC 7662 sections 2.1 and 2.2).
  const auto type = lower_case(text_claim(claims, "token_type"));
  const bool says_type = claims.contains("token_type");
  const bool is_of_use = says_type ? type == "bearer" || type == "dpop" : says;
  if (!is_of_use || !is_access_token(std::nullopt, claims)) return fail("the token is no access token");
  const auto expiry = check_times(claims, issuer.leeway, now);
  if (expiry.has_error()) return expiry.error();
  // It may be revoked at any time, which is not told: whatever it has begun ends, and is begun anew.
  auto identity = make_identity(claims, issuer, std::min(expiry->value_or(Time::max()), now + introspection_lifetime));
  // Of a token that is bound to a key the answer must say to which (RFC 9449 sections 6.2 and 7.2). It would be taken
  // from whoever has it otherwise.
  if (identity.has_value() && type == "dpop" && identity->bound_to.empty()) return fail(unknown_binding);
  return identity;
}

}  // namespace mcph
