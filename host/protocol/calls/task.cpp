#include "protocol/calls/task.hpp"

#include <utility>

#include "base/json_text.hpp"
#include "base/time_text.hpp"
#include "protocol/calls/input_requests.hpp"
#include "protocol/request_record.hpp"

namespace mcph {
namespace {

constexpr std::chrono::milliseconds poll_interval{1000};

}  // namespace

void Task::limit(std::chrono::milliseconds patience, std::function<void()> too_long) {
  const MutexLock lock(mutex_);
  timer_ = timers_.after(patience, std::move(too_long));
}

bool Task::begin(std::string id, std::chrono::milliseconds lifetime, std::shared_ptr<MemoryBudget> memory) {
  const MutexLock lock(mutex_);
  if (settled_) return false;
  id_ = std::move(id);
  lifetime_ = lifetime;
  memory_ = std::move(memory);
  created_at_ = precise_time_text(std::chrono::system_clock::now());
  change(Status::working);
  return true;
}

bool Task::is_waiting() const {
  const MutexLock lock(mutex_);
  return status_ == Status::input_required;
}

bool Task::has_begun() const {
  const MutexLock lock(mutex_);
  return status_ != Status::not_yet;
}

void Task::announce(std::string_view meta) {
  std::shared_ptr<Exchange> client;
  std::string id;
  std::string result = R"({"resultType":"task","_meta":)" + std::string(meta) + ",";
  {
    const MutexLock lock(mutex_);
    client = std::move(client_);
    client_ = nullptr;
    id = id_;
    // What has happened meanwhile is for tasks/get to tell.
    const auto now = std::exchange(status_, Status::working);
    result += members();
    status_ = now;
  }
  hold_memory(client->hold_memory(nullptr));  // its call goes on
  if (is_waiting()) release_memory();         // as wait_for_input has done, perhaps before
  if (record_of_client_ != nullptr) record_of_client_->note({.outcome = "task", .task = std::move(id)});
  client->reply({result_response(request_id_, result + "}")});
}

void Task::say(std::string_view message) {
  const MutexLock lock(mutex_);
  if (is_over()) return;
  message_ = message;
  updated_at_ = precise_time_text(std::chrono::system_clock::now());
}

bool Task::wait_for_input(const OrderedJson& requests, unsigned round, std::size_t bytes, std::chrono::seconds patience,
                          Resume resume) {
  {
    const MutexLock lock(mutex_);
    if (status_ == Status::not_yet) {
      settled_ = true;
      return false;
    }
  }
  // Lets go of the plugin, before anybody can answer.
  on_abandon([] {});
  bool has_room = false;
  {
    const MutexLock lock(mutex_);
    if (is_over()) return true;
    has_room = keep_bytes(bytes + memory_of(requests));
    if (has_room) wait(requests, round, patience, std::move(resume));
  }
  release_memory();  // what is kept of the call has a bound of its own
  if (has_room) {
    tell();
  } else {
    stop(Status::failed, "There is no room to keep the call until it is answered: " + std::to_string(bytes) + " bytes",
         "error " + std::to_string(error_code::internal_error));
  }
  return true;
}

void Task::wait(const OrderedJson& requests, unsigned round, std::chrono::seconds patience, Resume resume) {
  for (const auto& [name, request] : requests.items()) {
    // A key never comes again in a task's life, although a plugin may ask the same again.
    const auto key = std::to_string(round) + "/" + name;
    requests_[key] = request;
    names_[key] = name;
  }
  resume_ = std::move(resume);
  change(Status::input_required);
  timer_ = timers_.after(patience, [weak = weak_from_this(), round, patience] {
    if (const auto self = weak.lock()) std::static_pointer_cast<Task>(self)->give_up(round, patience);
  });
}

void Task::give_up(unsigned round, std::chrono::seconds patience) {
  Resume resume;
  Json unused;  // let go of when the lock is gone
  std::string why;
  {
    const MutexLock lock(mutex_);
    if (requests_.empty() || !requests_.begin().key().starts_with(std::to_string(round) + "/")) return;
    why = words_for_no_answer(requests_, patience);
    resume = stop_asking(unused);
    change(Status::working);
  }
  resume(fail(why));
}

Task::Resume Task::stop_asking(Json& answers) {
  requests_.clear();
  names_.clear();
  answers = std::exchange(answers_, Json::object());
  return std::exchange(resume_, nullptr);
}

Result<> Task::update(const Json& responses) {
  const auto checked = check(responses);
  if (checked.has_error()) return checked.error();
  Resume resume;
  Json answers;
  std::size_t bytes = 0;
  for (const auto& key : *checked)
    bytes += memory_of(responses[key]);
  {
    const MutexLock lock(mutex_);
    if (status_ != Status::input_required) return {};
    if (!keep_bytes(kept_bytes_ + bytes))
      return fail("params.inputResponses: there is no room to keep them; send less, or try later");
    // No others: what has been asked since has not been checked.
    for (const auto& key : *checked) {
      if (requests_.erase(key) == 0) continue;
      answers_[names_[key].get<std::string>()] = responses[key];
      names_.erase(key);
    }
    if (requests_.empty()) {
      change(Status::working);
      resume = stop_asking(answers);
    }
  }
  tell();
  if (resume) resume(std::move(answers));
  return {};
}

Result<std::vector<std::string>> Task::check(const Json& responses) const {
  std::vector<std::string> keys;
  OrderedJson requests;
  {
    const MutexLock lock(mutex_);
    requests = requests_;
  }
  // Without the lock, because it may take a while.
  for (const auto& [key, response] : responses.items()) {
    const auto request = requests.find(key);
    if (request == requests.end()) continue;
    if (const auto mistake = mistake_in_answer(*request, response)) {
      return fail("params.inputResponses." + key + ": " + *mistake);
    }
    keys.push_back(key);
  }
  return keys;
}

void Task::cancel() {
  stop(Status::cancelled, {}, "cancelled");
}

void Task::expire() {
  stop(Status::failed, "The task's time is over", "expired");
}

void Task::stop(Status status, const std::string& why, std::string outcome) {
  Resume unused;  // let go of when the lock is gone
  Json answers;
  bool needs_record = false;
  {
    const MutexLock lock(mutex_);
    if (is_over()) return;
    needs_record = !std::exchange(has_record_, true) && record_of_client_ != nullptr;
    unused = stop_asking(answers);
    room_ = {};
    status == Status::failed ? fail_with(why) : change(status);
  }
  tell();
  abandon();
  if (needs_record) record_of_client_->abandoned(std::move(outcome));
}

std::string Task::json() const {
  const MutexLock lock(mutex_);
  return members();
}

bool Task::listen(const std::weak_ptr<TaskListener>& listener) {
  const MutexLock lock(mutex_);
  std::erase_if(listeners_, [](const auto& each) { return each.expired(); });
  if (listeners_.size() >= max_listeners) return false;
  listeners_.push_back(listener);
  return true;
}

// A task has no notifications of what its call says (SEP-2663, "Task Status Notifications").
void Task::send(std::string message) {
  const MutexLock lock(mutex_);
  if (client_ != nullptr) client_->notify(std::move(message));
}

void Task::send_if_room(std::string message) {
  const MutexLock lock(mutex_);
  if (client_ != nullptr) client_->notify_if_room(std::move(message));
}

void Task::finish(Reply reply) {
  std::shared_ptr<Exchange> client;
  // The client may have left at the very moment at which its call became a task, as its own record says.
  const bool needs_record = record_of_client_ != nullptr && !reply.body.empty();
  {
    const MutexLock lock(mutex_);
    timers_.cancel(timer_);
    settled_ = true;
    if (is_over()) return;
    if (status_ == Status::not_yet) {
      client = client_;
    } else if (needs_record) {
      has_record_ = true;
    } else {
      keep(reply);
    }
  }
  if (client != nullptr) return client->reply(std::move(reply));
  if (!needs_record) return tell();
  const auto self = std::static_pointer_cast<Task>(shared_from_this());
  record_of_client_->end(std::move(reply), [self](const Reply& recorded) {
    {
      const MutexLock lock(self->mutex_);
      if (self->is_over()) return;
      self->keep(recorded);
    }
    self->tell();
  });
}

void Task::keep(const Reply& reply) {
  if (reply.body.empty()) return change(Status::cancelled);
  // Many may wait for this thread, so that it reads no long text.
  const auto [outcome, error] = answer_in(reply.body);
  if (!keep_bytes(outcome.size())) {
    room_ = {};
    return fail_with("The result has " + std::to_string(outcome.size()) + " bytes, and results of tasks may have " +
                     std::to_string(memory_->limit()) + " together");
  }
  outcome_ = outcome;
  if (!error.empty()) message_ = read_json(error).get<std::string>();
  change(error.empty() ? Status::completed : Status::failed);
}

void Task::fail_with(const std::string& why) {
  message_ = why;
  outcome_ = dump(Json{{"code", error_code::internal_error}, {"message", why}});
  change(Status::failed);
}

bool Task::keep_bytes(std::size_t bytes) {
  if (!room_.grow(memory_, bytes)) return false;
  room_.shrink(bytes);
  kept_bytes_ = bytes;
  return true;
}

bool Task::is_over() const {
  return status_ == Status::completed || status_ == Status::failed || status_ == Status::cancelled;
}

void Task::change(Status status) {
  timers_.cancel(timer_);
  status_ = status;
  updated_at_ = precise_time_text(std::chrono::system_clock::now());
  // What the plugin has said of its way is not true of the end.
  if (status == Status::completed || status == Status::cancelled) message_.clear();
}

std::string Task::members() const {
  constexpr std::string_view names[] = {"", "working", "input_required", "completed", "failed", "cancelled"};
  std::string text = R"("taskId":")" + id_ + R"(","status":")" + std::string(names[static_cast<int>(status_)]) +
                     R"(","createdAt":")" + created_at_ + R"(","lastUpdatedAt":")" + updated_at_ + R"(","ttlMs":)" +
                     std::to_string(lifetime_.count()) + R"(,"pollIntervalMs":)" +
                     std::to_string(poll_interval.count());
  if (!message_.empty()) {
    text += R"(,"statusMessage":)";
    append_json_string(text, message_);
  }
  if (status_ == Status::input_required) text += R"(,"inputRequests":)" + dump(requests_);
  if (status_ == Status::completed) text += R"(,"result":)" + outcome_;
  if (status_ == Status::failed) text += R"(,"error":)" + outcome_;
  return text;
}

void Task::tell() {
  const MutexLock telling(telling_);
  std::string task;
  std::vector<std::weak_ptr<TaskListener>> listeners;
  {
    const MutexLock lock(mutex_);
    if (listeners_.empty()) return;
    task = members();
    listeners = listeners_;
  }
  for (const auto& weak : listeners) {
    if (const auto listener = weak.lock()) listener->task_changed(*this, task);
  }
}

}  // namespace mcph
