// The language that the operator and a host speak, one JSON object a line:
//   {"command": "status"}
//   {"command": "reload", "plugin"?: "clock"}
//   {"command": "disable" or "enable", "plugin": "clock", "component"?: "now"}
//   {"command": "components"}
//   {"command": "trace", "plugin"?: "clock", "component"?: "now"}
//   {"command": "log", "plugin"?: "clock", "level"?: "info", "last"?: 10, "follow"?: true}
//   {"command": "dashboard"}
// A plugin is its name or its file. The answer has "error" if nothing came of it. What trace and log show comes as
// lines before the answer. Owned by a command that serves; any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "admin/control_server.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "sources/folder/operator_service.hpp"
#include "telemetry/watched_log.hpp"

namespace mcph {

// Why a host does not serve. What has a place in its life, as its start has, is no fault.
struct NotReady {
  std::string_view why;
  bool is_fault = true;
};

// What the operator is told of the host itself.
struct HostFacts {
  std::string version;
  std::string command;  // "serve" or "stdio"
  std::string url;      // empty: it has none
  std::filesystem::path components;
  std::string also = {};  // another one, at which it is reached besides; empty: there is none
  // Empty: it is ready. Any thread; null: it is as long as it can be asked.
  std::function<std::optional<NotReady>()> not_ready = {};
  // What is amiss with the components folder that the host cannot see there. Empty: nothing. Any thread; may be null.
  std::function<std::string()> problem = {};
};

// What has become of the changes of a configuration that the host watches.
struct ConfigurationReport {
  std::string refusal;                    // why the last one was not taken; empty: it was
  std::vector<std::string> need_restart;  // the settings that do
};
using ReportConfiguration = std::function<ConfigurationReport()>;

// Which lines of the log an operator wants to see.
struct LogRequest {
  std::string plugin;  // the name or the file of one; empty: all
  Log::Level level = Log::Level::info;
  std::size_t last = 0;  // of those that have been written
  bool follows = true;   // and those that come
};

// What an operator has told the host to do.
struct OperatorAct {
  std::string command = {};
  std::string plugin = {};   // empty: all
  std::string outcome = {};  // "ok", "not for all", or why nothing came of it
  Principal by = {};         // anonymous: whoever reaches the control socket
};
// Hears of each command that was to change something, or shows what is said in calls.
using OperatorListener = std::function<void(const OperatorAct& act)>;

// The URL that lets whoever opens it into the dashboard, once.
using OpenDashboard = std::function<Result<std::string>()>;

class OperatorAnswers {
 public:
  // The service and the log outlive it, and so does what the functions use; without `configuration` the host watches
  // none, without `dashboard` it has none.
  OperatorAnswers(HostFacts host, OperatorService& service, WatchedLog& log, OperatorListener listener = {},
                  ReportConfiguration configuration = {}, OpenDashboard dashboard = {})
      : host_(std::move(host)),
        service_(service),
        log_(log),
        listener_(std::move(listener)),
        configuration_(std::move(configuration)),
        dashboard_(std::move(dashboard)) {}

  // Returns once it is done, or the service has been closed. `by` is as in OperatorAct.
  std::string answer(std::string_view request, ControlServer::Asker& asker, const Principal& by = anonymous) const;
  // What {"command": "status"} is answered, as text and as a tree.
  std::string status() const;
  nlohmann::ordered_json status_json() const;

 private:
  // What may be named: {"folder", "plugins": [{"plugin", "file", "tools": [name], "resources": [URI], ...}]}
  std::string components() const;
  std::string open_dashboard() const;
  std::string trace(const std::string& wanted, const std::string& component, ControlServer::Asker& asker) const;
  // The last lines of the log that are of this plugin, empty: all, and what follows.
  std::string show_log(const LogRequest& request, ControlServer::Asker& asker) const;
  // The name of the plugin that is called so, by its name or its file. Fails where none that is served is.
  Result<std::string> name_of_served(const std::string& plugin) const;
  // That there is no such component, which may come, and whose refused calls are traced. Empty: there is.
  std::string remark_on(const std::string& component) const;
  // Likewise of a plugin, or the file of one.
  std::string remark_on_plugin(const std::string& plugin) const;

  const HostFacts host_;
  OperatorService& service_;
  WatchedLog& log_;
  const OperatorListener listener_;
  const ReportConfiguration configuration_;
  const OpenDashboard dashboard_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace mcph
