#include "dashboard/recent_calls.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/json.hpp"
#include "base/utf8.hpp"
#include "protocol/caller.hpp"

namespace mcph {
namespace {

std::string text_of(std::string_view text) {
  return std::string(utf8_prefix(text, RecentCalls::max_text_bytes));
}

std::string client_of(const Caller& caller) {
  if (!caller.client.is_object()) return {};
  std::string words;
  for (const auto* const member : {"name", "version"}) {
    const auto found = caller.client.find(member);
    if (found == caller.client.end() || !found->is_string()) continue;
    words.append(words.empty() ? "" : " ").append(found->get_ref<const std::string&>());
  }
  return text_of(words);
}

RecentCall recent_call_of(const CallEnd& end) {
  const auto& call = end.call;
  return {.at = std::chrono::system_clock::now() -
                std::chrono::duration_cast<std::chrono::system_clock::duration>(end.took),
          .took = std::chrono::duration_cast<std::chrono::microseconds>(end.took),
          .method = call.method ? std::string(name_of(*call.method)) : text_of(call.unknown_method),
          .component = text_of(call.component),
          .plugin = text_of(call.plugin),
          .who = text_of(call.principal.id()),
          .client = call.caller == nullptr ? std::string() : client_of(*call.caller),
          .revision = call.caller == nullptr ? std::string() : text_of(call.caller->protocol_version),
          .transport = call.transport,
          .outcome = end.outcome,
          .error_code = end.error_code,
          .params_bytes = call.params_bytes,
          .answer_bytes = end.answer.size()};
}

void keep_call(std::deque<RecentCall>& calls, RecentCall call, std::size_t most) {
  if (calls.size() >= most) calls.pop_front();
  calls.push_back(std::move(call));
}

// The first of those that have come after it.
auto first_after(const std::deque<RecentCall>& calls, std::uint64_t seen) {
  return std::ranges::upper_bound(calls, seen, {}, &RecentCall::number);
}

}  // namespace

void RecentCalls::ended(const CallEnd& end) {
  auto call = recent_call_of(end);
  CallBodies bodies;
  if (keeps_bodies_)
    bodies = {.plugin = call.plugin,
              .params = std::string(utf8_prefix(end.call.params, max_body_bytes)),
              .answer = std::string(utf8_prefix(end.answer, max_body_bytes))};
  const MutexLock lock(mutex_);
  call.number = bodies.number = ++last_;
  if (keeps_bodies_) keep_bodies(std::move(bodies));
  if (!call.plugin.empty()) count(call.plugin, call.took);
  if (call.is_notable()) keep_call(notable_, call, notable_calls);
  keep_call(all_, std::move(call), most_);
}

void RecentCalls::count(std::string_view plugin, std::chrono::microseconds took) {
  auto found = times_.find(plugin);
  if (found == times_.end()) {
    if (times_.size() >= max_plugins) return;
    found = times_.emplace(std::string(plugin), Histogram{}).first;
  }
  constexpr int first_bits = 3;
  const auto bits =
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0))));
  const auto bucket = static_cast<std::size_t>(std::max(bits - first_bits, 0));
  ++found->second[std::min(bucket, found->second.size() - 1)];
}

RecentCalls::Histogram RecentCalls::times_of(std::string_view plugin) const {
  const MutexLock lock(mutex_);
  const auto found = times_.find(plugin);
  return found == times_.end() ? Histogram{} : found->second;
}

void RecentCalls::keep_bodies(CallBodies bodies) {
  const auto bytes_of = [](const CallBodies& each) { return each.params.size() + each.answer.size(); };
  bodies_bytes_ += bytes_of(bodies);
  bodies_.push_back(std::move(bodies));
  while (bodies_.size() > most_ || bodies_bytes_ > max_bodies_bytes) {
    bodies_bytes_ -= bytes_of(bodies_.front());
    bodies_.pop_front();
  }
}

std::optional<CallBodies> RecentCalls::bodies_of(std::uint64_t number) const {
  const MutexLock lock(mutex_);
  const auto found = std::ranges::lower_bound(bodies_, number, {}, &CallBodies::number);
  if (found == bodies_.end() || found->number != number) return std::nullopt;
  return *found;
}

RecentCalls::News RecentCalls::since(std::uint64_t seen, std::size_t most) const {
  const MutexLock lock(mutex_);
  News news{.last = last_};
  auto first = first_after(all_, seen);
  if (const auto count = static_cast<std::size_t>(all_.end() - first); count > most)
    first += static_cast<std::ptrdiff_t>(count - most);
  const auto from = first == all_.end() ? last_ + 1 : first->number;
  for (auto notable = first_after(notable_, seen); notable != notable_.end() && notable->number < from; ++notable)
    news.calls.push_back(*notable);
  news.calls.insert(news.calls.end(), first, all_.end());
  news.left_out = last_ - std::min(seen, last_) - news.calls.size();
  return news;
}

}  // namespace mcph
