// Who is at the other end of a connection, as far as the connection itself shows it. Values, which never change once a
// connection serves requests.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ip_address.hpp"

namespace mcph {

// A certificate of a client that has proven to have its key, and that a trusted authority has issued (RFC 5280).
struct ClientCertificate {
  std::string subject = {};             // as RFC 4514 writes it; empty: it has none
  std::vector<std::string> uris = {};   // subjectAltName, as the next two; one that could be mistaken is empty
  std::vector<std::string> names = {};  // of hosts
  std::vector<std::string> emails = {};
  std::string thumbprint = {};  // "x5t#S256" (RFC 8705 section 3.1)
  std::chrono::system_clock::time_point expiry = std::chrono::system_clock::time_point::max();
};

struct HttpPeer {
  bool at_unix_socket = false;                                // and so on this machine
  std::optional<IpAddress> address = {};                      // of TCP
  std::shared_ptr<const ClientCertificate> certificate = {};  // null: it has shown none
};

inline const HttpPeer unknown_peer;

}  // namespace mcph
