#include "sources/folder/plugin_report.hpp"

#include <algorithm>

namespace mcph {

std::string_view name_of(ReportedState state) {
  switch (state) {
    case ReportedState::serving:
      return "serving";
    case ReportedState::starting:
      return "starting";
    case ReportedState::backoff:
      return "backoff";
    case ReportedState::quarantined:
      return "quarantined";
    case ReportedState::refused:
      return "refused";
    case ReportedState::disabled:
      return "disabled";
    case ReportedState::draining:
      return "draining";
  }
  return "unknown";
}

bool FolderReport::all_is_well() const {
  return problems.empty() && std::all_of(plugins.begin(), plugins.end(), [](const PluginReport& plugin) {
           return plugin.refusal.empty() && plugin.state != ReportedState::backoff &&
                  plugin.state != ReportedState::quarantined;  // whose reason may be found out yet
         });
}

}  // namespace mcph
