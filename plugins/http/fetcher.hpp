// Fetcher: asks servers, several at once, on one thread with libcurl's event loop. As many requests run at once as it
// is told; further ones wait in their order, which counts as their time. add and cancel may be called from any thread;
// the listeners are called on the thread of the fetcher, which lives from its making until stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "http/curl_library.hpp"
#include "http/exchange.hpp"
#include "http/transfer.hpp"
#include "shared/mutex.hpp"

namespace plugins::http {

// Who waits for an answer. finished or cancelled is called once, at the end, unless the fetcher stops before.
class FetchListener {
 public:
  FetchListener() = default;
  FetchListener(const FetchListener&) = delete;
  FetchListener& operator=(const FetchListener&) = delete;
  virtual ~FetchListener() = default;

  // Twice a second.
  virtual void progressed(const FetchProgress& progress) = 0;
  virtual void finished(const FetchOutcome& outcome) = 0;
  virtual void cancelled() = 0;
};

class Fetcher {
 public:
  using Id = std::uint64_t;

  // Requests that wait or run; further ones are refused.
  static constexpr std::size_t max_requests = 1024;

  Fetcher(Connections connections, std::size_t concurrent);
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;
  ~Fetcher();

  Id add(Request request, const FetchLimits& limits, std::shared_ptr<FetchListener> listener);
  // Of one that has ended, this does nothing.
  void cancel(Id id);
  // Ends the thread, and forgets what was to be done.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  struct Fetch {
    std::unique_ptr<Transfer> transfer;
    std::shared_ptr<FetchListener> listener;
    bool is_running = false;
  };
  using Fetches = std::map<Id, Fetch>;
  struct NewFetch {
    Id id;
    Request request;
    FetchLimits limits;
    Clock::time_point begin;
    std::shared_ptr<FetchListener> listener;
  };

  void run();
  void take_orders();
  void take_new(NewFetch& fetch);
  void start_due(Clock::time_point now);
  // False: there is no memory for it.
  bool start(Fetches::iterator fetch, Clock::time_point now);
  void end_late(Clock::time_point now);
  void take_results();
  void tell_progress(Clock::time_point now);
  std::chrono::milliseconds time_to_wait(Clock::time_point now) const;
  Fetches::iterator end(Fetches::iterator fetch, const FetchOutcome& outcome);
  void halt(Fetch& fetch);

  const Connections connections_;
  const std::size_t concurrent_;
  const CurlLibrary& curl_;
  const std::unique_ptr<CURLM, decltype(CurlLibrary::multi_cleanup)> multi_;
  std::atomic<std::size_t> count_ = 0;  // of those that wait or run
  std::atomic<bool> is_stopped_ = false;

  Mutex mutex_;
  Id last_id_ GUARDED_BY(mutex_) = 0;
  std::vector<NewFetch> new_ GUARDED_BY(mutex_);
  std::vector<Id> cancelled_ GUARDED_BY(mutex_);

  // The thread's own.
  Fetches fetches_;
  std::size_t running_ = 0;
  Clock::time_point next_progress_;

  std::thread thread_;  // last, so that everything it uses is there when it begins
};

}  // namespace plugins::http
