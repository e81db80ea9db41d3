#include "protocol/plugin_call.hpp"

#include <cmath>
#include <utility>

#include "json_text.hpp"
#include "protocol/plugin_result.hpp"

namespace mcph {
namespace {

// A progress token is a string or an integer (MCP, basic/patterns/progress); anything else is no wish for progress.
std::string read_progress_token(const Json& meta) {
  if (!meta.is_object()) return {};
  const auto token = meta.find("progressToken");
  if (token == meta.end() || !(token->is_string() || token->is_number_integer())) return {};
  return dump(*token);
}

}  // namespace

void PluginCall::begin(CallPlan plan, std::string id, std::shared_ptr<const Caller> caller,
                       const std::shared_ptr<Exchange>& exchange, const CallAnswers& answers) {
  const auto plugin = plan.plugin;
  auto call = std::make_shared<PluginCall>(std::move(plan), std::move(id), std::move(caller), exchange, answers);
  exchange->on_abandon([call] { call->cancel(CancelReason::client); });
  plugin->invoke(std::move(call));
}

PluginCall::PluginCall(CallPlan plan, std::string id, std::shared_ptr<const Caller> caller,
                       std::shared_ptr<Exchange> exchange, const CallAnswers& answers)
    : Call(plan.method, std::move(plan.params)),
      plugin_(std::move(plan.plugin)),
      component_(std::move(plan.component)),
      id_(std::move(id)),
      caller_(std::move(caller)),
      meta_(std::move(plan.meta)),
      exchange_(std::move(exchange)),
      answers_(answers),
      progress_token_(read_progress_token(meta_)) {}

void PluginCall::progress(double progress, double total, std::string_view message) {
  if (progress_token_.empty() || !std::isfinite(progress)) return;
  std::string params = R"({"progressToken":)" + progress_token_ + R"(,"progress":)" + dump(Json(progress));
  if (total > 0 && std::isfinite(total)) params += R"(,"total":)" + dump(Json(total));
  if (!message.empty()) {
    params += R"(,"message":)";
    append_json_string(params, message);
  }
  params += '}';
  // Held while sending, so that two threads of the plugin cannot swap what must increase.
  const std::lock_guard lock(mutex_);
  if (last_progress_ && progress <= *last_progress_) return;
  last_progress_ = progress;
  exchange_->notify_if_room(notification("notifications/progress", params));
}

void PluginCall::complete(Outcome outcome, std::string json) {
  exchange_->reply(answer(outcome, std::move(json)));
}

Reply PluginCall::answer(Outcome outcome, std::string json) const {
  switch (outcome) {
    case Outcome::result: {
      auto result = read_plugin_result(method(), json);
      if (result.has_error()) return misbehaviour(result.error().message);
      return answers_.result(id_, method(), *caller_, *std::move(result), std::move(json));
    }
    case Outcome::input_required: {
      auto required = read_input_required(json);
      if (required.has_error()) return misbehaviour(required.error().message);
      return answers_.input_required(id_, method(), *caller_, *std::move(required));
    }
    case Outcome::error:
      break;
  }
  const auto error = read_plugin_error(json);
  if (error.has_error()) return misbehaviour(error.error().message);
  return answers_.error(id_, method(), *error);
}

Reply PluginCall::misbehaviour(std::string_view reason) const {
  return answers_.error(
      id_, method(),
      {error_code::internal_error, "Plugin " + plugin_->identity().name + " answered " + std::string(method()) +
                                       " of " + component_ + " with something invalid: " + std::string(reason)});
}

std::string PluginCall::context() const {
  Json context = {{"protocolVersion", caller_->protocol_version}, {"clientCapabilities", caller_->capabilities}};
  if (!caller_->client.is_null()) context["client"] = caller_->client;
  if (!meta_.is_null()) context["meta"] = meta_;
  return dump(context);
}

}  // namespace mcph
