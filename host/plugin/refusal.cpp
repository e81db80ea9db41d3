#include "plugin/refusal.hpp"

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

std::string in_seconds(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds::rep ms_per_s = 1000;
  constexpr std::chrono::milliseconds::rep ms_per_tenth = 100;
  auto text = std::to_string(time.count() / ms_per_s);
  if (const auto tenths = time.count() % ms_per_s / ms_per_tenth; tenths != 0) text += "." + std::to_string(tenths);
  return text + " s";
}

}  // namespace mcph
