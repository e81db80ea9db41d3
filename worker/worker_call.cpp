#include "worker/worker_call.hpp"

namespace mcph {

void WorkerCall::progress(double progress, double total, std::string_view message) {
  if (wants_progress_) host_.send(to_host::Progressed{id_, {progress, total}, message});
}

void WorkerCall::complete(Outcome outcome, std::string_view json) {
  over_(id_);
  host_.send(to_host::Completed{id_, static_cast<std::int32_t>(outcome), json, false});
}

void WorkerCall::refuse(std::string error) {
  over_(id_);
  host_.send(to_host::Completed{id_, static_cast<std::int32_t>(Outcome::error), error, true});
}

void WorkerCall::log(std::int32_t level, std::string_view message) {
  host_.send(to_host::Said{id_, level, message});
}

std::string WorkerCall::context() const {
  const MutexLock lock(mutex_);
  if (context_.empty()) context_ = host_.ask([this](QueryId query) { return to_host::ContextQuery{query, id_}; });
  return context_;
}

std::string WorkerCall::caller() const {
  return host_.ask([this](QueryId query) { return to_host::CallerQuery{query, id_}; });
}

}  // namespace mcph
