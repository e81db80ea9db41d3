// An HTTP client for those who ask the same servers again and again, or for answers that come in pieces for hours:
// HTTP/1.1, by connections that are kept (http/client/connection_pool.hpp), over TCP or over TLS, where the server must
// prove that it is the host that was meant. No redirect is followed, because who answers would be somebody else's
// choice. Made by who asks; any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "base/mutex.hpp"
#include "http/client/connection_pool.hpp"
#include "http/client/name_lookup.hpp"
#include "http/client/outgoing_request.hpp"
#include "http/client/sent_request.hpp"
#include "runtime/event_loops.hpp"

namespace mcph {

class PooledHttpClient {
 public:
  // The event loops outlive it.
  explicit PooledHttpClient(EventLoops& loops, HttpClientOptions options = {},
                            NameLookup::Resolve resolve = NameLookup::by_system);
  // What is in flight fails, which the event loops tell; after their end nobody is told anything.
  ~PooledHttpClient();
  PooledHttpClient(const PooledHttpClient&) = delete;
  PooledHttpClient& operator=(const PooledHttpClient&) = delete;

  // The listener is told of the end unless the program ends before, on an event loop and never within this call. What
  // was not sent for want of a free connection ends with ErrorCode::crowded.
  std::shared_ptr<SentRequest> send(OutgoingRequest request, std::shared_ptr<AnswerListener> listener);

 private:
  using Origin = std::tuple<bool, std::string, std::string>;  // TLS, authority, port

  std::shared_ptr<ConnectionPool> pool_of(const HttpUrl& url);

  EventLoops& loops_;
  const HttpClientOptions options_;
  NameLookup names_;
  Mutex mutex_;
  std::map<Origin, std::shared_ptr<ConnectionPool>> pools_ GUARDED_BY(mutex_);
};

}  // namespace mcph
