// The calls that one plugin version has accepted and not completed, by id. An id is never used twice, so that a second
// or late completion finds nothing instead of somebody else's call. It counts them, too. Owned by a plugin; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/call.hpp"
#include "plugin/call_statistics.hpp"

namespace mcph {

class CallsInFlight {
 public:
  using Clock = std::chrono::steady_clock;

  // What is called whenever none is left, on the thread that took the last. Before any is added.
  void when_empty(std::function<void()> listener) { when_empty_ = std::move(listener); }

  std::uint64_t add(std::shared_ptr<Call> call);

  std::shared_ptr<Call> find(std::uint64_t id) const;

  // Removes it; null if it is unknown or has been taken already.
  std::shared_ptr<Call> take(std::uint64_t id);

  // The same, because the plugin has answered it.
  std::shared_ptr<Call> take_answered(std::uint64_t id);

  // Likewise, but it stays in flight, because its answer is still on its way to the client, until take_held. Nothing
  // else finds it any more.
  std::shared_ptr<Call> hold_answered(std::uint64_t id);
  std::shared_ptr<Call> take_held(std::uint64_t id);
  std::vector<std::shared_ptr<Call>> take_all_held();

  // What has `pass_on` take the answer of a held call, if it is still held by then. Whoever keeps it keeps neither the
  // call nor, by the call's lease, the plugin: the host may end before.
  template <class PassOn>
  std::function<void()> once_held(std::uint64_t id, const std::shared_ptr<Call>& call, PassOn pass_on) {
    return [this, id, weak = std::weak_ptr(call), pass_on = std::move(pass_on)]() mutable {
      const auto held = weak.lock();
      if (held != nullptr && take_held(id) != nullptr) pass_on(*held);
    };
  }

  // A call has ended with an error, or will. Empty: what went wrong last stays.
  void failed(std::string why);
  // What is no call's end.
  void went_wrong(std::string what);
  void went_wrong(LastError error);
  CallStatistics::Summary summary() const;

  // Removes it, or all, to be answered in the plugin's stead.
  std::shared_ptr<Call> give_up(std::uint64_t id);
  std::vector<std::shared_ptr<Call>> give_up_all();
  // Of a call that the plugin answers although it is not there any more: whether that is only late. True once for a
  // call that was given up by itself, as long as not too many were.
  bool take_given_up(std::uint64_t id);
  // Whether any was.
  bool has_given_up() const;

  // Those that the plugin has been given.
  std::vector<std::shared_ptr<Call>> take_claimed();

  struct Begun {
    std::uint64_t id;
    std::shared_ptr<Call> call;
    Clock::time_point since;
  };
  std::vector<Begun> begun() const;

  std::vector<std::shared_ptr<Call>> all() const;
  // With those that are held.
  std::size_t size() const;

 private:
  struct Entry {
    std::shared_ptr<Call> call;
    Clock::time_point since;
  };
  // Without a call where there is none.
  Entry remove(std::uint64_t id) REQUIRES(mutex_);
  // Removes under the lock, and tells if none is left.
  template <class Remove>
  auto removing(Remove remove) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto before = calls_.size() + held_.size();
    auto removed = remove();
    const bool took_last = before > 0 && calls_.empty() && held_.empty();
    lock.unlock();
    if (took_last && when_empty_) when_empty_();
    return removed;
  }

  std::function<void()> when_empty_;
  mutable Mutex mutex_;
  std::uint64_t last_id_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::uint64_t, Entry> calls_ GUARDED_BY(mutex_);
  // That the plugin has answered.
  std::unordered_map<std::uint64_t, Entry> held_ GUARDED_BY(mutex_);
  std::set<std::uint64_t> given_up_ GUARDED_BY(mutex_);
  std::uint64_t all_given_up_to_ GUARDED_BY(mutex_) = 0;
  CallStatistics statistics_ GUARDED_BY(mutex_);
};

}  // namespace mcph
