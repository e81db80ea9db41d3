// What it asks its client: that questions end, whatever the answer is.
#include <array>

#include "check/inspection.hpp"

namespace mcph {
namespace {

void check_questions(Inspection& inspection, CheckReport& report) {
  std::size_t asked_any = 0;
  for (const auto& call : inspection.sound_calls()) {
    if (call.method == PluginMethod::completion_complete) continue;
    for (const auto& [reply, words] : {std::pair(UserReply::accept, "an answer that it asked for"),
                                       std::pair(UserReply::decline, "that the user declines"),
                                       std::pair(UserReply::cancel, "that the user dismissed the question")}) {
      auto* const version = inspection.usable(report);
      if (version == nullptr) return;
      const auto asked = version->ask(call, {.reply = reply});
      if (asked.questions == 0 && !inspection.askers.contains(call.words)) break;
      ++asked_any;
      inspection.judge(call, asked, std::string("which asks its client, and was told ") + words, report);
      if (!asked.mistake.empty()) break;
    }
  }
  if (asked_any == 0) report.skip("it asks nothing");
}

}  // namespace

std::span<const Check> question_checks() {
  static constexpr std::array checks{
      Check{"questions", "what it asks its client may be answered, declined and dismissed", check_questions},
  };
  return checks;
}

}  // namespace mcph
