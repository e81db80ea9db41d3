// An upstream over the HTTP+SSE of revision 2024-11-05 (basic/transports, "HTTP with SSE"): one stream of events, whose
// first one says where messages are posted to, and on which all answers come. That must be at the origin that the
// operator has written. Shared until the stream has ended; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "sources/upstream/event_stream_reader.hpp"
#include "sources/upstream/upstream_http.hpp"
#include "sources/upstream/upstream_transport.hpp"

namespace mcph {

class SseUpstream final : public UpstreamTransport, public std::enable_shared_from_this<SseUpstream> {
 public:
  explicit SseUpstream(std::shared_ptr<UpstreamHttp> http) : http_(std::move(http)) {}

  Result<> begin(std::weak_ptr<UpstreamListener> listener, std::chrono::milliseconds patience) override;
  Result<> send(UpstreamMessage message) override;
  // Its answer has no stream of its own.
  void abandon(std::string_view /*id*/) override {}
  void close() override;

 private:
  class Events;
  class Post;

  void take_endpoint(std::string_view text);
  // `why` says where, too.
  void end(const Error& why);
  std::shared_ptr<UpstreamListener> listener();

  const std::shared_ptr<UpstreamHttp> http_;
  Mutex mutex_;
  Condition changed_;
  std::weak_ptr<UpstreamListener> listener_ GUARDED_BY(mutex_);
  std::optional<HttpUrl> endpoint_ GUARDED_BY(mutex_);
  std::string revision_ GUARDED_BY(mutex_);  // as it was agreed on
  std::optional<Error> end_ GUARDED_BY(mutex_);
  std::weak_ptr<Events> events_ GUARDED_BY(mutex_);
};

// What a reference in the base's document is (RFC 3986 section 5.2).
Result<HttpUrl> resolve_http_url(const HttpUrl& base, std::string_view reference);

}  // namespace mcph
