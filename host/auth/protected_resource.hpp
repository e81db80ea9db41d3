// What clients are told of this server as what a token is for: OAuth 2.0 Protected Resource Metadata (RFC 9728). A
// value.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace mcph {

struct ProtectedResource {
  // At which clients reach this server, without a path: "https://mcp.example.com". Configured, never what a request
  // says.
  std::string origin = {};
  std::string title = {};
  std::vector<std::string> issuers = {};    // empty: nobody issues tokens for it, and there is no metadata
  std::vector<std::string> scopes = {};     // to ask for at first
  std::set<std::string> known_scopes = {};  // that mean something here

  bool takes_tokens = true;         // there are other ways to say who one is
  bool needs_nonces = false;        // in proofs (RFC 9449 section 9)
  bool knows_certificates = false;  // of clients, to which a token may be bound (RFC 8705 section 3)

  bool has_metadata() const { return !issuers.empty(); }
};

}  // namespace mcph
