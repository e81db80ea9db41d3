// Who else vouches for clients, as an operator says it: an authorization server (RFC 6749, RFC 8414) and how its tokens
// are verified. A value.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mcph {

struct IssuerSettings {
  std::string name = {};    // in the configuration and the log
  std::string issuer = {};  // as its tokens say it
  // Of which each token must name one: this server, and nobody else. Empty: what the server is called otherwise.
  std::vector<std::string> audiences = {};

  // Where its keys are; neither: where its metadata says.
  std::string jwks_url = {};
  std::filesystem::path jwks_file = {};
  // Where it is asked about each token that is none of its JSON Web Tokens (RFC 7662); empty: nowhere.
  std::string introspection_url = {};
  std::string client_id = {};                // of this server, for that
  std::filesystem::path client_secret = {};  // a file
  bool trust_without_audience = false;       // what it says of a token need not name an audience

  std::string subject_claim = "sub";
  std::string name_claim = "name";
  std::string email_claim = "email";
  std::string groups_claim = "groups";
  std::string roles_claim = {};  // empty: its tokens give no roles by their names
  std::chrono::seconds leeway{60};
  // The only ones that its users can have, whatever gives them; nothing: all.
  std::optional<std::vector<std::string>> roles = {};

  friend bool operator==(const IssuerSettings&, const IssuerSettings&) = default;
};

// By a scope those that it implies (2026-07-28, basic/authorization, "Step-Up Authorization Flow").
using ImpliedScopes = std::map<std::string, std::vector<std::string>>;

// Those of a credential, and those that they imply.
std::vector<std::string> with_implied(const std::vector<std::string>& scopes, const ImpliedScopes& implied);

}  // namespace mcph
