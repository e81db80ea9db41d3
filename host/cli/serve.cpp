// The two commands that serve clients until they are told to stop.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <pwd.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "admin/control_server.hpp"
#include "admin/control_sockets.hpp"
#include "admin/operator_answers.hpp"
#include "app/admin_listener.hpp"
#include "app/audit.hpp"
#include "app/dashboard_listener.hpp"
#include "app/host.hpp"
#include "app/live_certificates.hpp"
#include "app/live_configuration.hpp"
#include "app/served_servers.hpp"
#include "app/serving_checks.hpp"
#include "app/systemd.hpp"
#include "base/absolute_path.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "http/client/network_caller.hpp"
#include "http/health.hpp"
#include "http/server.hpp"
#include "payments/x402_payments.hpp"
#include "protocol/server/server.hpp"
#include "telemetry/stderr_log.hpp"
#include "transport/stdio/standard_streams.hpp"
#include "transport/stdio/stdio_transport.hpp"
#include "transport/streamable_http/authorization.hpp"
#include "transport/streamable_http/mcp_service.hpp"

namespace mcph {
namespace {

constexpr int client_lost = 1;

NamedLimits limits_of(const Config& config) {
  const auto& http = config.http.limits;
  const auto ms = [](std::chrono::milliseconds time) { return static_cast<std::uint64_t>(time.count()); };
  return {{"bodyBytes", http.body_bytes},      {"headerBytes", http.header_bytes},
          {"connections", http.connections},   {"headerMs", ms(http.header_time)},
          {"bodyMs", ms(http.body_time)},      {"idleMs", ms(http.idle_time)},
          {"sessions", config.sessions.count}, {"sessionIdleMs", ms(config.sessions.idle_time)}};
}

NamedFeatures features_of(const Config& config) {
  return {{"authentication", config.knows_credentials()},
          {"httpSse", config.mcp.http_sse},
          {"roles", !config.roles.empty()},
          {"sessionsOptional", config.mcp.sessions_optional},
          {"virtualServers", !config.servers.empty()},
          {"websocket", config.mcp.websocket}};
}

const char* name_of(int signal) {
  if (signal == SIGHUP) return "SIGHUP";
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

// Calls `first` on the first signal that asks for the end. A later one ends the process at once; not one that comes
// right after it, because some senders signal a process and then its group.
class StopSignals {
 public:
  StopSignals(Log& log, std::function<void(int)> first) : signals_(context_, SIGINT, SIGTERM), log_(log) {
    // The terminal is closed; unless nohup said that it does not matter.
    struct ::sigaction hang_up {};
    if (::sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) signals_.add(SIGHUP);
    signals_.async_wait([this, first = std::move(first)](const boost::system::error_code& error, int signal) {
      if (error) return;
      first_at_ = std::chrono::steady_clock::now();
      wait_for_another();
      first(signal);
    });
    thread_ = std::thread([this] { context_.run(); });
  }

  // By then the end is there, and a signal must not turn it into a death.
  ~StopSignals() {
    context_.stop();
    thread_.join();
    boost::system::error_code ignored;
    signals_.clear(ignored);
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    std::signal(SIGHUP, SIG_IGN);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  void wait_for_another() {
    static constexpr std::chrono::milliseconds same_wish{500};
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      if (std::chrono::steady_clock::now() - first_at_ < same_wish) return wait_for_another();
      log_.warning("stopped at once", {{"signal", name_of(signal)}, {"reason", "it is not the first one"}});
      std::_Exit(128 + signal);
    });
  }

  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_;
  Log& log_;
  std::chrono::steady_clock::time_point first_at_;
  std::thread thread_;  // of its own, because a second signal counts while all others are being waited for
};

void load_components(Host& host, const HostOptions& options, Log& log) {
  const auto begin = std::chrono::steady_clock::now();
  // What hangs comes later.
  host.folder().load_all(std::chrono::seconds(1));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  const auto catalog = host.catalog().current();
  log.info("components loaded", {{"folder", absolute_path(options.components).string()},
                                 {"plugins", catalog->plugins().size()},
                                 {"refused", host.folder().refused().size()},
                                 {"ms", took.count()}});
}

constexpr auto unusable_tls = "[tls] cannot be used: ";

// `heard` is told what an operator has done. Without `configuration` the host watches none, and without `certificates`
// there is no TLS.
std::shared_ptr<const OperatorAnswers> answers_of(Host& host, const HostOptions& options, std::string command,
                                                  WatchedLog& log, OperatorListener heard,
                                                  const LiveConfiguration* configuration,
                                                  const LiveCertificates* certificates = nullptr, std::string url = {},
                                                  OpenDashboard dashboard = {}) {
  HostFacts facts{host_version, std::move(command), std::move(url), options.components};
  ReportConfiguration report;
  if (configuration != nullptr) {
    report = [configuration, certificates] {
      auto reloads = configuration->reloads();
      const auto refused = certificates == nullptr ? std::string() : certificates->refusal();
      if (reloads.refusal.empty() && !refused.empty()) reloads.refusal = unusable_tls + refused;
      return ConfigurationReport{std::move(reloads.refusal), std::move(reloads.need_restart)};
    };
  }
  return std::make_shared<const OperatorAnswers>(std::move(facts), host.folder().operator_service(), log,
                                                 std::move(heard), std::move(report), std::move(dashboard));
}

// Null where the operator wants none. Without a place for it, he who asked for none in particular is served all the
// same.
Result<std::unique_ptr<ControlServer>> listen_to_operator(const HostOptions& options,
                                                          const std::shared_ptr<const OperatorAnswers>& answers,
                                                          Log& log) {
  if (options.control == "none") return nullptr;
  control_sockets();  // removes those of dead hosts
  const auto socket = options.control.empty() ? own_control_socket() : std::filesystem::path(options.control);
  auto server = socket.has_error()
                    ? Result<std::unique_ptr<ControlServer>>(socket.error())
                    : ControlServer::listen(*socket, [answers](std::string_view request, ControlServer::Asker& asker) {
                        return answers->answer(request, asker);
                      });
  if (server.has_value() || !options.control.empty()) return server;
  log.warning("operator cannot reach this host", {{"reason", server.error().message}});
  return nullptr;
}

// A stream is resumed in its session, so its events are of no use for longer than that.
StreamableHttpOptions mcp_options(const Config& config) {
  auto options = config.mcp;
  auto& time = options.events.time;
  time = std::min<std::chrono::milliseconds>(time, config.sessions.idle_time);
  return options;
}

// Where clients of this machine reach it, without a path. Empty: by a Unix socket alone.
std::string origin_of(const Config& config, std::uint16_t port) {
  if (port == 0) return {};
  auto listening = config.http.listen;
  if (listening.port == 0) listening.port = port;
  return (config.tls.is_on() ? "https://" : "http://") + listening.authority();
}

// The same by a Unix socket.
std::string unix_url_of(const Config& config) {
  const auto& path = config.http.unix_socket;
  // A name of the abstract namespace (unix(7)), which only systemd gives, is in no folder.
  const bool is_abstract = !config.http.inherited.empty() && path.native().starts_with('@');
  return "unix:" + (is_abstract ? path : absolute_path(path)).string();
}

void add_health(McpService& service, const std::function<std::string_view()>& why_not_ready) {
  for (auto& resource : health_resources([why_not_ready] { return Readiness{.why_not = why_not_ready()}; }))
    service.add(std::move(resource));
}

// "plugins: 7 serving, 1 refused"
std::string in_brief(const FolderReport& report) {
  std::map<ReportedState, std::size_t> counts{{ReportedState::serving, 0}};
  for (const auto& plugin : report.plugins)
    ++counts[plugin.state];
  std::string text;
  for (const auto& [state, count] : counts)
    text += (text.empty() ? "plugins: " : ", ") + std::to_string(count) + " " + std::string(name_of(state));
  return text;
}

// The same, but for where it listens if systemd does so in its stead.
Result<Config> adopt_sockets(Config config, const SystemdEnvironment& environment) {
  auto sockets = take_sockets(environment);
  if (sockets.has_error()) return sockets.error();
  if (sockets->descriptors.empty()) return config;
  config.http.inherited = std::move(sockets->descriptors);
  const auto& addresses = sockets->addresses;
  const auto reached = std::ranges::find_if(addresses, [](const HttpAddress& each) { return !each.is_loopback(); });
  config.access.loopback_only = reached == addresses.end();
  config.http.listen = HttpAddress{.address = "", .port = 0};
  if (!addresses.empty()) config.http.listen = reached == addresses.end() ? addresses.front() : *reached;
  config.http.unix_socket = std::move(sockets->unix_socket);
  return config;
}

// Null where there is no TLS.
Result<std::unique_ptr<LiveCertificates>> certificates_of(const TlsOptions& options, Log& log) {
  if (!options.is_on()) return nullptr;
  auto live = LiveCertificates::create(options, log);
  if (live.has_error()) return fail(unusable_tls + live.error().message);
  return live;
}

// `config` is the command's, with what has been found out since. `history` is what the dashboard shows of plugins;
// null: there is no dashboard.
int serve(const ServeCommand& command, const Config& config, const SystemdNotifier& systemd, Audit& audit,
          WatchedLog& watched, const PluginHistory* history) {
  auto& log = audit.log();
  auto certificates = certificates_of(config.tls, log);
  if (certificates.has_error()) return complain(certificates.error().message);
  // Before the host, because what is left of its work may be observed until it is gone.
  AuthenticationCounts authentications;
  auto calls = CallObservation::create(config, config.admin.listen.has_value(), log);
  if (calls.has_error()) return complain(calls.error().message);
  auto host = Host::create(config.host, log, limits_of(config), features_of(config));
  if (host.has_error()) return complain(host.error().message);
  const SystemdWatchdog watchdog((*host)->threads(), systemd);

  NetworkCaller caller((*host)->threads());
  X402Payments payments(caller, log);
  ServedServers servers(**host, config, payments, (*calls)->observer(), audit.requests(), log);
  auto configuration = LiveConfiguration::create(command.source, command.config, servers.catalogs(), caller, log);
  if (configuration.has_error()) return (*host)->finish(complain(configuration.error().message));
  std::string origin = config.origin;
  McpService service(config.access);
  service.locate_by(locate_by((*configuration)->access()));
  auto options = mcp_options(config);
  if (auto* const records = audit.requests(); records != nullptr) {
    // The configuration may ask for credentials from some time on.
    records->sum_up_where([&access = (*configuration)->access()] { return access.get()->asks_for_credentials(); });
    options.refused = [records](const HttpRequest& request, unsigned status) {
      records->refused(request.source.to_string(), request.principal, status);
    };
    service.when_refused(options.refused);
  }
  servers.serve_by(
      service, **configuration, options, [&] { return origin; }, authentications);
  std::atomic<const char*> not_serving = "starting";
  const auto why_not_ready = [&not_serving, records = audit.requests()]() -> std::string_view {
    if (const auto* const why = not_serving.load()) return why;
    return records != nullptr && records->refuses() ? "the audit log cannot be written" : "";
  };
  add_health(service, why_not_ready);
  const auto over_tls = *certificates == nullptr ? MakeHttpStream() : (*certificates)->make_stream();
  HttpServer http((*host)->threads(), config.http, service, log, over_tls);
  http.when_connections_end([&] { (*host)->drainer().look_again(); });
  std::promise<int> stop;
  StopSignals signals(log, [&](int signal) { stop.set_value(signal); });

  // Before any plugin is started, which would be for nothing.
  if (const auto bound = http.listen(); bound.has_error()) {
    return (*host)->finish(complain(bound.error().message));
  }
  const auto reached_at = origin_of(config, http.port());
  // Others know it by names that only the operator knows.
  if (origin.empty() && config.access.loopback_only) origin = reached_at;
  const auto url = reached_at.empty() ? unix_url_of(config) : reached_at + std::string(mcp_path);
  const auto heard = [&audit](const OperatorAct& act) { audit.operator_has(act); };
  std::unique_ptr<DashboardListener> dashboard;
  OpenDashboard open_dashboard;
  if (config.dashboard.listen) open_dashboard = [&dashboard] { return dashboard->url(); };
  const auto answers = answers_of(**host, config.host, "serve", watched, heard, configuration->get(),
                                  certificates->get(), url, open_dashboard);
  const ObservedHost observed{**host,
                              [&] { return servers.figures(); },
                              http,
                              **configuration,
                              certificates->get(),
                              authentications,
                              **calls,
                              *answers,
                              why_not_ready,
                              absolute_path(config.host.components)};
  auto admin = AdminListener::open(config, observed, log);
  if (admin.has_error()) return (*host)->finish(complain(admin.error().message));
  auto opened = DashboardListener::open(
      config, {observed, servers.whole(), watched, history, authentications, heard, options.refused}, over_tls, log);
  if (opened.has_error()) return (*host)->finish(complain(opened.error().message));
  dashboard = *std::move(opened);
  load_components(**host, config.host, log);
  not_serving = nullptr;
  http.serve();
  if (*certificates != nullptr) (*certificates)->run();
  (*host)->folder().run();

  auto control = listen_to_operator(config.host, answers, log);
  if (control.has_error()) {
    http.shut_down();
    return (*host)->finish(complain(control.error().message));
  }
  (*calls)->run(caller);
  (*configuration)
      ->run({.close_streams =
                 [&](const IsGood& is_good) {
                   servers.close_streams_of(is_good);
                   if (dashboard != nullptr) dashboard->close_streams_of(is_good);
                 },
             .expel =
                 [&](IsGood is_good) {
                   if (dashboard != nullptr) dashboard->expel(is_good);
                   http.expel(std::move(is_good));
                 }});
  log.info("serving", {{"url", url}, {"version", host_version}});
  systemd.ready();
  auto told_status = std::make_unique<SystemdStatus>(
      systemd, [&host] { return in_brief((*host)->folder().operator_service().report()); });

  const int signal = stop.get_future().get();
  told_status.reset();
  systemd.stopping();
  if (command.when_stopping) command.when_stopping();
  not_serving = "stopping";
  log.info("stopping", {{"signal", name_of(signal)}, {"grace_s", config.host.shutdown_grace.count()}});
  (*configuration)->stop();
  servers.close_streams();
  http.shut_down();
  if (dashboard != nullptr) dashboard->shut_down();
  (*host)->end_calls(config.host.shutdown_grace, [&] {
    return http.connections() == 0 && (dashboard == nullptr || dashboard->connections() == 0);
  });
  control->reset();
  (*calls)->stop();
  if (*admin != nullptr) (*admin)->shut_down();
  audit.close();
  const int status = (*host)->finish(0);
  log.info("stopped");
  return status;
}

}  // namespace

int run(const ServeCommand& command) {
  const auto environment = SystemdEnvironment::take();
  const auto config = adopt_sockets(command.config, environment);
  if (config.has_error()) return complain(config.error().message);
  if (const auto mistakes = check_reachability(*config); !mistakes.empty())
    return complain(command.source.words_for(mistakes));
  std::signal(SIGPIPE, SIG_IGN);
  StderrLog to_stderr(config->host.log_level, config->host.log_format);
  std::optional<PluginHistory> history;
  if (config->dashboard.listen) history.emplace(to_stderr);
  WatchedLog log(history ? static_cast<Log&>(*history) : to_stderr);
  auto streams = StandardStreams::take(log);
  if (streams.has_error()) return complain(streams.error().message);
  auto audit = Audit::open(*config, log);
  if (audit.has_error()) return complain(audit.error().message);
  return serve(command, *config, SystemdNotifier(environment), *audit, log, history ? &*history : nullptr);
}

// Whoever started this program, held to the roles that the configuration gives him.
Principal principal_of(const Config& config) {
  if (config.stdio_roles.empty()) return anonymous;
  const auto* const user = ::getpwuid(::geteuid());
  const auto name = user == nullptr ? std::to_string(::geteuid()) : std::string(user->pw_name);
  return Principal({.issuer = "stdio",
                    .subject = name,
                    .name = name,
                    .claimed_roles = config.stdio_roles,
                    .roles = config.stdio_roles});
}

int run(const StdioCommand& command) {
  std::signal(SIGPIPE, SIG_IGN);
  StderrLog to_stderr(command.config.host.log_level, command.config.host.log_format);
  WatchedLog watched(to_stderr);
  auto streams = StandardStreams::take(watched);
  if (streams.has_error()) return complain(streams.error().message);
  auto audit = Audit::open(command.config, watched);
  if (audit.has_error()) return complain(audit.error().message);
  auto& log = audit->log();
  auto calls = CallObservation::create(command.config, false, log);
  if (calls.has_error()) return complain(calls.error().message);
  auto host = Host::create(command.config.host, log, {{"messageBytes", command.config.stdio.max_message_bytes}});
  if (host.has_error()) return complain(host.error().message);

  NetworkCaller caller((*host)->threads());
  X402Payments payments(caller, log);
  auto serving = command.config.host.serving;
  serving.payments = &payments;
  Server server((*host)->catalog(), command.config.host.identity, serving, {}, log, (*calls)->observer(),
                audit->requests());
  std::unique_ptr<LiveConfiguration> configuration;
  if (!command.config.stdio_roles.empty()) {
    auto live = LiveConfiguration::create(command.source, command.config, {{"", &(*host)->catalog()}}, caller, log);
    if (live.has_error()) return (*host)->finish(complain(live.error().message));
    configuration = *std::move(live);
  }
  auto options = command.config.stdio;
  options.principal = principal_of(command.config);
  StdioTransport transport(streams->input(), streams->output(), std::move(options), server, log);
  transport.when_answered([&] { (*host)->drainer().look_again(); });
  StopSignals signals(log, [&](int) { transport.interrupt(); });
  load_components(**host, command.config.host, log);
  (*host)->folder().run();
  const auto heard = [&audit](const OperatorAct& act) { audit->operator_has(act); };
  auto control = listen_to_operator(
      command.config.host, answers_of(**host, command.config.host, "stdio", watched, heard, configuration.get()), log);
  if (control.has_error()) return (*host)->finish(complain(control.error().message));

  if (configuration != nullptr)
    configuration->run({.close_streams = [](const IsGood&) {}, .expel = [](const IsGood&) {}});
  (*calls)->run(caller);
  transport.run();
  if (configuration != nullptr) configuration->stop();
  server.close_streams();
  (*host)->end_calls(command.config.host.shutdown_grace, [&] { return transport.has_answered(); });
  const bool told_all = transport.finish();
  control->reset();
  (*calls)->stop();
  audit->close();
  const int status = (*host)->finish(told_all ? EXIT_SUCCESS : client_lost);
  log.info("stopped");
  return status;
}

}  // namespace mcph
