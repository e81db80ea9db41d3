// What ModernEra does for tasks: its clients fetch, answer and cancel them, and ask to be told of them.
#include <utility>

#include "protocol/calls/input_requests.hpp"
#include "protocol/modern/modern_era.hpp"
#include "protocol/modern/modern_replies.hpp"

namespace mcph {

Reply ModernEra::tasks_required_reply(std::string_view id) {
  return missing_capability_reply(id, {{"extensions", {{tasks_extension, Json::object()}}}});
}

std::shared_ptr<Task> ModernEra::find_task(const Request& request) const {
  if (!Tasks::are_known_to(*request.caller)) {
    request.exchange->reply(tasks_required_reply(request.id));
    return nullptr;
  }
  const auto id = request.params.find("taskId").json();
  auto task = id.is_string() ? find_task(request, id.get_ref<const std::string&>()) : nullptr;
  if (task == nullptr) {
    const RpcError error{error_code::invalid_params, id.is_string()
                                                         ? "Task not found: it is unknown, or its time is over"
                                                         : "Invalid params: params.taskId must be a string"};
    request.exchange->reply(error_reply(request.id, error));
  }
  return task;
}

std::shared_ptr<Task> ModernEra::find_task(const Request& request, const std::string& id) const {
  auto task = tasks_.find(id, *request.caller);
  return task != nullptr && may_follow(*task, request.caller->principal, catalog_) ? task : nullptr;
}

void ModernEra::get_task(Request&& request) {
  if (const auto task = find_task(request)) request.exchange->reply(complete(request.id, {task->json()}));
}

void ModernEra::update_task(Request&& request) {
  const auto task = find_task(request);
  if (task == nullptr) return;
  const auto responses = request.params.find("inputResponses");
  Result<> updated;
  if (!responses.is_object()) {
    updated = fail("params.inputResponses must be an object");
  } else if (responses.values() > max_answer_values) {
    updated = fail(words_for_many_answers());
  } else {
    updated = task->update(responses.json());
  }
  if (updated.has_error()) {
    const RpcError error{error_code::invalid_params, "Invalid params: " + updated.error().message};
    return request.exchange->reply(error_reply(request.id, error));
  }
  request.exchange->reply(complete(request.id, {}));
}

void ModernEra::cancel_task(Request&& request) {
  const auto task = find_task(request);
  if (task == nullptr) return;
  task->cancel();
  request.exchange->reply(complete(request.id, {}));
}

std::optional<SubscribedTasks> ModernEra::read_task_filter(const Request& request, const Json& filter) const {
  SubscribedTasks tasks;
  const auto ids = filter.find("taskIds");
  if (ids == filter.end()) return tasks;
  if (!Tasks::are_known_to(*request.caller)) return std::nullopt;
  for (const auto& id : *ids) {
    const auto& text = id.get_ref<const std::string&>();
    if (auto task = find_task(request, text)) tasks.emplace(text, std::move(task));
  }
  return tasks;
}

}  // namespace mcph
