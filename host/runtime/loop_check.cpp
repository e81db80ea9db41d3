#include "runtime/loop_check.hpp"

namespace mcph {

bool LoopCheck::ask() {
  if (question_ != nullptr && question_->answers.load() < asked_loops_) return false;
  const bool all_in_time = question_ != nullptr && !question_->is_late.load();
  question_ = std::make_shared<Question>();
  question_->asked = now_();
  asked_loops_ = loops_.run_on_each([question = question_, now = now_, patience = patience_] {
    if (now() - question->asked > patience) question->is_late = true;
    question->answers.fetch_add(1);
  });
  return all_in_time;
}

}  // namespace mcph
