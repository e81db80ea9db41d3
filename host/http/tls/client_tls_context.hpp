// What connections to servers of TLS are opened with: TLS 1.2 and later, and the authorities whose certificates are
// trusted. Immutable once made; any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.hpp"

struct ssl_st;
struct ssl_ctx_st;

namespace mcph {

class ClientTlsContext {
 public:
  // Trusts the authorities of the file, in PEM, and no others; empty: those that this machine trusts.
  static Result<std::shared_ptr<const ClientTlsContext>> load(const std::filesystem::path& ca_file);

  // For one connection to a host, which has to prove that it is that, whether a name or an address. Null: there is no
  // memory.
  ssl_st* expect(const std::string& host) const;

 private:
  ClientTlsContext();

  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
};

}  // namespace mcph
