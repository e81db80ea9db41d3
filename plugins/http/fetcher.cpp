#include "http/fetcher.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <utility>

namespace plugins::http {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds progress_interval{500};
constexpr milliseconds max_wait{60'000};

// Nobody above the fetcher's thread would catch what is thrown: the process would end.
std::optional<FetchOutcome> end_attempt(Transfer& transfer, CURLcode result) {
  try {
    return transfer.end_attempt(result, Transfer::Clock::now());
  } catch (const std::bad_alloc&) {
    return Transfer::out_of_memory();
  }
}

}  // namespace

Fetcher::Fetcher(Connections connections, std::size_t concurrent)
    : connections_(std::move(connections)),
      concurrent_(concurrent),
      curl_(*connections_.curl),
      multi_(curl_.multi_init(), curl_.multi_cleanup) {
  if (!multi_) throw std::bad_alloc();
  thread_ = std::thread([this] { run(); });
}

Fetcher::~Fetcher() {
  stop();
}

void Fetcher::stop() {
  is_stopped_ = true;
  curl_.multi_wakeup(multi_.get());
  if (thread_.joinable()) thread_.join();
}

Fetcher::Id Fetcher::add(Request request, const FetchLimits& limits, std::shared_ptr<FetchListener> listener) {
  if (count_.fetch_add(1) >= max_requests) {
    --count_;
    listener->finished(FetchError{"Too many requests are waiting already. Try again later."});
    return 0;
  }
  Id id = 0;
  {
    const MutexLock lock(mutex_);
    id = ++last_id_;
    new_.push_back({id, std::move(request), limits, Clock::now(), std::move(listener)});
  }
  curl_.multi_wakeup(multi_.get());
  return id;
}

void Fetcher::cancel(Id id) {
  {
    const MutexLock lock(mutex_);
    cancelled_.push_back(id);
  }
  curl_.multi_wakeup(multi_.get());
}

void Fetcher::run() {
  while (!is_stopped_) {
    take_orders();
    const auto now = Clock::now();
    end_late(now);
    start_due(now);
    int running = 0;
    curl_.multi_perform(multi_.get(), &running);
    take_results();
    tell_progress(Clock::now());
    const auto wait = time_to_wait(Clock::now());
    curl_.multi_poll(multi_.get(), nullptr, 0, static_cast<int>(wait.count()), nullptr);
  }
  for (auto& [id, fetch] : fetches_)
    halt(fetch);
  fetches_.clear();
  const MutexLock lock(mutex_);
  new_.clear();
}

void Fetcher::take_orders() {
  std::vector<NewFetch> added;
  std::vector<Id> cancelled;
  {
    const MutexLock lock(mutex_);
    added.swap(new_);
    cancelled.swap(cancelled_);
  }
  for (auto& each : added)
    take_new(each);
  for (const auto id : cancelled) {
    const auto found = fetches_.find(id);
    if (found == fetches_.end()) continue;
    halt(found->second);
    const auto listener = std::move(found->second.listener);
    fetches_.erase(found);
    --count_;
    listener->cancelled();
  }
}

void Fetcher::take_new(NewFetch& fetch) {
  try {
    auto transfer = std::make_unique<Transfer>(std::move(fetch.request), fetch.limits, connections_, fetch.begin);
    fetches_.emplace(fetch.id, Fetch{std::move(transfer), fetch.listener});
  } catch (const std::bad_alloc&) {
    --count_;
    fetch.listener->finished(Transfer::out_of_memory());
  }
}

void Fetcher::start_due(Clock::time_point now) {
  for (auto fetch = fetches_.begin(); fetch != fetches_.end() && running_ < concurrent_;) {
    const auto& each = fetch->second;
    const bool is_due = !each.is_running && each.transfer->next_attempt() <= now;
    fetch = is_due && !start(fetch, now) ? end(fetch, Transfer::out_of_memory()) : std::next(fetch);
  }
}

bool Fetcher::start(Fetches::iterator fetch, Clock::time_point now) {
  auto& [id, each] = *fetch;
  try {
    each.transfer->prepare(now);
  } catch (const std::bad_alloc&) {
    return false;
  }
  curl_.easy_setopt(each.transfer->handle(), CURLOPT_PRIVATE, static_cast<const void*>(&id));
  // Of a handle that is new to it, libcurl refuses nothing else.
  if (curl_.multi_add_handle(multi_.get(), each.transfer->handle()) != CURLM_OK) return false;
  each.is_running = true;
  ++running_;
  return true;
}

// Of those that run libcurl does it.
void Fetcher::end_late(Clock::time_point now) {
  for (auto fetch = fetches_.begin(); fetch != fetches_.end();) {
    const auto& [id, each] = *fetch;
    const bool is_late = !each.is_running && each.transfer->deadline() <= now;
    fetch = is_late ? end(fetch, each.transfer->timed_out()) : std::next(fetch);
  }
}

void Fetcher::take_results() {
  int left = 0;
  while (const CURLMsg* const message = curl_.multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode result = message->data.result;
    void* id = nullptr;
    curl_.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &id);
    const auto fetch = fetches_.find(*static_cast<const Id*>(id));
    if (fetch == fetches_.end()) continue;
    halt(fetch->second);
    if (const auto outcome = end_attempt(*fetch->second.transfer, result)) end(fetch, *outcome);
  }
}

void Fetcher::tell_progress(Clock::time_point now) {
  if (now < next_progress_) return;
  next_progress_ = now + progress_interval;
  for (const auto& [id, fetch] : fetches_) {
    try {
      fetch.listener->progressed(fetch.transfer->progress(now));
    } catch (const std::bad_alloc&) {
      // It is told the next time.
    }
  }
}

milliseconds Fetcher::time_to_wait(Clock::time_point now) const {
  auto due = now + max_wait;
  if (!fetches_.empty()) due = std::min(due, next_progress_);
  for (const auto& [id, fetch] : fetches_) {
    if (fetch.is_running) continue;
    due = std::min(due, fetch.transfer->deadline());
    if (running_ < concurrent_) due = std::min(due, fetch.transfer->next_attempt());
  }
  const auto wait = std::chrono::ceil<milliseconds>(due - now);
  return std::clamp(wait, milliseconds(0), max_wait);
}

Fetcher::Fetches::iterator Fetcher::end(Fetches::iterator fetch, const FetchOutcome& outcome) {
  const auto listener = std::move(fetch->second.listener);
  const auto next = fetches_.erase(fetch);
  --count_;
  listener->finished(outcome);
  return next;
}

void Fetcher::halt(Fetch& fetch) {
  if (!std::exchange(fetch.is_running, false)) return;
  curl_.multi_remove_handle(multi_.get(), fetch.transfer->handle());
  --running_;
}

}  // namespace plugins::http
