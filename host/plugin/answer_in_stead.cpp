#include "plugin/answer_in_stead.hpp"

#include "base/json_text.hpp"
#include "plugin/limit_reports.hpp"

namespace mcph {

std::string why_cancelled(CancelReason reason, const Call& call, const PluginLimits& limits) {
  switch (reason) {
    case CancelReason::client:
      return "by the client";
    case CancelReason::deadline:
      return "because it had waited for " + words_for_time_limit(call, limits);
    case CancelReason::shutdown:
      return "because this server is stopping";
    case CancelReason::reload:
      return "because the plugin was replaced or removed";
    case CancelReason::none:
      break;
  }
  return "for no known reason";
}

void refuse(Call& call, std::string_view message) {
  constexpr int internal_error = -32603;
  std::string json = R"({"code":)" + std::to_string(internal_error) + R"(,"message":)";
  append_json_string(json, message);
  call.on_cancel({});
  call.refuse(json += '}');
}

void refuse_cancelled(Call& call, CancelReason reason, const PluginIdentity& plugin, const PluginLimits& limits) {
  refuse(call,
         "plugin " + plugin.name + ": the call was cancelled before it began, " + why_cancelled(reason, call, limits));
}

void refuse_all(const std::vector<std::shared_ptr<Call>>& calls, const PluginIdentity& plugin, std::string_view why) {
  for (const auto& call : calls) {
    call->claim();
    refuse(*call, "plugin " + plugin.name + ": " + std::string(why));
  }
}

}  // namespace mcph
