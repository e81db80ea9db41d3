// A host that serves clients over HTTP, with all that belongs to it: who observes it, its configuration while it
// serves, its servers of MCP, and its listeners. There are so many members because this is where all of them meet; they
// stand in the order in which they need each other. Made, driven and ended by one thread:
//
//   create --> serve --> (until the command is told to stop) --> stop --> finish
//                 \--> (it cannot) ---------------------------------------^
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "admin/control_server.hpp"
#include "admin/operator_answers.hpp"
#include "app/admin_listener.hpp"
#include "app/audit.hpp"
#include "app/call_observation.hpp"
#include "app/dashboard_listener.hpp"
#include "app/host.hpp"
#include "app/live_certificates.hpp"
#include "app/live_configuration.hpp"
#include "app/served_servers.hpp"
#include "app/systemd.hpp"
#include "base/result.hpp"
#include "config/config.hpp"
#include "dashboard/plugin_history.hpp"
#include "http/client/network_caller.hpp"
#include "http/router.hpp"
#include "http/server.hpp"
#include "payments/x402_payments.hpp"
#include "telemetry/watched_log.hpp"
#include "transport/streamable_http/mcp_service.hpp"

namespace mcph {

class HttpHost {
 public:
  // What is there before it, and outlives it.
  struct Around {
    Audit& audit;
    WatchedLog& lines;             // of the log, for operators
    const PluginHistory* history;  // null: there is no dashboard
    const SystemdNotifier& systemd;
    std::function<std::string()> problem = {};  // as in HostFacts
  };

  // `config` is the configuration, with the sockets that have been inherited.
  static Result<std::unique_ptr<HttpHost>> create(const Config& config, const Around& around);
  HttpHost(const HttpHost&) = delete;
  HttpHost& operator=(const HttpHost&) = delete;

  // Listens, loads the components and serves. `source` and `configured` are the configuration that is watched from now
  // on, and how it was read. Once; where it fails, only finish may follow.
  Result<> serve(const ConfigSource& source, const Config& configured);
  // Takes no more requests, and returns once those that there are have been answered, or cut off. `signal` is whose
  // wish it is.
  void stop(std::string_view signal);
  // As Host::finish.
  int finish(int status);

 private:
  HttpHost(const Config& config, const Around& around, std::unique_ptr<LiveCertificates> certificates,
           std::unique_ptr<CallObservation> calls, std::unique_ptr<Host> host);

  // The steps of serve.
  Result<> watch_configuration(const ConfigSource& source, const Config& configured);
  void bind_mcp();
  void bind_health();
  Result<> listen();
  void answer_operator();
  Result<> listen_for_operators();
  Result<> listen_at_socket();
  void run();

  StreamableHttpOptions mcp_options();
  HttpRefusalListener refusal_listener();
  std::optional<NotReady> not_ready() const;
  std::string_view why_not_ready() const;  // empty: it is
  ConfigurationReport report_configuration() const;
  ObservedHost observed();

  const Config config_;
  Audit& audit_;
  Log& log_;
  WatchedLog& lines_;
  const PluginHistory* const history_;
  const SystemdNotifier& systemd_;
  const std::function<std::string()> problem_;
  const std::unique_ptr<LiveCertificates> certificates_;  // null: there is no TLS
  // Before the host, because what is left of its work may be observed until it is gone.
  AuthenticationCounts authentications_;
  const std::unique_ptr<CallObservation> calls_;
  const std::unique_ptr<Host> host_;
  const SystemdWatchdog watchdog_;
  NetworkCaller caller_;
  NetworkCaller settling_caller_;
  X402Payments payments_;
  ServedServers servers_;
  std::unique_ptr<LiveConfiguration> configuration_;
  std::string origin_;  // where clients reach it; empty: only the operator knows
  McpService service_;
  std::atomic<const char*> not_serving_ = "starting";  // null: it serves
  const MakeHttpStream over_tls_;                      // empty: there is no TLS
  HttpServer http_;
  std::string url_;  // of MCP, for people
  std::unique_ptr<OperatorAnswers> answers_;
  std::unique_ptr<AdminListener> admin_;          // null: the operator wants none
  std::unique_ptr<DashboardListener> dashboard_;  // likewise
  std::unique_ptr<ControlServer> control_;        // likewise
  std::unique_ptr<SystemdStatus> told_status_;
};

}  // namespace mcph
