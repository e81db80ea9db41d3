// An upstream over Streamable HTTP, in both eras: each message is a POST, whose answer is a JSON text or a stream of
// events (2026-07-28, basic/transports; 2025-11-25, basic/transports). In the legacy era there may be a session, with a
// stream of its own for what the upstream says unasked, and a stream that breaks is continued where it broke. Requests
// and their streams run beside each other. Shared until close, by what is in flight; any thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "sources/upstream/upstream_http.hpp"
#include "sources/upstream/upstream_transport.hpp"

namespace mcph {

class HttpUpstream final : public UpstreamTransport, public std::enable_shared_from_this<HttpUpstream> {
 public:
  explicit HttpUpstream(std::shared_ptr<UpstreamHttp> http) : http_(std::move(http)) {}

  Result<> begin(std::weak_ptr<UpstreamListener> listener, std::chrono::milliseconds patience) override;
  Result<> send(UpstreamMessage message) override;
  void abandon(std::string_view id) override;
  void close() override;
  // For the end of the session there.
  void wait_until_closed(std::chrono::milliseconds patience) override;

 private:
  class Stream;
  class Post;
  class SessionStream;
  class Farewell;

  // What Post and SessionStream tell and ask. False, or null: it is closed.
  bool has_ended(const Post& post);
  void begin_session(std::string_view id);
  void listen();
  // False: there was none.
  bool session_is_gone(unsigned status);
  std::shared_ptr<UpstreamListener> listener();
  // GET of what comes unasked, or of a stream from `last_id` on.
  OutgoingRequest stream_request(const std::string& last_id, std::chrono::milliseconds silence);
  void add_session(OutgoingRequest& request);

  const std::shared_ptr<UpstreamHttp> http_;
  Mutex mutex_;
  std::weak_ptr<UpstreamListener> listener_ GUARDED_BY(mutex_);
  std::string session_ GUARDED_BY(mutex_);   // empty: there is none
  std::string revision_ GUARDED_BY(mutex_);  // of the legacy era, as it was agreed on
  std::map<std::string, std::shared_ptr<Post>, std::less<>> posts_ GUARDED_BY(mutex_);  // requests, by their ids
  std::shared_ptr<SessionStream> stream_ GUARDED_BY(mutex_);
  std::shared_ptr<Farewell> farewell_ GUARDED_BY(mutex_);  // null: none is being said
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

// By which HTTP the settings say.
std::shared_ptr<UpstreamTransport> make_http_upstream(std::shared_ptr<UpstreamHttp> http);

// The upstreams of a host that are reached over HTTP: their sessions end while there are event loops to say so with.
// Owned by the host; any thread.
class HttpUpstreams {
 public:
  // The event loops outlive what it makes.
  explicit HttpUpstreams(EventLoops& loops) : loops_(loops) {}

  // `http`: that of the connection to the same upstream before, if there was one; then that of this one.
  Result<std::shared_ptr<UpstreamTransport>> make(HttpUpstreamSettings settings, std::shared_ptr<UpstreamHttp>& http);
  // Ends them all, and waits for that, at most so long for all together. None is made any more.
  void close(std::chrono::milliseconds patience);

 private:
  EventLoops& loops_;
  Mutex mutex_;
  std::vector<std::weak_ptr<UpstreamTransport>> made_ GUARDED_BY(mutex_);
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

// Whether a text, which may be anything, has "result" or "error" before any "method" in its object: a response.
bool is_response(std::string_view message);

// How long to wait until a stream that has broken is asked for again, after so many attempts without an event. `said`:
// by the upstream.
std::chrono::milliseconds pause_before_reconnecting(unsigned attempts, std::optional<std::chrono::milliseconds> said);

}  // namespace mcph
