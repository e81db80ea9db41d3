#include "protocol/state/tasks.hpp"

#include <algorithm>
#include <utility>

#include "base/base64.hpp"
#include "base/random_bytes.hpp"
#include "catalog/published_catalog.hpp"

namespace mcph {
namespace {

// What a tool that is declared long-running gets to end at once, or to ask its client, which should come before there
// is a task (SEP-2663, "Task Creation").
constexpr std::chrono::milliseconds moment{100};

constexpr std::size_t id_bytes = 18;

}  // namespace

bool may_follow(const Task& task, const Principal& principal, const PublishedCatalog& catalog) {
  const auto view = catalog.current(principal);
  if (view->is_whole()) return true;
  if (const auto* const served = view->find_tool(task.tool()))
    return served->rule == nullptr || catalog.same_view(task.principal(), principal);
  // A plugin that has gone leaves the results of its tools.
  return catalog.current()->find_tool(task.tool()) == nullptr && view->may_call(task.tool());
}

bool Tasks::are_known_to(const Caller& caller) {
  const auto extensions = caller.capabilities.find("extensions");
  if (extensions == caller.capabilities.end() || !extensions->is_object()) return false;
  const auto tasks = extensions->find(tasks_extension);
  return tasks != extensions->end() && tasks->is_object();
}

std::shared_ptr<Task> Tasks::watch(const std::shared_ptr<Exchange>& client, std::string request_id,
                                   const Caller& caller, TaskSupport support, std::string tool) {
  auto task = std::make_shared<Task>(timers_, client, std::move(request_id), caller.principal, std::move(tool));
  const std::weak_ptr<Task> weak = task;
  client->on_abandon([weak] {
    if (const auto abandoned = weak.lock()) abandoned->abandon();
  });
  const auto patience = support == TaskSupport::undeclared ? options_.after : std::min(options_.after, moment);
  task->limit(patience, [this, weak] {
    if (const auto slow = weak.lock()) create(slow);
  });
  return task;
}

void Tasks::create(const std::shared_ptr<Task>& task) {
  const auto id = base64url_encode(random_bytes(id_bytes));
  {
    const MutexLock lock(mutex_);
    if (ended_ || tasks_.size() >= options_.count || !task->begin(id, options_.lifetime, memory_)) return;
    tasks_.emplace(id, task);
  }
  timers_.after(options_.lifetime, [this, id] { forget(id); });
  task->announce(meta_);
}

std::size_t Tasks::count() const {
  const MutexLock lock(mutex_);
  return tasks_.size();
}

std::shared_ptr<Task> Tasks::find(const std::string& id, const Caller& caller) const {
  const MutexLock lock(mutex_);
  const auto found = tasks_.find(id);
  return found != tasks_.end() && found->second->principal() == caller.principal ? found->second : nullptr;
}

void Tasks::cancel_of(const IsGood& is_good) {
  std::vector<std::shared_ptr<Task>> ending;
  {
    const MutexLock lock(mutex_);
    for (const auto& [id, task] : tasks_) {
      if (!is_good(task->principal())) ending.push_back(task);
    }
  }
  for (const auto& task : ending)
    task->cancel();
}

void Tasks::end() {
  std::unordered_map<std::string, std::shared_ptr<Task>> tasks;
  {
    const MutexLock lock(mutex_);
    ended_ = true;
    tasks.swap(tasks_);
  }
  for (const auto& [id, task] : tasks)
    task->cancel();
}

void Tasks::forget(const std::string& id) {
  std::shared_ptr<Task> task;
  {
    const MutexLock lock(mutex_);
    const auto found = tasks_.find(id);
    if (found == tasks_.end()) return;
    task = std::move(found->second);
    tasks_.erase(found);
  }
  task->expire();
}

}  // namespace mcph
