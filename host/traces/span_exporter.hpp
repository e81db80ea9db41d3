// Takes finished spans, and sends them to a collector by OTLP over HTTP in JSON (OpenTelemetry Protocol 1.x, section
// "OTLP/HTTP"), in batches and on a thread of its own. What the collector is slow to take waits for it in a queue of
// bounded size; beyond that spans are dropped and counted, so that no call waits for a collector. Owned by who
// assembles the program; add is for any thread, the others for the owner's.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "http/client/http_caller.hpp"
#include "http/client/http_url.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class SpanExporter {
 public:
  using Clock = std::chrono::steady_clock;

  // A batch goes when it has so many bytes, or a moment after its first span. With the copies of a batch that is on its
  // way, all of it takes 8 MiB at most.
  static constexpr std::size_t batch_bytes = std::size_t{512} << 10;
  static constexpr std::size_t max_queue_bytes = std::size_t{3} << 19;

  struct Options {
    HttpUrl collector;
    std::vector<std::pair<std::string, std::string>> fields = {};  // of each request besides
    std::string service_name = {};
    std::string service_version = {};
    std::chrono::milliseconds batch_time{1000};
    std::chrono::milliseconds patience{10'000};        // for one answer
    std::chrono::milliseconds first_pause{1000};       // after a failure; twice that after the next, to 30 s
    std::chrono::milliseconds batch_lifetime{60'000};  // then it is dropped
  };

  // The log outlives it.
  SpanExporter(Options options, Log& log);
  ~SpanExporter() { stop(std::chrono::milliseconds(0)); }
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  // Begins to send. Once; the caller outlives stop.
  void run(HttpCaller& caller);
  // Sends what there is, for so long at most, and then nothing more. What has failed before is sent once more, at once.
  void stop(std::chrono::milliseconds patience);

  // One span as JSON, without a line end.
  void add(std::string_view span);

  struct Figures {
    std::uint64_t sent = 0;
    std::uint64_t dropped = 0;  // there was no room, or the collector did not take them
    std::uint64_t failed_requests = 0;
    std::size_t queued_bytes = 0;
  };
  Figures figures() const;

 private:
  struct Batch {
    std::string text = {};  // all but the end of the request's body
    std::uint64_t spans = 0;
  };
  enum class Delivery { taken, refused, failed };
  struct Answered;

  void send_batches(HttpCaller& caller);
  void take_batch(Batch& batch);
  void deliver(HttpCaller& caller, Batch& batch);
  void drop(const Batch& batch);
  std::optional<Result<HttpAnswer>> ask(HttpCaller& caller, const Batch& batch) const;
  Delivery try_once(HttpCaller& caller, const Batch& batch, std::string& why);
  bool is_over() const;
  bool is_stopping() const;
  void pause(std::chrono::milliseconds time);
  void tell(bool taken, const std::string& why);

  const Options options_;
  const std::string opening_;  // of each request's body
  Log& log_;
  std::thread thread_;
  bool fails_ = false;  // of the thread

  mutable Mutex mutex_;
  Condition changed_;
  Batch queue_ GUARDED_BY(mutex_);
  Figures figures_ GUARDED_BY(mutex_);
  std::optional<Clock::time_point> stop_at_ GUARDED_BY(mutex_);  // stop has been called
};

// Fields of HTTP, "Name: value" a line of a file that only its owner may write, and its group besides may read. Fails
// with what is wrong where.
using HeaderFile = std::vector<std::pair<std::string, std::string>>;
Result<HeaderFile> read_header_file(const std::filesystem::path& file);

}  // namespace mcph
