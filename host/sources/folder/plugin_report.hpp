// What the operator is told of one file in the components folder, or of a replaced version that still has calls.
// Values.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/components.hpp"
#include "plugin/plugin.hpp"
#include "sources/folder/component_scan.hpp"

namespace mcph {

enum class ReportedState {
  serving,
  starting,     // its process is about to serve
  backoff,      // its process has crashed again and again, and is started anew in a while
  quarantined,  // it has crashed too often, until its file changes or the operator reloads it
  refused,      // no version of it was ever good
  disabled,     // by the operator
  draining      // replaced or withdrawn, and calls still run
};

std::string_view name_of(ReportedState state);

struct PluginReport {
  std::filesystem::path file;
  bool is_configured = false;  // PluginFile::is_configured
  std::optional<PluginIdentity> identity =
      {};  // of the version that is served or was last; empty if none was ever good
  ReportedState state = ReportedState::serving;
  PluginStatus status = {};                           // of that version, as it is, or was when it was withdrawn
  std::shared_ptr<const Components> components = {};  // that are listed; null: none
  std::vector<std::string> disabled_components = {};  // by the operator
  std::vector<std::string> remarks = {};              // on it, for people, as when it was loaded
  std::string refusal = {};                           // why the file as it lies there now is not served
};

struct FolderReport {
  std::vector<PluginReport> plugins;  // by file
  std::vector<ScanProblem> problems;

  // Nothing is refused, quarantined, backoff or amiss.
  bool all_is_well() const;
};

}  // namespace mcph
