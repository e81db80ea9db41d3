// The host's own access token for one upstream, by OAuth's client credentials (RFC 6749 section 4.4, RFC 8707): fetched
// when it is needed first, kept until shortly before its end, and fetched anew when the upstream refuses it. The secret
// goes to the token endpoint or the issuer that the operator has named, and to nobody whom the upstream names. Who asks
// while it is being fetched waits with the others. Shared by the connections to the upstream, which follow each other;
// any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "http/client/http_caller.hpp"
#include "sources/upstream/http_upstream_settings.hpp"

namespace mcph {

class ClientToken final : public std::enable_shared_from_this<ClientToken> {
 public:
  // A token; empty: none is known yet, and the upstream has to say who issues one (renew).
  using Got = std::function<void(const Result<std::string>& token)>;

  // The settings have credentials.
  ClientToken(const HttpUpstreamSettings& settings, std::unique_ptr<HttpCaller> caller);

  // Calls `got` once, here or on another thread.
  void get(Got got);
  // The upstream has refused `used`, and said this with it (WWW-Authenticate). Where it has refused another one a
  // moment ago, it is not replaced: whoever takes no token at all does not have the issuer asked at each call.
  void renew(const std::string& used, std::string_view challenge, Got got);

 private:
  using Clock = std::chrono::steady_clock;
  // Where tokens come from.
  struct Issuer {
    HttpUrl url;
    bool takes_basic = true;  // else the credentials are in the form (RFC 6749 section 2.3.1)
  };
  using Found = std::function<void(const Result<Issuer>& issuer)>;
  // What metadata say that a token is for.
  struct Resource {
    std::string name;
    std::string scopes;  // that it supports; empty: it does not say
  };

  void fetch();
  void find_issuer(const Found& found);
  // One after the other. `wrong`: what a document at an earlier URL lacks, which says more than that there is none.
  void ask_resource(std::vector<std::string> urls, std::optional<Error> wrong, const Found& found);
  void ask_issuer(std::vector<std::string> urls, std::optional<Error> wrong, const Found& found);
  Result<Resource> check_resource(const std::string& metadata, bool is_of_origin) const;
  Result<Issuer> read_metadata(const std::string& metadata) const;
  std::string scope();
  std::string resource();
  bool wants_less();
  void ask_for_token(const Issuer& issuer);
  void end(const Result<std::string>& token, std::chrono::seconds life);

  const HttpUpstreamSettings settings_;
  const std::unique_ptr<HttpCaller> caller_;
  Mutex mutex_;
  std::string token_ GUARDED_BY(mutex_);
  Clock::time_point expiry_ GUARDED_BY(mutex_);
  std::optional<Clock::time_point> renewed_ GUARDED_BY(mutex_);  // the last time, because one was refused
  std::optional<Issuer> issuer_ GUARDED_BY(mutex_);
  std::string metadata_url_ GUARDED_BY(mutex_);  // that the upstream has named; empty: none
  // Where the operator has written none: what the upstream has said that is wanted, and what there are.
  std::string wanted_scope_ GUARDED_BY(mutex_);
  std::string supported_scopes_ GUARDED_BY(mutex_);
  std::string resource_ GUARDED_BY(mutex_);  // for which a token is to be, as its metadata has it; empty: the upstream
  std::vector<Got> waiting_ GUARDED_BY(mutex_);  // not empty: it is being fetched
};

// A parameter of the first challenge that has it (RFC 9110 section 11.6.1); empty: none has it.
std::string challenge_parameter(std::string_view challenges, std::string_view name);

}  // namespace mcph
