// One tool call that can become a task (SEP-2663, extension io.modelcontextprotocol/tasks). At first it only passes on
// what the call says to the client that waits. When it becomes a task, the client's request ends with the task's id;
// from then on the call's result is kept here, and so is what its plugin asks, until the client fetches it. Shared by
// the table of tasks and the call; any thread. It has many members, because a call, its client and its plugin each see
// it from another side.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "protocol/exchange.hpp"
#include "protocol/message.hpp"
#include "runtime/memory_budget.hpp"
#include "runtime/timers.hpp"

namespace mcph {

class Task;

class TaskListener {
 public:
  virtual ~TaskListener() = default;
  // `json` is a DetailedTask: the inside of a JSON object.
  virtual void task_changed(const Task& task, const std::string& json) = 0;
};

class Task final : public Exchange {
 public:
  static constexpr std::size_t max_listeners = 100;

  // Begins the call again with the client's answers, or ends it because it has none.
  using Resume = std::function<void(Result<Json> answers)>;

  // Of a call of this tool. `request_id` is that of the client's request, as JSON text. The timers outlive the task.
  Task(Timers& timers, std::shared_ptr<Exchange> client, std::string request_id, Principal principal,
       std::string tool = {})
      : timers_(timers),
        principal_(std::move(principal)),
        tool_(std::move(tool)),
        request_id_(std::move(request_id)),
        record_of_client_(client->record()),
        client_(std::move(client)) {}

  const Principal& principal() const { return principal_; }
  const std::string& tool() const { return tool_; }
  const std::shared_ptr<RequestRecord>& record() const override { return record_of_client_; }

  // Calls `too_long` unless the call ends before.
  void limit(std::chrono::milliseconds patience, std::function<void()> too_long);

  // From now on it is a task, whose result has its room in `memory`, as its call has once it has asked its client.
  // False, and nothing happens, if the call has ended or has asked its client.
  bool begin(std::string id, std::chrono::milliseconds lifetime, std::shared_ptr<MemoryBudget> memory);
  // Ends the client's request with the new task. `meta` is the result's.
  void announce(std::string_view meta);

  // What the call says of its progress, which a task shows.
  void say(std::string_view message);

  // Takes over what the call's plugin asks, {name: {"method", "params"}}. False if it is no task: then it will not
  // become one, and the client is to be asked in another way. `bytes` is what the call takes from then on; where there
  // is no room for so much, the task fails. A client that has not answered all within `patience` is waited for no
  // longer. Each `round` has a number of its own.
  bool wait_for_input(const OrderedJson& requests, unsigned round, std::size_t bytes, std::chrono::seconds patience,
                      Resume resume);
  // Takes what the client answers to some or all of it; the rest is ignored. An error says what is wrong with one.
  Result<> update(const Json& responses);

  // Ends it, and cancels the call. Nothing if it has ended.
  void cancel();
  // The same for one whose time is over.
  void expire();

  // Whether the call has become a task.
  bool has_begun() const;

  // A DetailedTask: the inside of a JSON object.
  std::string json() const;

  // Held weakly. False: it has as many as it may.
  bool listen(const std::weak_ptr<TaskListener>& listener);

 private:
  enum class Status { not_yet, working, input_required, completed, failed, cancelled };

  void send(std::string message) override;
  void send_if_room(std::string message) override;
  void finish(Reply reply) override;

  void stop(Status status, const std::string& why, std::string outcome);
  // Ends the call if the answers of that round are still waited for.
  void give_up(unsigned round, std::chrono::seconds patience);
  // What went on with the answers, which it gives away.
  Resume stop_asking(Json& answers) REQUIRES(mutex_);
  // What it keeps from now on. False, and nothing happens, if there is no room for so much.
  bool keep_bytes(std::size_t bytes) REQUIRES(mutex_);
  // The keys of those that are outstanding, or what is wrong with one of them.
  Result<std::vector<std::string>> check(const Json& responses) const;
  void wait(const OrderedJson& requests, unsigned round, std::chrono::seconds patience, Resume resume) REQUIRES(mutex_);
  bool is_over() const REQUIRES(mutex_);
  bool is_waiting() const;
  void change(Status status) REQUIRES(mutex_);
  void keep(const Reply& reply) REQUIRES(mutex_);
  void fail_with(const std::string& why) REQUIRES(mutex_);
  std::string members() const REQUIRES(mutex_);

  // Tells the listeners what is, one change after the other.
  void tell() EXCLUDES(telling_, mutex_);

  Timers& timers_;
  const Principal principal_;
  const std::string tool_;
  const std::string request_id_;
  const std::shared_ptr<RequestRecord> record_of_client_;  // kept with the client's answer, and once more at the end

  Mutex telling_ ACQUIRED_BEFORE(mutex_);
  mutable Mutex mutex_;
  std::shared_ptr<Exchange> client_ GUARDED_BY(mutex_);  // null once it is a task
  Status status_ GUARDED_BY(mutex_) = Status::not_yet;
  bool settled_ GUARDED_BY(mutex_) = false;     // it will not become a task
  bool has_record_ GUARDED_BY(mutex_) = false;  // of its end
  Timers::Id timer_ GUARDED_BY(mutex_);         // ends what its status says, unless that has changed before

  std::string id_ GUARDED_BY(mutex_);
  std::chrono::milliseconds lifetime_ GUARDED_BY(mutex_) = {};
  std::string created_at_ GUARDED_BY(mutex_);
  std::string updated_at_ GUARDED_BY(mutex_);
  std::string message_ GUARDED_BY(mutex_);                           // of the call's progress, or of its error
  std::shared_ptr<MemoryBudget> memory_ GUARDED_BY(mutex_);          // null until it is a task
  MemoryBudget::Share room_ GUARDED_BY(mutex_);                      // of that
  std::size_t kept_bytes_ GUARDED_BY(mutex_) = 0;                    // in that room
  std::string outcome_ GUARDED_BY(mutex_);                           // JSON text of the result or the error
  OrderedJson requests_ GUARDED_BY(mutex_) = OrderedJson::object();  // outstanding, by key
  Json names_ GUARDED_BY(mutex_) = Json::object();                   // the plugin's, by key
  Json answers_ GUARDED_BY(mutex_) = Json::object();                 // by the plugin's names
  Resume resume_ GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<TaskListener>> listeners_ GUARDED_BY(mutex_);
};

}  // namespace mcph
