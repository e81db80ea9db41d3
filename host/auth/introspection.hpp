// Asks an issuer about a token that only it can read (RFC 7662). Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/credential_error.hpp"
#include "auth/issuer_settings.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "http/client/http_caller.hpp"

namespace mcph {

// What this server proves itself with to an issuer: the text of a file that only its owner and its group may read,
// and nobody but its owner write.
Result<std::string> read_client_secret(const std::filesystem::path& file);

class Introspection {
 public:
  struct Answer {
    Result<Identity, CredentialError> who;
    std::string trouble = {};  // why there is no answer, for the operator; empty: there is one
  };
  using Done = std::function<void(Answer)>;

  // An error: this server's secret, or the address, cannot be used. The caller outlives it.
  static Result<Introspection> create(const IssuerSettings& settings, HttpCaller& caller);

  // Calls `done` once, on any thread. The token must name one of `audiences`.
  void ask(std::string_view token, std::vector<std::string> audiences, Done done) const;

 private:
  Introspection(IssuerSettings settings, HttpUrl url, std::string authorization, HttpCaller& caller);

  IssuerSettings settings_;
  HttpUrl url_;
  std::string authorization_;
  HttpCaller* caller_;
};

}  // namespace mcph
