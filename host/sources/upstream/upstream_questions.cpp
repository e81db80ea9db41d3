#include "sources/upstream/upstream_questions.hpp"

#include <algorithm>
#include <string_view>

#include "base/json_text.hpp"
#include "base/random_bytes.hpp"

namespace mcph {
namespace {

// A caller of whom nothing is known, as Call::caller has it: that may be anybody.
constexpr std::string_view nobody = "{}";
constexpr std::size_t key_bytes = 16;
constexpr std::string_view key_begin = "upstream-";

std::string new_question_key() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string key(key_begin);
  for (const char c : random_bytes(key_bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    key += digits[byte >> 4];
    key += digits[byte & 0xF];
  }
  return key;
}

constexpr std::size_t key_size = key_begin.size() + 2 * key_bytes;

// Both parts of a name; without a key it is none of these.
std::pair<std::string, std::string> parts_of(const std::string& name) {
  if (!name.starts_with(key_begin) || name.size() <= key_size || name[key_size] != '.') return {};
  return {name.substr(0, key_size), name.substr(key_size + 1)};
}

}  // namespace

std::optional<std::string> UpstreamQuestions::ask(AskedQuestions questions, Clock::time_point now) {
  const auto key = new_question_key();
  auto requests = OrderedJson::object();
  for (const auto& [name, request] : questions.requests.items())
    requests[key + "." + name] = OrderedJson::parse(dump(request));
  const OrderedJson asked = {{"inputRequests", std::move(requests)}};
  const MutexLock lock(mutex_);
  if (open_.size() >= max_open) return std::nullopt;
  const auto is_theirs = [&](const auto& each) { return each.second.questions.caller == questions.caller; };
  if (questions.caller != nobody &&
      std::ranges::count_if(open_, is_theirs) >= static_cast<std::ptrdiff_t>(max_open_of_caller))
    return std::nullopt;
  open_.emplace(key, Open{std::move(questions), now + time});
  return dump(asked);
}

std::optional<UpstreamQuestions::Answered> UpstreamQuestions::take(const Json& input_responses,
                                                                   const std::string& caller, bool& is_lost) {
  is_lost = false;
  if (!input_responses.is_object()) return std::nullopt;
  const MutexLock lock(mutex_);
  for (const auto& [name, answer] : input_responses.items()) {
    const auto key = parts_of(name).first;
    if (key.empty()) continue;
    is_lost = true;
    const auto found = open_.find(key);
    if (found == open_.end() || found->second.questions.caller != caller) continue;
    Answered answered{std::move(found->second.questions), Json::object()};
    open_.erase(found);
    for (const auto& [each, value] : input_responses.items()) {
      if (auto [its_key, its_name] = parts_of(each); its_key == key) answered.answers[its_name] = value;
    }
    is_lost = false;
    return answered;
  }
  return std::nullopt;
}

std::vector<AskedQuestions> UpstreamQuestions::take_expired(Clock::time_point now) {
  std::vector<AskedQuestions> expired;
  const MutexLock lock(mutex_);
  std::erase_if(open_, [&](auto& each) {
    if (now < each.second.until) return false;
    expired.push_back(std::move(each.second.questions));
    return true;
  });
  return expired;
}

void UpstreamQuestions::drop_requests() {
  const MutexLock lock(mutex_);
  std::erase_if(open_, [](const auto& each) { return each.second.questions.request != 0; });
}

bool UpstreamQuestions::is_empty() const {
  const MutexLock lock(mutex_);
  return open_.empty();
}

}  // namespace mcph
