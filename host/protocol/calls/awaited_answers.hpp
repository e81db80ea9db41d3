// That a plugin waits for what its client answers. When nobody is left who could bring the answers, it is told so, if
// that is certain: whoever can tell says so (hold). Where they have been brought, it is no news to it. Shared by those
// who could bring them; any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "plugin/plugin.hpp"

namespace mcph {

class AwaitedAnswers {
 public:
  // Of a person who does not want to (2025-11-25, client/sampling, "Error Handling"), or of nobody at all.
  static constexpr int unwilling = -1;

  // `input_state`: with which it asked. It holds no lease.
  AwaitedAnswers(std::weak_ptr<Plugin> plugin, std::string input_state)
      : plugin_(std::move(plugin)), input_state_(std::move(input_state)) {}
  ~AwaitedAnswers() {
    if (is_held_) fail(unwilling, "the call ended before its client had answered");
  }
  AwaitedAnswers(const AwaitedAnswers&) = delete;
  AwaitedAnswers& operator=(const AwaitedAnswers&) = delete;

  // Nobody but those who share this brings them: a client of the modern era could otherwise, in another request.
  void hold() { is_held_ = true; }
  // There will be none.
  void fail(int code, std::string_view why) const {
    if (const auto plugin = plugin_.lock()) plugin->not_answered(input_state_, code, why);
  }
  // `told` is told if it waits for them no more.
  void when_withdrawn(const std::function<void()>& told) const {
    if (const auto plugin = plugin_.lock()) plugin->when_withdrawn(input_state_, told);
  }

 private:
  const std::weak_ptr<Plugin> plugin_;
  const std::string input_state_;
  std::atomic<bool> is_held_{false};
};

}  // namespace mcph
