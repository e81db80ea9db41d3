// What a server of TLS shows its clients, and asks them for. Values.
#pragma once

#include <filesystem>

namespace mcph {

struct TlsOptions {
  enum class ClientCertificates { none, optional, required };
  enum class Version { tls_1_2, tls_1_3 };

  std::filesystem::path certificate = {};  // PEM, with those between it and its root behind it; empty: there is no TLS
  std::filesystem::path key = {};          // PEM, without a password
  std::filesystem::path client_ca = {};    // PEM; who issues clients' certificates
  ClientCertificates client_certificates = ClientCertificates::none;
  Version minimum_version = Version::tls_1_2;

  bool is_on() const { return !certificate.empty(); }
};

}  // namespace mcph
