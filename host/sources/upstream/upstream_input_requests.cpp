#include "sources/upstream/upstream_input_requests.hpp"

#include <utility>

#include "base/base64.hpp"
#include "base/json_text.hpp"
#include "base/random_bytes.hpp"

namespace mcph {
namespace {

constexpr std::size_t key_bytes = 16;

}  // namespace

bool UpstreamInputRequests::has_place_for(const AskedInputRequests& input_requests, std::size_t bytes) const {
  if (open_.size() >= max_open || bytes_ + bytes > max_bytes) return false;
  std::size_t theirs = 0;
  std::size_t on_streams = 0;
  std::size_t theirs_on_streams = 0;
  for (const auto& [key, open] : open_) {
    const bool is_theirs = open.input_requests.caller == input_requests.caller;
    const bool is_on_stream = open.input_requests.is_on_stream;
    if (is_theirs) ++theirs;
    if (is_on_stream) ++on_streams;
    if (is_theirs && is_on_stream) ++theirs_on_streams;
  }
  // That may be anybody.
  const bool is_nobody = input_requests.caller.empty();
  if (theirs >= (is_nobody ? max_open_of_nobody : max_open_of_caller)) return false;
  if (!input_requests.is_on_stream) return true;
  return on_streams < max_on_streams &&
         theirs_on_streams < (is_nobody ? max_on_streams_of_nobody : max_on_streams_of_caller);
}

std::optional<std::string> UpstreamInputRequests::ask(AskedInputRequests input_requests, Clock::time_point now) {
  const auto key = base64url_encode(random_bytes(key_bytes));
  const OrderedJson asked = {{"inputRequests", input_requests.requests}, {"inputState", key}};
  auto text = dump(asked);
  const auto bytes = memory_of(input_requests.requests) +
                     (input_requests.request_state ? input_requests.request_state->size() : 0) +
                     (input_requests.without_visits ? input_requests.without_visits->size() : 0);
  const MutexLock lock(mutex_);
  if (!has_place_for(input_requests, bytes)) return std::nullopt;
  bytes_ += bytes;
  open_.emplace(key, Open{std::move(input_requests), now + time, bytes});
  return text;
}

std::optional<UpstreamInputRequests::Answered> UpstreamInputRequests::take(const std::string& input_state,
                                                                           const Json& input_responses,
                                                                           const std::vector<std::string>& caller) {
  const MutexLock lock(mutex_);
  const auto found = open_.find(input_state);
  if (found == open_.end() || found->second.input_requests.caller != caller) return std::nullopt;
  Answered answered{std::move(found->second.input_requests), Json::object()};
  bytes_ -= found->second.bytes;
  open_.erase(found);
  for (const auto& [name, request] : answered.input_requests.requests.items()) {
    if (const auto answer = input_responses.find(name); answer != input_responses.end())
      answered.answers[name] = *answer;
  }
  return answered;
}

std::optional<AskedInputRequests> UpstreamInputRequests::drop(const std::string& input_state) {
  const MutexLock lock(mutex_);
  const auto found = open_.find(input_state);
  if (found == open_.end()) return std::nullopt;
  bytes_ -= found->second.bytes;
  return std::move(open_.extract(found).mapped().input_requests);
}

bool UpstreamInputRequests::are_of_request(const std::string& input_state) const {
  const MutexLock lock(mutex_);
  const auto found = open_.find(input_state);
  return found != open_.end() && found->second.input_requests.request != 0;
}

std::function<void()> UpstreamInputRequests::withdraw(std::uint64_t connection, const Json& id) {
  const MutexLock lock(mutex_);
  for (auto& [key, open] : open_) {
    auto& input_requests = open.input_requests;
    if (input_requests.connection != connection) continue;
    if (std::erase_if(input_requests.ids, [&](const auto& each) { return each.second == id; }) == 0) continue;
    return input_requests.ids.empty() ? std::exchange(open.withdrawn, nullptr) : nullptr;
  }
  return nullptr;
}

UpstreamInputRequests::Withdrawn UpstreamInputRequests::withdraw_all(std::uint64_t connection, std::uint64_t request) {
  Withdrawn withdrawn;
  const MutexLock lock(mutex_);
  for (auto& [key, open] : open_) {
    auto& input_requests = open.input_requests;
    if (input_requests.connection != connection || input_requests.request != request) continue;
    for (const auto& [name, id] : std::exchange(input_requests.ids, {}))
      withdrawn.ids.push_back(id);
    withdrawn.told = std::exchange(open.withdrawn, nullptr);
  }
  return withdrawn;
}

void UpstreamInputRequests::end_stream(std::uint64_t connection, std::uint64_t request) {
  const MutexLock lock(mutex_);
  for (auto& [key, open] : open_) {
    auto& input_requests = open.input_requests;
    if (input_requests.connection == connection && input_requests.request == request)
      input_requests.is_on_stream = false;
  }
}

void UpstreamInputRequests::watch(const std::string& input_state, const std::function<void()>& told) {
  {
    const MutexLock lock(mutex_);
    const auto found = open_.find(input_state);
    if (found == open_.end() || found->second.input_requests.request == 0) return;
    if (!found->second.input_requests.ids.empty()) {
      found->second.withdrawn = told;
      return;
    }
  }
  told();
}

std::vector<AskedInputRequests> UpstreamInputRequests::take_expired(Clock::time_point now) {
  std::vector<AskedInputRequests> expired;
  std::size_t bytes = 0;
  const MutexLock lock(mutex_);
  std::erase_if(open_, [&](auto& each) {
    if (now < each.second.until) return false;
    bytes += each.second.bytes;
    expired.push_back(std::move(each.second.input_requests));
    return true;
  });
  bytes_ -= bytes;
  return expired;
}

void UpstreamInputRequests::drop_requests() {
  std::size_t bytes = 0;
  const MutexLock lock(mutex_);
  std::erase_if(open_, [&](const auto& each) {
    if (each.second.input_requests.request == 0) return false;
    bytes += each.second.bytes;
    return true;
  });
  bytes_ -= bytes;
}

}  // namespace mcph
