#include "protocol/state/pending_input_requests.hpp"

#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/json_text.hpp"
#include "protocol/calls/input_requests.hpp"

namespace mcph {
namespace {

std::string request_text(const std::string& id, const OrderedJson& request) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":)" + dump(request["method"]) + R"(,"params":)" +
         dump(request["params"]) + "}";
}

// Why a response does not answer the request; nothing if it does.
std::optional<PendingInputRequests::NoAnswers> failure_of(const OrderedJson& request, const Message& response) {
  const auto& method = request["method"].get_ref<const std::string&>();
  if (response.is_error) {
    PendingInputRequests::NoAnswers failure{.why = "The client refused " + method};
    const auto code = response.answer.find("code").json();
    const auto message = response.answer.find("message").json();
    if (code.is_number_integer() && std::in_range<int>(code.get<std::int64_t>())) failure.code = code;
    if (!message.is_string()) return failure;
    failure.message = message;
    failure.why += ": " + failure.message;
    return failure;
  }
  auto mistake = mistake_in_answer(request, response.answer.json());
  if (!mistake) return std::nullopt;
  return PendingInputRequests::NoAnswers{"The client answered " + method +
                                         " with something invalid: " + *std::move(mistake)};
}

}  // namespace

std::uint64_t PendingInputRequests::ask(const OrderedJson& requests, const std::shared_ptr<Exchange>& exchange,
                                        Timers& timers, std::chrono::milliseconds patience, Room room, Done done) {
  std::shared_ptr<Round> round;  // let go of when the lock is gone
  MutexLock lock(mutex_);
  if (auto refusal = refusal_of(requests.size()); !refusal.empty()) {
    lock.unlock();
    done(NoAnswers{std::move(refusal)});
    return 0;
  }
  const auto number = ++last_round_;
  round = std::make_shared<Round>(Round{.requests = requests,
                                        .exchange = exchange,
                                        .room = std::move(room),
                                        .timers = &timers,
                                        .timer = {},
                                        .done = std::move(done)});
  rounds_.emplace(number, round);
  std::vector<std::string> messages;
  try {
    for (const auto& [name, request] : requests.items()) {
      const auto id = std::to_string(++last_id_);
      round->open.emplace(id, name);
      rounds_by_id_.emplace(id, number);
      messages.push_back(request_text(id, request));
    }
  } catch (const std::bad_alloc&) {
    remove(number);
    throw;
  }
  lock.unlock();
  try {
    send(number, std::move(messages), *round, patience);
  } catch (const std::bad_alloc&) {
    finish(number, NoAnswers{"The server has no memory left to ask the client"});
  }
  return number;
}

void PendingInputRequests::send(std::uint64_t number, std::vector<std::string> messages, const Round& round,
                                std::chrono::milliseconds patience) {
  round.exchange->on_abandon([weak = weak_from_this(), number] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    std::shared_ptr<Round> unused;  // let go of when the lock is gone
    const MutexLock lock(self->mutex_);
    unused = self->remove(number);
  });
  for (auto& message : messages)
    round.exchange->notify(std::move(message));
  // The client's time begins when all has been sent. That may have been answered by now.
  const MutexLock lock(mutex_);
  if (const auto found = rounds_.find(number); found != rounds_.end()) {
    found->second->timer = round.timers->after(
        patience, [weak = weak_from_this(), number, why = words_for_no_answer(round.requests, patience)] {
          if (const auto self = weak.lock()) self->finish(number, NoAnswers{why});
        });
  }
}

void PendingInputRequests::withdraw(std::uint64_t number) {
  Answers answers;
  {
    const MutexLock lock(mutex_);
    const auto found = rounds_.find(number);
    if (found == rounds_.end()) return;
    answers = found->second->answers;
  }
  finish(number, std::move(answers));
}

std::string PendingInputRequests::refusal_of(std::size_t more) const {
  if (rounds_by_id_.size() + more <= max_open) return ended_;
  return "This client has " + std::to_string(rounds_by_id_.size()) + " requests to answer, of at most " +
         std::to_string(max_open) + ", and this call asks " + std::to_string(more) +
         " more; try again when it has answered some";
}

void PendingInputRequests::take(const Message& response) {
  const auto request = request_of(response.id);
  if (request.is_null()) return;
  // Without the lock, because it may take a while.
  if (response.answer.values() > max_answer_values)
    return refuse_answer(response.id, "has more than " + std::to_string(max_answer_values) + " values");
  if (auto failure = failure_of(request, response)) return fail(response.id, *std::move(failure));
  auto answer = response.answer.json();
  const auto bytes = memory_of(answer);
  std::uint64_t number = 0;
  Answers result;
  {
    const MutexLock lock(mutex_);
    const auto found = rounds_by_id_.find(response.id);
    if (found == rounds_by_id_.end()) return;
    number = found->second;
    auto& round = *rounds_.at(number);
    const auto name = close(found);
    if (round.room.keep(bytes)) {
      round.answers[name] = std::move(answer);
      if (!round.open.empty()) return;
      result = std::move(round.answers);
    } else {
      result = NoAnswers{round.room.none};
    }
  }
  finish(number, std::move(result));
}

void PendingInputRequests::refuse_answer(const std::string& id, const std::string& why) {
  const auto request = request_of(id);
  if (request.is_null()) return;
  fail(id, {"The client's answer to " + request["method"].get<std::string>() + " " + why});
}

void PendingInputRequests::fail(const std::string& id, NoAnswers why) {
  std::uint64_t number = 0;
  {
    const MutexLock lock(mutex_);
    const auto found = rounds_by_id_.find(id);
    if (found == rounds_by_id_.end()) return;
    number = found->second;
    close(found);
  }
  finish(number, std::move(why));
}

std::string PendingInputRequests::close(NumbersById::iterator request) {
  auto& open = rounds_.at(request->second)->open;
  auto name = std::move(open.at(request->first));
  open.erase(request->first);
  rounds_by_id_.erase(request);
  return name;
}

OrderedJson PendingInputRequests::request_of(const std::string& id) const {
  const MutexLock lock(mutex_);
  const auto found = rounds_by_id_.find(id);
  if (found == rounds_by_id_.end()) return nullptr;
  const auto& round = *rounds_.at(found->second);
  return round.requests[round.open.at(id)];
}

void PendingInputRequests::end(const std::string& why) {
  std::vector<std::uint64_t> open;
  {
    const MutexLock lock(mutex_);
    ended_ = why;
    for (const auto& [number, round] : rounds_)
      open.push_back(number);
  }
  for (const auto number : open)
    finish(number, NoAnswers{why});
}

bool PendingInputRequests::any() const {
  const MutexLock lock(mutex_);
  return !rounds_.empty();
}

void PendingInputRequests::finish(std::uint64_t number, Answers answers) {
  std::shared_ptr<Round> round;
  {
    const MutexLock lock(mutex_);
    round = remove(number);
  }
  if (round == nullptr) return;
  try {
    for (const auto& [id, name] : round->open)
      round->exchange->notify(notification(Method::notifications_cancelled, R"({"requestId":)" + id + "}"));
  } catch (const std::bad_alloc&) {
    // The call ends all the same, and an answer that comes late is ignored.
  }
  round->done(std::move(answers));
}

std::shared_ptr<PendingInputRequests::Round> PendingInputRequests::remove(std::uint64_t number) {
  const auto found = rounds_.find(number);
  if (found == rounds_.end()) return nullptr;
  auto round = std::move(found->second);
  rounds_.erase(found);
  for (const auto& [id, name] : round->open)
    rounds_by_id_.erase(id);
  round->timers->cancel(round->timer);
  return round;
}

}  // namespace mcph
