// How one upstream is asked over HTTP: with the operator's fields and credentials on each request, of which what its
// clients send is never one. Where a token of OAuth is refused, the request is sent once more with a new one. Shared;
// any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "http/client/network_caller.hpp"
#include "http/client/pooled_http_client.hpp"
#include "sources/upstream/client_token.hpp"
#include "sources/upstream/http_upstream_settings.hpp"

namespace mcph {

class UpstreamHttp final : public std::enable_shared_from_this<UpstreamHttp> {
 public:
  // A request that has been sent. Any thread, any number of times; of one that has ended they do nothing.
  struct Sent {
    std::function<void()> cancel = {};  // nothing more is told of it
    std::function<void()> resume = {};  // after AnswerListener::body_came has returned false
  };

  // The event loops outlive it. `before`: of the connection before this one, whose token it goes on with, as long as it
  // is asked at the same URL with the same credentials; null: there was none.
  UpstreamHttp(HttpUpstreamSettings settings, EventLoops& loops, const UpstreamHttp* before = nullptr);

  // A request without fields and limits of time.
  OutgoingRequest request(std::string_view method, const HttpUrl& url) const;
  // The listener hears of one answer, as from PooledHttpClient.
  Sent send(OutgoingRequest request, std::shared_ptr<AnswerListener> listener);

  const HttpUpstreamSettings& settings() const { return settings_; }
  EventLoops& loops() { return loops_; }

  // With the URL, which is where it happened. Clients are told this.
  Error about(const std::string& why) const { return fail(settings_.place() + ": " + why); }
  Error about(const Error& why) const;
  // Of a message, which "it" has done.
  static Error too_long(std::size_t max_bytes);
  // Of an answer that is no success. `challenge`: its WWW-Authenticate.
  Error refusal(unsigned status, const std::string& challenge, const std::string& body) const;

 private:
  class Authorized;

  std::shared_ptr<TrustedAuthorities> authorities_after(const UpstreamHttp* before) const;
  std::shared_ptr<ClientToken> token_after(const UpstreamHttp* before) const;

  const HttpUpstreamSettings settings_;
  EventLoops& loops_;
  const std::string fields_;  // of the operator
  const std::shared_ptr<TrustedAuthorities> authorities_;
  PooledHttpClient client_;
  const std::shared_ptr<ClientToken> token_;  // null: no OAuth
};

}  // namespace mcph
