#include "plugin/call_table.hpp"

#include <exception>
#include <utility>

#include "plugin/answer_in_stead.hpp"

namespace mcph {
namespace {

std::string words_for_lost_answer(const std::exception& error) {
  return std::string("the host could not handle what the plugin answered: ") + error.what();
}

}  // namespace

CallTable::CallTable(const Surroundings& surroundings, Owner& owner)
    : identity_(surroundings.identity),
      limits_(surroundings.limits),
      events_(surroundings.events),
      limit_reports_(surroundings.limit_reports),
      owner_(owner),
      changes_(surroundings.timers == nullptr
                   ? nullptr
                   : std::make_shared<ComponentChanges>(surroundings.events.components_changed, surroundings.executor,
                                                        *surroundings.timers)) {
  calls_.when_empty(surroundings.events.calls_ended);
  if (surroundings.timers == nullptr) return;
  deadlines_.emplace(
      *surroundings.timers, calls_, CallDeadlines::Times{.call = limits_.call_time},
      [this](const Call& late) { return words_for_late(late); },
      [this](std::uint64_t id, const Call& call) {
        if (calls_.find(id) != nullptr) owner_.end_overdue(id, call);  // it may have ended since it was looked at
      },
      [this] { return owner_.is_debugged(); });
}

std::string CallTable::words_for_late(const Call& late) {
  auto words = words_for_late_call(late, limits_);
  limit_reports_.reached(Limit::call_time, words);
  return words;
}

std::optional<std::uint64_t> CallTable::admit(const std::shared_ptr<Call>& call) {
  if (calls_.size() >= limits_.calls_in_flight) {
    const auto words = words_for_many_calls(limits_);
    limit_reports_.reached(Limit::calls_in_flight, words);
    mcph::refuse(*call, "plugin " + identity_.name + " is busy: " + words + "; try again later");
    return std::nullopt;
  }
  const auto id = calls_.add(call);
  if (deadlines_) deadlines_->call_began(*call);
  call->on_cancel([this, id](CancelReason reason) { cancel(id, reason); });
  if (call->claimed()) return std::nullopt;
  return id;
}

void CallTable::cancel(std::uint64_t id, CancelReason reason) {
  const auto call = calls_.find(id);
  if (call == nullptr) return;
  if (!call->claim()) return owner_.cancel_given(id, call, reason);
  // The plugin has never heard of it, and never will.
  {
    const MutexLock lock(mutex_);
    std::erase(waiting_, id);
  }
  if (calls_.take(id) != nullptr) refuse_cancelled(*call, reason, identity_, limits_);
}

void CallTable::wait(std::uint64_t id) {
  const MutexLock lock(mutex_);
  waiting_.push_back(id);
}

std::optional<CallTable::Admitted> CallTable::next_waiting() {
  const MutexLock lock(mutex_);
  while (!waiting_.empty()) {
    const auto id = waiting_.front();
    waiting_.pop_front();
    if (auto call = calls_.find(id)) return Admitted{id, std::move(call)};
  }
  return std::nullopt;
}

std::vector<CallTable::Admitted> CallTable::all_waiting() {
  std::vector<Admitted> all;
  while (auto next = next_waiting())
    all.push_back(*std::move(next));
  return all;
}

bool CallTable::complete(const Answer& answer, const RunCheck& run_check) {
  const auto& [id, outcome, text, by_worker, owner] = answer;
  const bool is_large = text.size() > limits_.result_bytes;
  const bool waits = !is_large && changes_ != nullptr && changes_->has_to_wait(text.size());
  if (!is_large && (waits || run_check)) return hold(answer, waits, run_check);
  const auto call = calls_.take_answered(id);
  if (call == nullptr) return false;
  call->on_cancel({});
  is_large ? refuse_large(*call, text.size()) : pass_on(*call, outcome, text, by_worker);
  return true;
}

bool CallTable::hold(const Answer& answer, bool waits, const RunCheck& run_check) {
  try {
    return try_to_hold(answer, waits, run_check);
  } catch (const std::exception& error) {
    // Nobody will pass it on, and no limit of time counts for a call that is held.
    auto call = calls_.take_held(answer.id);
    if (call == nullptr) call = calls_.take_answered(answer.id);
    if (call != nullptr) mcph::refuse(*call, words_for_lost_answer(error));
    return true;
  }
}

bool CallTable::try_to_hold(const Answer& answer, bool waits, const RunCheck& run_check) {
  const auto& [id, outcome, text, by_worker, owner] = answer;
  const auto call = calls_.hold_answered(id);
  if (call == nullptr) return false;
  call->on_cancel({});
  auto kept = std::pair(owner, text);
  if (owner == nullptr) {
    const auto own_text = std::make_shared<const std::string>(text);
    kept = {own_text, *own_text};
  }
  auto check =
      calls_.once_held(id, call, [this, number = outcome, kept = std::move(kept), from_worker = by_worker](Call& held) {
        pass_on(held, number, kept.second, from_worker);
      });
  if (run_check) check = [run_check, long_check = std::move(check)]() mutable { run_check(std::move(long_check)); };
  waits ? changes_->keep(text.size(), std::move(check)) : check();
  return true;
}

void CallTable::pass_on(Call& call, std::int32_t outcome, std::string_view text, bool by_worker) const {
  if (outcome < 0 || outcome > static_cast<std::int32_t>(Outcome::input_required)) {
    return mcph::refuse(
        call, "plugin " + identity_.name + " completed the call with the unknown outcome " + std::to_string(outcome));
  }
  try {
    by_worker ? call.refuse(std::string(text)) : call.complete(static_cast<Outcome>(outcome), text);
  } catch (const std::exception& error) {
    mcph::refuse(call, words_for_lost_answer(error));
  }
}

void CallTable::refuse_large(std::uint64_t id, std::size_t size) {
  const auto call = calls_.take_answered(id);
  if (call != nullptr) refuse_large(*call, size);
}

void CallTable::refuse_large(Call& call, std::size_t size) {
  const auto words = words_for_large_answer(size, limits_);
  limit_reports_.reached(Limit::result_bytes, "it " + words);
  mcph::refuse(call, "plugin " + identity_.name + " " + words);
}

void CallTable::refuse(std::uint64_t id, std::string_view what) {
  if (const auto call = calls_.take(id)) mcph::refuse(*call, "plugin " + identity_.name + std::string(what));
}

std::size_t CallTable::fail_all(std::string_view why) {
  const auto calls = calls_.give_up_all();
  const auto answered = calls_.take_all_held();  // the plugin has done its part of these
  refuse_all(calls, identity_, why);
  refuse_all(answered, identity_, why);
  return calls.size() + answered.size();
}

void CallTable::cancel_all(CancelReason reason) {
  for (const auto& call : calls_.all())
    call->cancel(reason);
}

void CallTable::components_changed() const {
  if (changes_ != nullptr) return changes_->changed();
  if (events_.components_changed) events_.components_changed(nullptr);
}

void CallTable::answered_wrongly(std::string why) {
  limit_reports_.answered_wrongly(why);
  calls_.failed(std::move(why));
}

}  // namespace mcph
