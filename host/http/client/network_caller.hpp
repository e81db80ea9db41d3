// The HTTP client that uses the network: HTTP/1.1 over TCP, or over TLS 1.2 and later, where the server must prove that
// it is the host that was meant, by the certificates that this machine trusts. Any thread.
#pragma once

#include <memory>

#include "http/client/http_caller.hpp"
#include "http/client/name_lookup.hpp"
#include "runtime/event_loops.hpp"

namespace mcph {

class NetworkCaller final : public HttpCaller {
 public:
  // The event loops outlive it, and whoever is told of an answer.
  explicit NetworkCaller(EventLoops& loops, NameLookup::Resolve resolve = NameLookup::by_system);
  ~NetworkCaller() override;
  NetworkCaller(const NetworkCaller&) = delete;
  NetworkCaller& operator=(const NetworkCaller&) = delete;

  void send(HttpCall call, std::function<void(Result<HttpAnswer>)> done) override;

 private:
  class Exchange;
  struct Trust;

  EventLoops& loops_;
  const std::shared_ptr<Trust> trust_;
  NameLookup names_;
};

}  // namespace mcph
