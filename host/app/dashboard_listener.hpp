// The listener for people who look after the host, where the configuration wants one: a page with all plugins, calls
// and lines of the log, and an endpoint of MCP for those who have come in, by which the page tries components. Without
// it there is no thread, no socket and no memory of it. Owned by the command that serves; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "app/admin_listener.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "config/config.hpp"
#include "dashboard/dashboard_service.hpp"
#include "dashboard/logins.hpp"
#include "dashboard/plugin_history.hpp"
#include "dashboard/shared_status.hpp"
#include "http/server.hpp"
#include "protocol/server/server.hpp"
#include "telemetry/watched_log.hpp"
#include "transport/streamable_http/streamable_http.hpp"

namespace mcph {

class DashboardListener {
 public:
  // What is shown, and told; all of it outlives the listener.
  struct Around {
    const ObservedHost& observed;
    Server& server;  // of all components
    const WatchedLog& lines;
    const PluginHistory* history;  // null where there is no dashboard
    AuthenticationCounts& authentications;
    OperatorListener heard;
    HttpRefusalListener refused;  // null: nobody hears of what is refused
  };

  // Null where the configuration wants none. Fails if the address cannot be had. The log outlives it.
  static Result<std::unique_ptr<DashboardListener>> open(const Config& config, const Around& around,
                                                         const MakeHttpStream& over_tls, Log& log);

  // A URL that lets in whoever opens it, once.
  std::string url();
  std::size_t connections() const { return http_.connections(); }
  // Ends what goes on for those whose credentials are good no longer.
  void close_streams_of(const IsGood& is_good) { mcp_.close_streams_of(is_good); }
  void expel(IsGood is_good) { http_.expel(std::move(is_good)); }
  void shut_down() { http_.shut_down(); }

 private:
  DashboardListener(const Config& config, const Around& around, const MakeHttpStream& over_tls, Log& log);
  DashboardService::Sources sources(const Around& around);
  HttpAddress address() const { return {settings_.listen->address, http_.port()}; }
  std::string origin() const;  // where people reach it
  std::optional<DashboardLogin> admit(const Principal& principal) const;
  std::string obey(const nlohmann::ordered_json& command, const Principal& by);
  std::optional<std::string> bodies_of(std::uint64_t number, const Principal& by) const;
  nlohmann::ordered_json figures();

  const DashboardSettings settings_;
  const ObservedHost observed_;
  const PluginHistory& history_;
  const bool is_over_tls_;
  const OperatorListener heard_;
  Log& log_;
  SharedStatus status_;
  Logins logins_;
  // Of the last look at the host's own use of the processor.
  Mutex mutex_;
  std::chrono::steady_clock::time_point looked_at_ GUARDED_BY(mutex_){};
  double cpu_seconds_ GUARDED_BY(mutex_) = 0;
  double cpu_percent_ GUARDED_BY(mutex_) = 0;

  StreamableHttp mcp_;
  DashboardService service_;
  HttpServer http_;
};

}  // namespace mcph
