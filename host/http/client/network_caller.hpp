// The HTTP client that uses the network: each call has a connection of its own, and its answer is told as a whole. Any
// thread.
#pragma once

#include "http/client/http_caller.hpp"
#include "http/client/pooled_http_client.hpp"

namespace mcph {

class NetworkCaller final : public HttpCaller {
 public:
  // The event loops outlive it. They alone tell of answers, so whoever is told lives until they have ended, and need
  // not outlive this.
  explicit NetworkCaller(EventLoops& loops, HttpClientOptions options = {},
                         NameLookup::Resolve resolve = NameLookup::by_system)
      : client_(loops, std::move(options), std::move(resolve)) {}

  void send(HttpCall call, std::function<void(Result<HttpAnswer>)> done) override;

 private:
  PooledHttpClient client_;
};

}  // namespace mcph
