// What a request says of who sends it, and why that has not proven it. Values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ip_address.hpp"
#include "http/peer.hpp"

namespace mcph {

// What a proxy says of whom it asks for, in the headers that are configured for that. Views into the request.
struct ForwardedUser {
  std::vector<std::string_view> users = {};   // each line
  std::vector<std::string_view> names = {};   // likewise
  std::vector<std::string_view> groups = {};  // likewise; a line is a list
};

// Views into the request.
struct PresentedCredential {
  std::optional<std::string_view> authorization = {};  // RFC 9110 section 11.6.2
  std::vector<std::string_view> proofs = {};           // each field DPoP (RFC 9449 section 4.1)
  std::string_view method = {};
  std::string_view path = {};
  const HttpPeer* peer = nullptr;        // of the connection; null: nothing is known of it
  ForwardedUser forwarded = {};          // by anybody
  IpAddress source = IpAddress::v4({});  // where the request comes from, as it is told
};

struct CredentialError {
  enum class Kind {
    missing,      // there is none of a kind that is asked for (RFC 6750 section 3.1)
    invalid,      // it proves nothing, or no longer
    needs_nonce,  // it is good, and its proof has to be made anew with a nonce of this server
    unavailable,  // that cannot be found out now
    unsettled     // nor yet: somebody else is to be asked first
  };
  // Calls `done` once, on any thread, when it makes sense to look at the credential again.
  using Settle = std::function<void(std::function<void()> done)>;

  Kind kind = Kind::missing;
  std::string description = {};  // for whoever sent it; does not help to make another one. ASCII without quotes
  Settle settle = {};            // of what is unsettled
  bool by_proof = false;         // the credential is of use with a proof only
  std::string nonce = {};        // for the next proof; empty: it needs none
  std::string_view code = "invalid_token";  // RFC 6750 section 3.1, RFC 9449 sections 7.1, 9
  std::string credential = {};              // the ID of a token of this host, which no client is told
};

inline CredentialError invalid_credential(std::string description) {
  return {CredentialError::Kind::invalid, std::move(description)};
}

inline CredentialError needs_proof(std::string description) {
  auto error = invalid_credential(std::move(description));
  error.by_proof = true;
  return error;
}

inline CredentialError invalid_proof(const std::string& description) {
  auto error = needs_proof("of the proof: " + description);
  error.code = "invalid_dpop_proof";
  return error;
}

}  // namespace mcph
