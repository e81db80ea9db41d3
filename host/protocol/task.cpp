#include "protocol/task.hpp"

#include <cstdio>
#include <ctime>
#include <utility>

#include "json_text.hpp"
#include "protocol/input_requests.hpp"

namespace mcph {
namespace {

constexpr std::chrono::milliseconds poll_interval{1000};

// ISO 8601, in UTC, to the millisecond.
std::string timestamp() {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::system_clock::to_time_t(now);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[sizeof "9999-12-31T23:59:59.999Z"];
  const auto size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text + size, sizeof text - size, ".%03dZ", static_cast<int>(rest));
  return text;
}

}  // namespace

void Task::limit(Timers& timers, std::chrono::milliseconds patience, std::function<void()> too_long) {
  const std::lock_guard lock(mutex_);
  timers_ = &timers;
  timer_ = timers.after(patience, std::move(too_long));
}

bool Task::begin(std::string id, std::chrono::milliseconds lifetime) {
  const std::lock_guard lock(mutex_);
  if (settled_) return false;
  id_ = std::move(id);
  lifetime_ = lifetime;
  created_at_ = timestamp();
  change(Status::working);
  return true;
}

void Task::announce(std::string_view meta) {
  std::shared_ptr<Exchange> client;
  std::string result = R"({"resultType":"task","_meta":)" + std::string(meta) + ",";
  {
    const std::lock_guard lock(mutex_);
    client = std::move(client_);
    client_ = nullptr;
    // What has happened meanwhile is for tasks/get to tell.
    const auto now = std::exchange(status_, Status::working);
    result += members();
    status_ = now;
  }
  client->reply({result_response(request_id_, result + "}")});
}

bool Task::wait_for_input(const Json& requests, unsigned round, Resume resume) {
  {
    const std::lock_guard lock(mutex_);
    if (status_ == Status::not_yet) {
      settled_ = true;
      return false;
    }
    if (is_over()) return true;
    for (const auto& [name, request] : requests.items()) {
      // A key never comes again in a task's life, although a plugin may ask the same again.
      const auto key = std::to_string(round) + "/" + name;
      requests_[key] = request;
      names_[key] = name;
    }
    resume_ = std::move(resume);
    change(Status::input_required);
  }
  // Lets go of the plugin.
  on_abandon([] {});
  tell();
  return true;
}

Result<> Task::update(const Json& responses) {
  Resume resume;
  Json answers;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, response] : responses.items()) {
      const auto request = requests_.find(key);
      if (request == requests_.end()) continue;
      if (const auto mistake = mistake_in_answer(*request, response)) {
        return fail("params.inputResponses." + key + ": " + *mistake);
      }
    }
    for (const auto& [key, response] : responses.items()) {
      if (requests_.erase(key) > 0) answers_[names_[key].get<std::string>()] = response;
    }
    if (status_ != Status::input_required) return {};
    if (requests_.empty()) {
      change(Status::working);
      resume = std::move(resume_);
      answers = std::exchange(answers_, Json::object());
    }
  }
  tell();
  if (resume) resume(std::move(answers));
  return {};
}

void Task::cancel() {
  stop(Status::cancelled, {});
}

void Task::expire() {
  stop(Status::failed, R"({"code":-32603,"message":"The task's time is over"})");
}

void Task::stop(Status status, std::string error) {
  Resume unused;  // let go of when the lock is gone
  {
    const std::lock_guard lock(mutex_);
    if (is_over()) return;
    outcome_ = std::move(error);
    requests_.clear();
    unused = std::move(resume_);
    change(status);
  }
  tell();
  abandon();
}

std::string Task::json() const {
  const std::lock_guard lock(mutex_);
  return members();
}

void Task::listen(const std::weak_ptr<TaskListener>& listener) {
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [](const auto& each) { return each.expired(); });
  listeners_.push_back(listener);
}

void Task::send(std::string message) {
  const std::lock_guard lock(mutex_);
  if (client_ != nullptr) return client_->notify(std::move(message));
  // Tasks have no notifications of their own for it (SEP-2663, "Task Status Notifications"), but a place for the words.
  const auto params = Json::parse(message).value("params", Json::object());
  if (params.contains("progress")) message_ = params.value("message", message_);
}

void Task::send_if_room(std::string message) {
  {
    const std::lock_guard lock(mutex_);
    if (client_ != nullptr) return client_->notify_if_room(std::move(message));
  }
  send(std::move(message));
}

void Task::finish(Reply reply) {
  std::shared_ptr<Exchange> client;
  {
    const std::lock_guard lock(mutex_);
    if (timers_ != nullptr) timers_->cancel(timer_);
    settled_ = true;
    if (status_ == Status::not_yet) {
      client = client_;
    } else if (!is_over()) {
      keep(reply);
    }
  }
  if (client != nullptr) return client->reply(std::move(reply));
  tell();
}

void Task::keep(const Reply& reply) {
  // The client left at the very moment at which its call became a task.
  if (reply.body.empty()) return change(Status::cancelled);
  const auto message = Json::parse(reply.body);
  const bool failed = message.contains("error");
  outcome_ = dump(message[failed ? "error" : "result"]);
  change(failed ? Status::failed : Status::completed);
}

bool Task::is_over() const {
  return status_ == Status::completed || status_ == Status::failed || status_ == Status::cancelled;
}

void Task::change(Status status) {
  status_ = status;
  updated_at_ = timestamp();
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

void Task::tell() const {
  std::string task;
  std::vector<std::weak_ptr<TaskListener>> listeners;
  {
    const std::lock_guard lock(mutex_);
    if (listeners_.empty()) return;
    task = members();
    listeners = listeners_;
  }
  for (const auto& weak : listeners) {
    if (const auto listener = weak.lock()) listener->task_changed(task);
  }
}

}  // namespace mcph
