#include "runtime/loop_check.hpp"

namespace mcph {

bool LoopCheck::ask() {
  if (probe_ != nullptr && probe_->answers.load() < asked_loops_) return false;
  const bool all_in_time = probe_ != nullptr && !probe_->is_late.load();
  probe_ = std::make_shared<Probe>();
  probe_->asked = now_();
  asked_loops_ = loops_.run_on_each([probe = probe_, now = now_, patience = patience_] {
    if (now() - probe->asked > patience) probe->is_late = true;
    probe->answers.fetch_add(1);
  });
  return all_in_time;
}

}  // namespace mcph
