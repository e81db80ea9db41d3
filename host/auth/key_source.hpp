// Where the keys of an issuer come from: a file, a URL, or what the issuer's metadata names (RFC 8414, OpenID Connect
// Discovery). Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "auth/issuer_settings.hpp"
#include "base/result.hpp"
#include "http/client/http_caller.hpp"
#include "jose/json_web_key.hpp"

namespace mcph {

class KeySource {
 public:
  using Done = std::function<void(Result<JsonWebKeySet>)>;

  virtual ~KeySource() = default;
  // Calls `done` once, soon or at once.
  virtual void fetch(Done done) = 0;
};

// The caller outlives it, and whatever it does.
std::unique_ptr<KeySource> make_key_source(const IssuerSettings& issuer, HttpCaller& caller);

}  // namespace mcph
