#include "config/settle.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "audit/arguments.hpp"
#include "auth/own_issuers.hpp"
#include "base/ascii.hpp"
#include "base/json_pointer.hpp"
#include "base/local_socket.hpp"
#include "http/rules.hpp"
#include "plugin/names.hpp"
#include "sources/upstream/upstream_settings.hpp"

namespace mcph {
namespace {

// "host" of "host#ada"; empty: it has none.
std::string issuer_of_principal(const std::string& principal) {
  const auto hash = principal.find('#');
  return hash == std::string::npos ? std::string() : principal.substr(0, hash);
}

// Of roles that are named outside of [roles].
void check_role_names(const Config& config, const std::string& pointer, const std::vector<std::string>& roles,
                      Mistakes& mistakes) {
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (!config.roles.contains(roles[i]))
      mistakes.push_back({pointer + "/" + std::to_string(i),
                          "must be a role that there is, as [roles.NAME], but is \"" + roles[i] + "\""});
  }
}

// What an issuer is besides what its table says.
void settle_issuers(Config& config, Mistakes& mistakes) {
  std::map<std::string, std::string> names;
  std::error_code ignored;
  bool one_asks = false;
  for (auto& [name, issuer] : config.issuers) {
    const auto mistake = [&, pointer = append_to_pointer("/issuers", name)](const std::string& words) {
      mistakes.push_back({pointer, words, true});
    };
    issuer.name = name;
    static constexpr std::string_view others[] = {certificate_issuer, proxy_issuer, operator_issuer, this_host,
                                                  process_starter};
    if (std::ranges::find(others, name) != std::end(others)) mistake("is a name that roles have for others");
    if (config.origin.empty()) mistake("needs [server] url, where clients reach this server");
    const bool asks = !issuer.introspection_url.empty();
    const bool has_keys = !issuer.jwks_url.empty() || !issuer.jwks_file.empty();
    const bool has_secret = !issuer.client_id.empty() && !issuer.client_secret.empty();
    if (!issuer.jwks_url.empty() && !issuer.jwks_file.empty()) mistake("has a jwks_url and a jwks_file; say one");
    if (asks && has_keys) mistake("has keys and an introspection_url; say one");
    if (asks && !has_secret) mistake("needs client_id and client_secret_file with introspection_url");
    if (!asks && (!issuer.client_id.empty() || !issuer.client_secret.empty() || issuer.trust_without_audience))
      mistake("needs introspection_url with client_id, client_secret_file or trust_without_audience");
    if (asks && std::exchange(one_asks, true))
      mistake("is the second issuer that is asked about tokens, and nobody knows whose a token is");
    if (!issuer.jwks_file.empty() && !std::filesystem::exists(issuer.jwks_file, ignored))
      mistake("has a jwks_file that is not there: " + issuer.jwks_file.string());
    if (issuer.roles) check_role_names(config, append_to_pointer("/issuers", name) + "/roles", *issuer.roles, mistakes);
    if (const auto [other, is_new] = names.emplace(issuer.issuer, name); !is_new)
      mistake("is the same issuer as \"" + other->second + "\"");
  }
  const ConnectionCredentials connections(config.client_subject, config.proxy);
  const bool knows_groups = !config.issuers.empty() || !config.proxy.groups_header.empty();
  for (const auto& [name, role] : config.roles) {
    if ((config.issuers.empty() && !role.scopes.empty()) || (!knows_groups && !role.groups.empty()))
      mistakes.push_back({append_to_pointer("/roles", name),
                          "has scopes or groups, which need [issuers.NAME], or for groups [proxy] groups_header",
                          true});
    for (std::size_t i = 0; i < role.issuers.size(); ++i) {
      if (!config.issuers.contains(role.issuers[i]) && !connections.takes_issuer(role.issuers[i]))
        mistakes.push_back({append_to_pointer("/roles", name) + "/issuers/" + std::to_string(i),
                            "must be an issuer that there is, as [issuers.NAME], but is \"" + role.issuers[i] + "\""});
    }
    for (std::size_t i = 0; i < role.principals.size(); ++i) {
      if (!names_principal(config, role.principals[i]))
        mistakes.push_back({append_to_pointer("/roles", name) + "/principals/" + std::to_string(i),
                            "must be ISSUER#SUBJECT, such as host#ada, of an issuer that there is, but is \"" +
                                role.principals[i] + "\""});
    }
  }
  if (!config.scopes.empty()) return;
  std::set<std::string> scopes;
  for (const auto& [name, role] : config.roles)
    scopes.insert(role.scopes.begin(), role.scopes.end());
  config.scopes.assign(scopes.begin(), scopes.end());
}

void settle_dashboard(Config& config, Mistakes& mistakes) {
  auto& dashboard = config.dashboard;
  if (dashboard.allow_remote && !dashboard.listen)
    mistakes.push_back({"/dashboard/allow_remote", "needs listen", true});
  if (dashboard.listen && dashboard.listen->is_none()) dashboard.listen.reset();
  dashboard.loopback_only = dashboard.listen && dashboard.listen->is_loopback();
  for (const auto& [where, address] :
       {std::pair{"[http]", std::optional(config.http.listen)}, std::pair{"[admin]", config.admin.listen}}) {
    if (dashboard.listen && address && dashboard.listen->port != 0 && dashboard.listen->port == address->port &&
        dashboard.listen->address == address->address)
      mistakes.push_back(
          {"/dashboard/listen", std::string("must not be where ") + where + " listens, " + address->authority()});
  }
  check_role_names(config, "/dashboard/viewers", dashboard.viewers, mistakes);
  check_role_names(config, "/dashboard/operators", dashboard.operators, mistakes);
}

// What virtual servers are besides what their tables say.
void settle_servers(Config& config, Mistakes& mistakes) {
  static constexpr std::string_view taken[] = {"s", "mcp", "sse", "messages"};
  for (auto& [name, server] : config.servers) {
    const bool fits =
        !name.empty() && name.size() <= 64 && name.find_first_not_of("-_.") == 0 &&
        std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
    if (!fits || std::ranges::find(taken, name) != std::end(taken)) {
      mistakes.push_back(
          {append_to_pointer("/servers", name),
           "is part of a path, and must be letters, digits, \"-\", \"_\" and \".\", and none of s, mcp, sse "
           "and messages",
           true});
    }
    auto& identity = server.identity;
    if (identity.name.empty()) identity.name = name;
    if (identity.title.empty()) identity.title = identity.name;
    if (identity.version.empty()) identity.version = config.host.identity.version;
    if (server.scopes.empty()) server.scopes = config.scopes;
  }
}

// The words begin with the name of the member that is wrong, if it is one.
Mistake mistake_in_upstream(const std::string& pointer, const OrderedJson& upstream, const std::string& words) {
  const auto end = words.find('"', 1);
  if (!words.starts_with('"') || end == std::string::npos) return {pointer, words, true};
  const auto member = words.substr(1, end - 1);
  const auto rest = words.find_first_not_of(": ", end + 1);
  if (!upstream.contains(member) || rest == std::string::npos) return {pointer, words, true};
  return {append_to_pointer(pointer, member), words.substr(rest), true};
}

void check_upstreams(const Config& config, Mistakes& mistakes) {
  for (const auto& [name, text] : config.host.upstreams) {
    const auto pointer = append_to_pointer("/upstreams", name);
    if (!is_component_name(name)) mistakes.push_back({pointer, "must be 1 to 128 characters of A-Za-z0-9_.-", true});
    const auto read = read_upstream_settings(text, config.host.upstreams_folder, {});
    if (read.has_error())
      mistakes.push_back(mistake_in_upstream(pointer, read_ordered_json(text), read.error().message));
  }
}

// What connections show of clients.
void check_connections(const Config& config, Mistakes& mistakes) {
  const auto mistake = [&](const char* pointer, const char* words) { mistakes.push_back({pointer, words, true}); };
  const auto& tls = config.tls;
  const auto& proxy = config.proxy;
  const bool asks = tls.client_certificates != TlsOptions::ClientCertificates::none;
  if (tls.certificate.empty() != tls.key.empty()) mistake("/tls", "needs both a certificate and its key");
  if (!tls.is_on() && (asks || tls.minimum_version != TlsOptions::Version::tls_1_2))
    mistake("/tls", "needs a certificate and its key");
  if (asks && tls.client_ca.empty()) mistake("/tls/client_certificates", "needs client_ca, whose they must be");
  if (!asks && !tls.client_ca.empty()) mistake("/tls/client_ca", "needs client_certificates, optional or required");
  if (!asks && config.client_subject != CertificateSubject::none)
    mistake("/tls/client_subject", "needs client_certificates, optional or required");
  const bool says_who = !proxy.user_header.empty();
  if (says_who && proxy.from.empty()) mistake("/proxy/user_header", "needs from, whom to trust with it");
  if (!says_who && (!proxy.groups_header.empty() || !proxy.name_header.empty()))
    mistake("/proxy", "needs user_header with groups_header or name_header");
  const auto by_certificate = [](const std::string& who) { return who.starts_with(certificate_issuer); };
  if (std::ranges::any_of(proxy.from, by_certificate) && config.client_subject == CertificateSubject::none)
    mistake("/proxy/from", "needs [tls] client_subject, what of a certificate is the SUBJECT");
  if (config.http.listen.is_none() && config.http.unix_socket.empty())
    mistake("/http/listen", "must not be none without unix_socket");
  constexpr auto too_long = "is too long a path for a socket; name a shorter one";
  if (!can_listen_at(config.http.unix_socket)) mistake("/http/unix_socket", too_long);
  if (!can_listen_at(config.host.control)) mistake("/serving/control", too_long);
}

// Whether a scope implies itself, by others.
bool is_circular(const ImpliedScopes& implied, const std::string& scope) {
  std::set<std::string> seen;
  std::vector<std::string> next{scope};
  while (!next.empty()) {
    const auto found = implied.find(next.back());
    next.pop_back();
    if (found == implied.end()) continue;
    for (const auto& each : found->second) {
      if (each == scope) return true;
      if (seen.insert(each).second) next.push_back(each);
    }
  }
  return false;
}

void check_limits(const Config& config, Mistakes& mistakes) {
  const auto& components = config.limits.components;
  if (components.size() > LimitSettings::max_components)
    mistakes.push_back(
        {"/limits/component", "has more than " + std::to_string(LimitSettings::max_components) + " limits", true});
  for (const auto& [name, component] : components)
    check_role_names(config, append_to_pointer("/limits/component", name) + "/roles", component.roles, mistakes);
}

// Into what the configuration is used as.
void read_files(Config& config, Mistakes& mistakes) {
  const auto read_into = [&](auto& target, const char* pointer, auto result) {
    if (result.has_error()) {
      mistakes.push_back({pointer, "cannot be used: " + result.error().message});
    } else {
      target = *std::move(result);
    }
  };
  if (!config.allowed_digests.empty())
    read_into(config.host.trust.digests, "/plugins/allowed_digests", read_digests(config.allowed_digests));
  if (!config.state_key.empty())
    read_into(config.host.serving.state_key, "/serving/state_key", read_state_key(config.state_key));
}

// That roles and what proves who a client is are there together.
void check_roles(const Config& config, Mistakes& mistakes) {
  if (!config.roles.empty() && !config.knows_credentials() && !config.roles.contains(std::string(anonymous_role)) &&
      config.stdio_roles.empty()) {
    mistakes.push_back({"/roles",
                        "can be nobody's, because nothing proves who a client is: say [tokens] file, [issuers.NAME], "
                        "[tls] client_subject or [proxy] user_header, or add the role anonymous",
                        true});
  }
  if (config.knows_credentials() && config.roles.empty()) {
    const char* const credentials = !config.tokens.empty()                              ? "/tokens"
                                    : !config.issuers.empty()                           ? "/issuers"
                                    : config.client_subject != CertificateSubject::none ? "/tls/client_subject"
                                                                                        : "/proxy";
    mistakes.push_back(
        {credentials, "need roles, which say what their owners may use: add one, such as [roles.user]", true});
  }
  check_role_names(config, "/stdio/roles", config.stdio_roles, mistakes);
}

void check_catalog(const CatalogOptions& catalog, Mistakes& mistakes) {
  if (catalog.list_at_most > 0 && !catalog.find_tools)
    mistakes.push_back(
        {"/catalog/list_at_most", "needs find_tools, by which clients find the tools that are not listed"});
  if (!catalog.pinned.empty() && catalog.list_at_most == 0)
    mistakes.push_back({"/catalog/pinned", "needs list_at_most, without which all tools are listed"});
}

void check_oauth(const Config& config, Mistakes& mistakes) {
  if (config.issuers.empty() && (!config.scopes.empty() || !config.implied_scopes.empty() || config.proof_nonces ||
                                 !config.host.serving.extensions.empty()))
    mistakes.push_back({"/oauth", "needs [issuers.NAME], whom clients ask", true});
  for (const auto& [scope, implied] : config.implied_scopes) {
    if (is_circular(config.implied_scopes, scope))
      mistakes.push_back({append_to_pointer("/oauth/implied", scope), "implies itself", true});
  }
}

// What is written down of requests.
void check_records(const Config& config, Mistakes& mistakes) {
  for (const auto& [pattern, how] : config.audit.arguments) {
    if (const auto checked = check_arguments_pattern(pattern); checked.has_error())
      mistakes.push_back({append_to_pointer("/audit/arguments", pattern), checked.error().message, true});
  }
  const auto& traces = config.traces;
  if (traces.endpoint.empty() && (traces.sample_ratio != TraceSettings().sample_ratio || !traces.headers.empty()))
    mistakes.push_back({"/traces", "needs endpoint, where they go", true});
}

void settle_admin(Config& config, Mistakes& mistakes) {
  auto& admin = config.admin;
  if (admin.allow_remote && !admin.listen) mistakes.push_back({"/admin/allow_remote", "needs listen", true});
  if (admin.listen && admin.listen->is_none()) admin.listen.reset();
  admin.loopback_only = admin.listen && admin.listen->is_loopback();
  const auto& listen = config.http.listen;
  if (admin.listen && admin.listen->port != 0 && admin.listen->port == listen.port &&
      admin.listen->address == listen.address)
    mistakes.push_back({"/admin/listen", "must not be where [http] listens, " + listen.authority()});
}

}  // namespace

void settle(Config& config, Mistakes& mistakes) {
  read_files(config, mistakes);
  const auto& limits = config.http.limits;
  if (limits.buffered_bytes < limits.body_bytes) {
    mistakes.push_back({"/http/max_buffered_bytes", "must have room for one request of max_body_bytes, " +
                                                        std::to_string(limits.body_bytes) + ", but is " +
                                                        std::to_string(limits.buffered_bytes)});
  }
  check_roles(config, mistakes);
  check_catalog(config.host.catalog, mistakes);
  check_oauth(config, mistakes);  // before there are scopes that nobody has written there
  settle_issuers(config, mistakes);
  settle_servers(config, mistakes);
  check_upstreams(config, mistakes);
  check_limits(config, mistakes);
  check_connections(config, mistakes);
  check_records(config, mistakes);
  settle_admin(config, mistakes);
  settle_dashboard(config, mistakes);
  config.http.certificates_admit = config.client_subject == CertificateSubject::none;
  config.access.loopback_only = config.http.listen.is_loopback();
  config.access.own_host = host_of_origin(config.origin);
  config.dashboard.own_host = host_of_origin(config.dashboard.url);
}

bool names_principal(const Config& config, const std::string& principal) {
  const auto issuer = issuer_of_principal(principal);
  if (issuer.empty() || issuer.size() + 1 == principal.size()) return false;
  const auto is_it = [&](const auto& each) { return each.first == issuer || each.second.issuer == issuer; };
  return issuer == this_host || issuer == process_starter ||
         ConnectionCredentials(config.client_subject, config.proxy).takes_issuer(issuer) ||
         std::ranges::any_of(config.issuers, is_it);
}

RoleTexts settled_roles(const Config& config) {
  auto texts = config.roles;
  for (auto& [name, role] : texts) {
    for (auto& issuer : role.issuers) {
      if (const auto named = config.issuers.find(issuer); named != config.issuers.end()) issuer = named->second.issuer;
    }
    for (auto& principal : role.principals) {
      const auto issuer = issuer_of_principal(principal);
      if (const auto named = config.issuers.find(issuer); named != config.issuers.end())
        principal.replace(0, issuer.size(), named->second.issuer);
    }
    for (const auto& [issuer_name, issuer] : config.issuers) {
      if (issuer.roles && std::ranges::find(*issuer.roles, name) == issuer.roles->end())
        role.withheld_from.push_back(issuer.issuer);
    }
  }
  return texts;
}

}  // namespace mcph
