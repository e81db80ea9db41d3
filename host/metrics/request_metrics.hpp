// How long requests and sessions of clients took, by what they asked for and how they ended: OpenTelemetry's
// mcp.server.operation.duration and mcp.server.session.duration. Whatever a client invents adds nothing: a name counts
// by itself only if it is served. Owned by who assembles the program, which outlives the protocol; any thread.
//
// A request is counted in the shard of its thread, under a lock that hardly anybody else wants, and makes no text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.hpp"
#include "catalog/catalog.hpp"
#include "protocol/call_observer.hpp"
#include "telemetry/histogram.hpp"
#include "telemetry/metric_text.hpp"

namespace mcph {

class RequestMetrics final : public CallObserver {
 public:
  void ended(const CallEnd& end) override;
  void session_ended(const SessionEnd& end) override;

  void write(MetricText& text) const;
  // Forgets the tools and prompts that are served no more. Waits while somebody writes.
  void keep_only(const Catalog& catalog);
  // The same without waiting. False: somebody writes, and nothing has been forgotten.
  bool try_keep_only(const Catalog& catalog);

 private:
  // Of one series. What has no text here is an index into what may be.
  struct Key {
    std::uint8_t method = 0;
    std::uint8_t version = 0;
    std::uint8_t error = 0;
    NetworkTransport transport = NetworkTransport::tcp;
    std::string_view component = {};  // a tool or a prompt

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct OwnedKey {
    Key key;
    std::string component;
    Key view() const {
      auto view = key;
      view.component = component;
      return view;
    }
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Key& key) const;
    std::size_t operator()(const OwnedKey& key) const { return operator()(key.view()); }
  };
  struct Equal {
    using is_transparent = void;
    static Key view(const Key& key) { return key; }
    static Key view(const OwnedKey& key) { return key.view(); }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return view(a) == view(b);
    }
  };
  using Series = std::unordered_map<OwnedKey, Histogram, Hash, Equal>;

  struct Shard {
    mutable Mutex mutex;
    Series series GUARDED_BY(mutex);
  };

  void forget_but(const Catalog& catalog) REQUIRES(looking_);
  static Key key_of(const CallEnd& end);
  static MetricLabels labels_of(const Key& key);
  static void count(Series& series, const Key& key, std::chrono::nanoseconds took);

  // Held by who goes through the series, so that none of them goes away meanwhile.
  mutable Mutex looking_;
  // As many as there are event loops by default at most.
  std::array<Shard, 4> shards_;
  Shard sessions_;
};

}  // namespace mcph
