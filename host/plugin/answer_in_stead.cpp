#include "plugin/answer_in_stead.hpp"

#include "base/in_seconds.hpp"
#include "base/json_text.hpp"

namespace mcph {
namespace {

std::string words_for(CancelReason reason, const PluginLimits& limits) {
  switch (reason) {
    case CancelReason::client:
      return "by the client";
    case CancelReason::deadline:
      return "because it had waited for the " + in_seconds(limits.call_time) + " that limits.callTimeMs allows";
    case CancelReason::shutdown:
      return "because this server is stopping";
    case CancelReason::reload:
      return "because the plugin was replaced or removed";
    case CancelReason::none:
      break;
  }
  return "for no known reason";
}

}  // namespace

void refuse(Call& call, std::string_view message) {
  constexpr int internal_error = -32603;
  std::string json = R"({"code":)" + std::to_string(internal_error) + R"(,"message":)";
  append_json_string(json, message);
  call.on_cancel({});
  call.refuse(json += '}');
}

void refuse_cancelled(Call& call, CancelReason reason, const PluginIdentity& plugin, const PluginLimits& limits) {
  refuse(call, "plugin " + plugin.name + ": the call was cancelled before it began, " + words_for(reason, limits));
}

void refuse_all(const std::vector<std::shared_ptr<Call>>& calls, const PluginIdentity& plugin, std::string_view why) {
  for (const auto& call : calls) {
    call->claim();
    refuse(*call, "plugin " + plugin.name + ": " + std::string(why));
  }
}

}  // namespace mcph
