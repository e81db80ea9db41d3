// The two commands that serve clients until they are told to stop.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <pwd.h>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "admin/control_server.hpp"
#include "admin/control_sockets.hpp"
#include "admin/operator_answers.hpp"
#include "app/audit.hpp"
#include "app/call_observation.hpp"
#include "app/host.hpp"
#include "app/http_host.hpp"
#include "app/live_configuration.hpp"
#include "app/serving_checks.hpp"
#include "app/systemd.hpp"
#include "base/file_descriptor.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "cli/terminal.hpp"
#include "dashboard/plugin_history.hpp"
#include "http/client/network_caller.hpp"
#include "payments/x402_payments.hpp"
#include "protocol/server/server.hpp"
#include "telemetry/stderr_log.hpp"
#include "telemetry/watched_log.hpp"
#include "transport/stdio/standard_streams.hpp"
#include "transport/stdio/stdio_transport.hpp"

namespace mcph {
namespace {

constexpr int client_lost = 1;

const char* name_of(int signal) {
  if (signal == SIGHUP) return "SIGHUP";
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

bool has_terminal() {
  return bool(FileDescriptor(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)));
}

// What SIGHUP says: that whoever has started the program is gone, or, to a service, that there is something to read
// anew.
enum class HangUp { ends, means_nothing };

// Calls `first` on the first signal that asks for the end. A later one ends the process at once; not one that comes
// right after it, because some senders signal a process and then its group.
class StopSignals {
 public:
  StopSignals(Log& log, HangUp hang_up, std::function<void(int)> first)
      : signals_(context_, SIGINT, SIGTERM), hang_ups_(context_), log_(log) {
    const bool is_heeded = heeds_hang_up();
    if (is_heeded && hang_up == HangUp::ends) signals_.add(SIGHUP);
    if (is_heeded && hang_up == HangUp::means_nothing) {
      hang_ups_.add(SIGHUP);
      wait_for_hang_up();
    }
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
    hang_ups_.clear(ignored);
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
      std::_Exit(128 + signal);  // without a word, because the log may wait for its reader
    });
  }

  void wait_for_hang_up() {
    hang_ups_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      log_.info("signal ignored", {{"signal", name_of(SIGHUP)},
                                   {"reason", "files of the configuration and of certificates are watched"},
                                   {"next", "mcp-plugin-host reload loads the plugins anew; SIGTERM ends the host"}});
      wait_for_hang_up();
    });
  }

  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_;
  boost::asio::signal_set hang_ups_;
  Log& log_;
  std::chrono::steady_clock::time_point first_at_;
  std::thread thread_;  // of its own, because a second signal counts while all others are being waited for
};

// The configuration, but for where it listens if systemd does so in its stead.
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

// Says why, as whoever reads the log expects it, and returns the status.
int refuse_to_serve(const Config& config, const std::string& why) {
  if (config.host.log_format == StderrLog::Format::text) return complain(why);
  StderrLog(Log::Level::error, config.host.log_format, {}, StderrLog::while_serving)
      .error("not started", {{"reason", why}});
  return not_carried_out;
}

}  // namespace

int run(const ServeCommand& command) {
  const auto environment = SystemdEnvironment::take();
  const auto config = adopt_sockets(command.config, environment);
  if (config.has_error()) return refuse_to_serve(command.config, config.error().message);
  if (const auto mistakes = check_reachability(*config); !mistakes.empty())
    return refuse_to_serve(command.config, command.source.words_for(mistakes));
  std::signal(SIGPIPE, SIG_IGN);
  StderrLog to_stderr(config->host.log_level, config->host.log_format, {}, StderrLog::while_serving);
  std::optional<PluginHistory> history;
  if (config->dashboard.listen) history.emplace(to_stderr);
  WatchedLog log(history ? static_cast<Log&>(*history) : to_stderr);
  auto streams = StandardStreams::take(log);
  if (streams.has_error()) return refuse_to_serve(command.config, streams.error().message);
  auto audit = Audit::open(*config, log);
  if (audit.has_error()) return refuse_to_serve(command.config, audit.error().message);
  if (const auto remark = remark_on_clear_text(*config); !remark.empty())
    audit->log().warning("not encrypted", {{"reason", remark}});
  if (const auto remark = remark_on_roles(*config); !remark.empty())
    audit->log().warning("nobody has a role", {{"reason", remark}});
  const SystemdNotifier systemd(environment);
  auto host = HttpHost::create(*config, {.audit = *audit,
                                         .lines = log,
                                         .history = history ? &*history : nullptr,
                                         .systemd = systemd,
                                         .problem = command.problem});
  if (host.has_error()) return refuse_to_serve(command.config, host.error().message);

  std::promise<int> told_to_stop;
  const auto hang_up = has_terminal() ? HangUp::ends : HangUp::means_nothing;
  const StopSignals signals(audit->log(), hang_up, [&told_to_stop](int signal) { told_to_stop.set_value(signal); });
  if (const auto served = (*host)->serve(command.source, command.config); served.has_error())
    return (*host)->finish(refuse_to_serve(command.config, served.error().message));
  const int signal = told_to_stop.get_future().get();
  if (command.when_stopping) command.when_stopping();
  (*host)->stop(name_of(signal));
  const int status = (*host)->finish(EXIT_SUCCESS);
  audit->log().info("stopped");
  return status;
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

// Null where the configuration gives no roles, and so no change of it counts.
Result<std::unique_ptr<LiveConfiguration>> configuration_of(const StdioCommand& command, Host& host, HttpCaller& caller,
                                                            Log& log) {
  if (command.config.stdio_roles.empty()) return nullptr;
  return LiveConfiguration::create(command.source, command.config, LiveConfiguration::Serves::stdio,
                                   {{"", &host.catalog()}}, caller, log);
}

// `configuration` may be null. All of it outlives the answers.
OperatorAnswers answers_of(const StdioCommand& command, Host& host, Audit& audit, WatchedLog& log,
                           const LiveConfiguration* configuration) {
  ReportConfiguration report;
  if (configuration != nullptr) report = [configuration] { return configuration->report(); };
  return {{.version = host_version,
           .command = "stdio",
           .url = {},
           .components = command.config.host.components,
           .not_ready = [&audit] { return audit.not_ready(); }},
          host.folder().operator_service(),
          log,
          [&audit](const OperatorAct& act) { audit.operator_has(act); },
          std::move(report)};
}

int run(const StdioCommand& command) {
  std::signal(SIGPIPE, SIG_IGN);
  StderrLog to_stderr(command.config.host.log_level, command.config.host.log_format, {}, StderrLog::while_serving);
  WatchedLog watched(to_stderr);
  auto streams = StandardStreams::take(watched);
  if (streams.has_error()) return refuse_to_serve(command.config, streams.error().message);
  auto audit = Audit::open(command.config, watched);
  if (audit.has_error()) return refuse_to_serve(command.config, audit.error().message);
  auto& log = audit->log();
  auto calls = CallObservation::create(command.config, false, log);
  if (calls.has_error()) return refuse_to_serve(command.config, calls.error().message);
  auto options_of_host = command.config.host;
  options_of_host.has_one_client = true;
  auto host = Host::create(options_of_host, log, {{"messageBytes", command.config.stdio.max_message_bytes}});
  if (host.has_error()) return refuse_to_serve(command.config, host.error().message);

  NetworkCaller caller((*host)->threads());
  NetworkCaller settling_caller((*host)->threads());
  X402Payments payments(caller, settling_caller, log);
  auto serving = command.config.host.serving;
  serving.payments = &payments;
  Server server((*host)->catalog(), command.config.host.identity, serving, {}, log, (*calls)->observer(),
                audit->requests());
  auto live = configuration_of(command, **host, caller, log);
  if (live.has_error()) return (*host)->finish(refuse_to_serve(command.config, live.error().message));
  const auto configuration = *std::move(live);
  auto options = command.config.stdio;
  options.principal = principal_of(command.config);
  StdioTransport transport(streams->input(), streams->output(), std::move(options), server, log);
  transport.when_answered([&] { (*host)->drainer().look_again(); });
  StopSignals signals(log, HangUp::ends, [&](int) { transport.interrupt(); });
  // Before any plugin is started, which would be for nothing.
  const auto answers = answers_of(command, **host, *audit, watched, configuration.get());
  const auto answer = [&answers](std::string_view request, ControlServer::Asker& asker) {
    return answers.answer(request, asker);
  };
  auto control = listen_to_operator(command.config.host.control, answer, log);
  if (control.has_error()) return (*host)->finish(refuse_to_serve(command.config, control.error().message));
  (*host)->load_components();
  (*host)->folder().run();

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
  const int status = (*host)->finish(told_all ? EXIT_SUCCESS : client_lost, [&audit] { audit->close(); });
  log.info("stopped");
  return status;
}

}  // namespace mcph
