#include "app/audited_log.hpp"

#include <algorithm>
#include <string_view>

#include "telemetry/log_events.hpp"

namespace mcph {
namespace {

struct AuditedEvent {
  std::string_view logged;
  std::string_view event;
  std::string_view action;
};
// As plugins, sources and app say them.
constexpr AuditedEvent audited[] = {
    {"plugin loaded", "plugin", "loaded"},
    {"plugin replaced", "plugin", "replaced"},
    {"plugin refused", "plugin", "refused"},
    {"plugin withdrawn", "plugin", "withdrawn"},
    {"plugin disabled", "plugin", "disabled"},
    {"component disabled", "plugin", "component disabled"},
    {"component enabled", "plugin", "component enabled"},
    {"plugin crashed", "plugin", "crashed"},
    {"plugin quarantined", "plugin", "quarantined"},
    {"plugin cannot start", "plugin", "cannot start"},
    {"plugin restarted", "plugin", "restarted"},
    {plugin_stopped_badly, "plugin", "did not stop well"},
    {"plugin changed its components", "plugin", "changed its components"},
    {"upstream lost", "plugin", "upstream lost"},
    {"upstream withdrawn", "plugin", "upstream withdrawn"},
    {"upstream is back", "plugin", "upstream is back"},
    {"configuration taken", "configuration", "taken"},
    {"configuration not taken", "configuration", "not taken"},
    {"configuration needs a restart", "configuration", "needs a restart"},
};
// Not what a plugin has printed, which may be anything.
constexpr std::string_view audited_fields[] = {"file",       "plugin",   "version",   "digest", "replaces",
                                               "cause",      "reason",   "serving",   "what",   "next",
                                               "components", "settings", "component", "changed"};

}  // namespace

void AuditedLog::write(Level level, std::string_view event, Fields fields) {
  log_.write(level, event, fields);
  const auto* const found = std::ranges::find(audited, event, &AuditedEvent::logged);
  if (found == std::end(audited)) return;
  AuditEvent line(found->event);
  line.add("action", found->action);
  for (const auto& field : fields) {
    if (std::ranges::find(audited_fields, field.name) == std::end(audited_fields)) continue;
    field.is_number ? line.add_json(field.name, field.value) : line.add(field.name, field.value);
  }
  audit_.add(line);
}

}  // namespace mcph
