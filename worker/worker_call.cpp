#include "worker/worker_call.hpp"

#include <array>

namespace mcph {

void WorkerCall::progress(double progress, double total, std::string_view message) {
  const std::array<double, 2> numbers{progress, total};
  host_.send({.kind = Frame::Kind::progressed, .id = id_, .text = message, .more = bytes_of(numbers)});
}

void WorkerCall::complete(Outcome outcome, std::string json) {
  over_(id_);
  host_.send({Frame::Kind::completed, static_cast<std::int32_t>(outcome), id_, json});
}

void WorkerCall::refuse(std::string error) {
  over_(id_);
  host_.send({Frame::Kind::completed, static_cast<std::int32_t>(Outcome::error), id_, error, "refused"});
}

void WorkerCall::log(std::int32_t level, std::string_view message) {
  host_.send({Frame::Kind::said, level, id_, message});
}

std::string WorkerCall::context() const {
  const std::lock_guard lock(mutex_);
  if (context_.empty()) context_ = host_.ask({.kind = Frame::Kind::asked_context, .more = bytes_of(id_)});
  return context_;
}

}  // namespace mcph
