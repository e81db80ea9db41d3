// How a connection itself shows who is at its other end: by the client's certificate, or because it is that of a proxy
// that is trusted to say for whom it asks. A value; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/credential_error.hpp"
#include "base/ip_address.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "http/peer.hpp"

namespace mcph {

// Identity::issuer of whom a certificate, and a proxy, says something.
inline constexpr std::string_view certificate_issuer = "mtls";
inline constexpr std::string_view proxy_issuer = "proxy";

// What of a certificate says whose it is. Of a kind of name there must be exactly one.
enum class CertificateSubject { none, san_uri, san_dns, san_email, subject };

struct ProxySettings {
  std::vector<std::string> from = {};  // whom to trust: "unix", or "mtls#SUBJECT"
  std::string user_header = {};        // empty: a proxy says of nobody who they are
  std::string groups_header = {};
  std::string name_header = {};
  std::vector<IpNetwork> trusted_addresses = {};  // whose X-Forwarded-For counts, besides that of those in `from`
};

class ConnectionCredentials {
 public:
  ConnectionCredentials() = default;
  ConnectionCredentials(CertificateSubject subject, ProxySettings proxy)
      : subject_(subject), proxy_(std::move(proxy)) {}

  const ProxySettings& proxy() const { return proxy_; }
  bool takes_certificates() const { return subject_ != CertificateSubject::none; }
  bool knows_proxies() const { return !proxy_.from.empty() || !proxy_.trusted_addresses.empty(); }
  bool takes_issuer(std::string_view issuer) const;
  // Whether it would say the same of somebody whom a connection has shown.
  bool vouches_for(const Identity& identity) const;

  // Whether the peer may say for whom it asks. Nobody else's word counts.
  bool is_proxy(const HttpPeer& peer) const;

  // Who is at the other end, or behind the proxy there. Nothing: the connection does not show it.
  Result<std::optional<Identity>, CredentialError> identify(const PresentedCredential& presented) const;

  // The address that a request came from, by a list as X-Forwarded-For has it: the last one that nobody who is trusted
  // has. Nothing: the peer's own is to be taken.
  std::optional<IpAddress> source_of(const HttpPeer& peer, std::string_view forwarded_for) const;

 private:
  std::string subject_of(const HttpPeer& peer) const;
  // As `from` has it; empty: the peer is nobody whom it could have.
  std::string proxy_name_of(const HttpPeer& peer) const;
  bool has_proxy(std::string_view name) const;
  bool has_trusted_address(const IpAddress& address) const;

  CertificateSubject subject_ = CertificateSubject::none;
  ProxySettings proxy_;
};

}  // namespace mcph
