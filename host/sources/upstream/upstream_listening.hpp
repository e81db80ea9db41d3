// Has an upstream tell of its changes: of its lists, and of the resources that somebody wants to hear of. In the modern
// era by one subscriptions/listen, which begins again when it ends, and goes on until the next one is acknowledged; in
// the legacy era by a resources/subscribe for each resource, a few at a time; of its lists it tells unasked. One a
// connection. Owned by who keeps the connection, on whose thread all is called.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sources/upstream/upstream_client.hpp"

namespace mcph {

class UpstreamListening {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~UpstreamListening() = default;
  UpstreamListening(const UpstreamListening&) = delete;
  UpstreamListening& operator=(const UpstreamListening&) = delete;

  // Has it tell, of no other resources than these, unless it does so already. True: until now it has told of no list,
  // so that what has changed is to be asked for.
  virtual bool listen(const std::vector<std::string>& uris) = 0;
  // The same for what has ended or failed, once that is due.
  virtual bool listen_again(const std::vector<std::string>& uris) = 0;
  // When that is; empty: nothing has.
  virtual std::optional<Clock::time_point> due() const = 0;
  // The upstream has said that it tells what this request wants. True: that is what it was asked for last.
  virtual bool acknowledged(UpstreamClient::RequestId request) = 0;
  // Whether what was listened with has ended before the upstream has acknowledged what replaces it, so that meanwhile
  // it may have told nobody of a change. Until `acknowledged` says true.
  virtual bool has_gap() const { return false; }

 protected:
  UpstreamListening() = default;
};

// Of the link's era. `ended` is told on any thread that there is something due. The link's requests end before this
// does.
std::unique_ptr<UpstreamListening> make_listening(UpstreamLink link, std::function<void()> ended);

}  // namespace mcph
