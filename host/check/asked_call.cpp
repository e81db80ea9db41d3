#include "check/asked_call.hpp"

#include <cmath>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"

namespace mcph {
namespace {

std::string number_text(double number) {
  return dump(Json(number));
}

}  // namespace

std::optional<AskedEnd> AskedCall::wait(std::chrono::milliseconds time) {
  const auto until = Clock::now() + time;
  MutexLock lock(mutex_);
  while (!end_) {
    if (!changed_.wait_until(lock, until)) break;
  }
  return end_;
}

void AskedCall::wait_for_progress(std::chrono::milliseconds time) {
  const auto until = Clock::now() + time;
  MutexLock lock(mutex_);
  while (!end_ && !progress_) {
    if (!changed_.wait_until(lock, until)) break;
  }
}

std::string AskedCall::mistake_in_progress() const {
  const MutexLock lock(mutex_);
  return mistake_;
}

void AskedCall::progress(double progress, double total, std::string_view /*message*/) {
  const MutexLock lock(mutex_);
  if (!std::isfinite(progress) || !std::isfinite(total)) {
    mistake_ = "is no finite number";
  } else if (progress_ && progress <= *progress_) {
    mistake_ = "went from " + number_text(*progress_) + " to " + number_text(progress);
  } else if (total > 0 && progress > total) {
    mistake_ = "came to " + number_text(progress) + " of " + number_text(total);
  }
  progress_ = progress;
  changed_.notify_all();
}

std::string AskedCall::context() const {
  const Json capabilities{{"elicitation", {{"form", Json::object()}, {"url", Json::object()}}},
                          {"sampling", {{"tools", Json::object()}}},
                          {"roots", Json::object()}};
  Json context{{"protocolVersion", "2026-07-28"},
               {"client", {{"name", "mcp-plugin-host check"}}},
               {"clientCapabilities", capabilities}};
  if (const auto until = deadline()) context["deadline"] = until->count();
  return dump(context);
}

std::string AskedCall::caller() const {
  // Somebody who has proven who they are, because what is only for those is to be checked, too.
  return dump(Json{{"principal",
                    {{"id", "host#check"},
                     {"subject", "check"},
                     {"name", "Check"},
                     {"email", "check@example.org"},
                     {"groups", Json::array({"checkers"})},
                     {"roles", Json::array({"checker"})},
                     {"scopes", Json::array({"check"})}}}});
}

void AskedCall::end(bool in_stead, Outcome outcome, std::string text) {
  const MutexLock lock(mutex_);
  if (!end_) end_ = AskedEnd{in_stead, outcome, std::move(text)};
  changed_.notify_all();
}

}  // namespace mcph
