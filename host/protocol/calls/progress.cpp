#include "protocol/calls/progress.hpp"

#include <algorithm>
#include <cmath>

#include "base/json_text.hpp"

namespace mcph {
namespace {

// A progress token is a string or an integer; anything else is no wish for progress.
std::string read_token(const Json& meta) {
  if (!meta.is_object()) return {};
  const auto token = meta.find("progressToken");
  if (token == meta.end() || !(token->is_string() || token->is_number_integer())) return {};
  return dump(*token);
}

}  // namespace

bool ProgressAllowance::take(Time now) {
  const std::chrono::duration<double> passed = std::max(now - counted_, Time::duration::zero());
  left_ = std::min<double>(burst, left_ + passed.count() * per_second);
  counted_ = now;
  if (left_ < 1) return false;
  left_ -= 1;
  return true;
}

Progress::Progress(const Json& meta, std::optional<double> last) : token_(read_token(meta)), last_(last) {}

void Progress::report(double progress, double total, std::string_view message, Exchange& exchange, Time now) {
  if (!is_wanted() || !std::isfinite(progress)) return;
  // Held while sending, so that two threads of the plugin cannot swap what must increase.
  const MutexLock lock(mutex_);
  if (last_ && progress <= *last_) return;
  last_ = progress;
  withheld_ = params(progress, total, message);
  if (!allowance_.take(now)) return;
  exchange.notify_if_room(notification(Method::notifications_progress, withheld_));
  withheld_.clear();
}

void Progress::finish(Exchange& exchange) {
  if (!is_wanted()) return;
  const MutexLock lock(mutex_);
  if (withheld_.empty()) return;
  exchange.notify_if_room(notification(Method::notifications_progress, withheld_));
  withheld_.clear();
}

std::optional<double> Progress::last() const {
  const MutexLock lock(mutex_);
  return last_;
}

std::string Progress::params(double progress, double total, std::string_view message) const {
  std::string params = R"({"progressToken":)" + token_ + R"(,"progress":)" + dump(Json(progress));
  if (total > 0 && std::isfinite(total)) params += R"(,"total":)" + dump(Json(total));
  if (!message.empty()) {
    params += R"(,"message":)";
    append_json_string(params, message);
  }
  params += '}';
  return params;
}

}  // namespace mcph
