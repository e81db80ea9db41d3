#include "plugin/cpu_share.hpp"

#include <algorithm>
#include <utility>

namespace mcph {
namespace {

using std::chrono::milliseconds;

// Between two looks at one that does not rest: what it may use beyond its share at most, on each processor.
constexpr milliseconds look_interval{20};
// At once, and then it is looked at again.
constexpr milliseconds longest_rest{500};
// What one that has used nothing for a while may use before its share counts.
constexpr milliseconds saved_at_most{100};

class ShareKeeper : public std::enable_shared_from_this<ShareKeeper> {
 public:
  ShareKeeper(Timers& timers, std::shared_ptr<WorkerProcess> process, unsigned percent, std::function<void()> rests)
      : timers_(timers),
        process_(std::move(process)),
        budget_(percent, CpuBudget::Clock::now()),
        rests_(std::move(rests)) {}

  void look() {
    const auto used = process_->cpu_time();
    if (!used) return;  // it has ended
    const auto rest = std::chrono::ceil<milliseconds>(budget_.rest(CpuBudget::Clock::now(), *used));
    const bool must_rest = rest.count() > 0;
    if (must_rest != resting_) must_rest ? process_->pause() : process_->resume();
    resting_ = must_rest;
    if (resting_ && rests_) std::exchange(rests_, nullptr)();
    const auto next = resting_ ? std::min(rest, longest_rest) : look_interval;
    timers_.after(next, [self = shared_from_this()] { self->look(); });
  }

 private:
  Timers& timers_;
  const std::shared_ptr<WorkerProcess> process_;
  CpuBudget budget_;
  bool resting_ = false;
  std::function<void()> rests_;
};

}  // namespace

CpuBudget::CpuBudget(unsigned percent, Clock::time_point now)
    : percent_(percent), last_(now), left_(Duration(saved_at_most) * percent / 100) {}

CpuBudget::Duration CpuBudget::rest(Clock::time_point now, Duration used) {
  left_ += (now - last_) * percent_ / 100 - (used - used_);
  left_ = std::min(left_, Duration(saved_at_most) * percent_ / 100);
  last_ = now;
  used_ = used;
  return left_.count() >= 0 ? Duration(0) : -left_ * 100 / percent_;
}

void keep_to_cpu_share(Timers& timers, std::shared_ptr<WorkerProcess> process, unsigned percent,
                       std::function<void()> rests) {
  std::make_shared<ShareKeeper>(timers, std::move(process), percent, std::move(rests))->look();
}

}  // namespace mcph
