#include "app/http_host.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "admin/control_sockets.hpp"
#include "base/absolute_path.hpp"
#include "base/version.hpp"
#include "http/health.hpp"
#include "transport/streamable_http/authorization.hpp"

namespace mcph {
namespace {

constexpr auto unusable_tls = "[tls] cannot be used: ";
// What the end may take beyond the grace, as the unit of systemd allows for.
constexpr std::chrono::seconds end_beyond_grace{35};

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

// Null where there is no TLS.
Result<std::unique_ptr<LiveCertificates>> certificates_of(const TlsOptions& options, Log& log) {
  if (!options.is_on()) return nullptr;
  auto live = LiveCertificates::create(options, log);
  if (live.has_error()) return fail(unusable_tls + live.error().message);
  return live;
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

// That of the Unix socket, where the other one is not it already; empty: there is none.
std::string url_besides(const Config& config, const std::string& url) {
  return config.http.unix_socket.empty() || url.starts_with("unix:") ? std::string() : unix_url_of(config);
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

}  // namespace

Result<std::unique_ptr<HttpHost>> HttpHost::create(const Config& config, const Around& around) {
  auto& log = around.audit.log();
  auto certificates = certificates_of(config.tls, log);
  if (certificates.has_error()) return certificates.error();
  auto calls = CallObservation::create(config, true, log);
  if (calls.has_error()) return calls.error();
  auto host = Host::create(config.host, log, limits_of(config), features_of(config));
  if (host.has_error()) return host.error();
  return std::unique_ptr<HttpHost>(
      new HttpHost(config, around, *std::move(certificates), *std::move(calls), *std::move(host)));
}

HttpHost::HttpHost(const Config& config, const Around& around, std::unique_ptr<LiveCertificates> certificates,
                   std::unique_ptr<CallObservation> calls, std::unique_ptr<Host> host)
    : config_(config),
      audit_(around.audit),
      log_(around.audit.log()),
      lines_(around.lines),
      history_(around.history),
      systemd_(around.systemd),
      problem_(around.problem),
      certificates_(std::move(certificates)),
      calls_(std::move(calls)),
      host_(std::move(host)),
      watchdog_(host_->threads(), systemd_),
      caller_(host_->threads()),
      settling_caller_(host_->threads()),
      payments_(caller_, settling_caller_, log_),
      servers_(*host_, config_, payments_, calls_->observer(), audit_.requests(), log_),
      origin_(config_.origin),
      service_(config_.access),
      over_tls_(certificates_ == nullptr ? MakeHttpStream() : certificates_->make_stream()),
      http_(host_->threads(), config_.http, service_, log_, over_tls_) {
  http_.when_connections_end([this] { host_->drainer().look_again(); });
}

Result<> HttpHost::serve(const ConfigSource& source, const Config& configured) {
  if (auto watched = watch_configuration(source, configured); watched.has_error()) return watched;
  bind_mcp();
  bind_health();
  // Before any plugin is started, which would be for nothing.
  if (auto bound = listen(); bound.has_error()) return bound;
  answer_operator();
  if (auto bound = listen_for_operators(); bound.has_error()) return bound;
  if (auto bound = listen_at_socket(); bound.has_error()) return bound;
  host_->load_components();
  not_serving_ = nullptr;
  http_.serve();
  if (certificates_ != nullptr) certificates_->run();
  host_->folder().run();
  run();
  return {};
}

Result<> HttpHost::watch_configuration(const ConfigSource& source, const Config& configured) {
  auto live = LiveConfiguration::create(source, configured, LiveConfiguration::Serves::http, servers_.catalogs(),
                                        caller_, log_);
  if (live.has_error()) return live.error();
  configuration_ = *std::move(live);
  return {};
}

void HttpHost::bind_mcp() {
  service_.locate_by(locate_by(configuration_->access()));
  if (auto* const records = audit_.requests(); records != nullptr) {
    // The configuration may ask for credentials from some time on.
    records->sum_up_where([this] { return configuration_->access().get()->asks_for_credentials(); });
    service_.when_refused(refusal_listener());
  }
  servers_.serve_by(
      service_, *configuration_, mcp_options(), [this] { return origin_; }, authentications_);
}

// Null: nobody keeps records.
HttpRefusalListener HttpHost::refusal_listener() {
  auto* const records = audit_.requests();
  if (records == nullptr) return nullptr;
  return [records](const HttpRequest& request, unsigned status) {
    records->refused(request.source.text(), request.principal, status);
  };
}

StreamableHttpOptions HttpHost::mcp_options() {
  auto options = config_.mcp;
  // A stream is resumed in its session, so its events are of no use for longer than that.
  auto& time = options.events.time;
  time = std::min<std::chrono::milliseconds>(time, config_.sessions.idle_time);
  options.refused = refusal_listener();
  return options;
}

void HttpHost::bind_health() {
  for (auto& resource : health_resources([this] { return Readiness{.why_not = why_not_ready()}; }))
    service_.add(std::move(resource));
}

std::optional<NotReady> HttpHost::not_ready() const {
  if (const auto* const why = not_serving_.load()) return NotReady{.why = why, .is_fault = false};
  return audit_.not_ready();
}

std::string_view HttpHost::why_not_ready() const {
  const auto now = not_ready();
  return now ? now->why : std::string_view();
}

Result<> HttpHost::listen() {
  if (auto bound = http_.listen(); bound.has_error()) return bound;
  const auto reached_at = origin_of(config_, http_.port());
  // Others know it by names that only the operator knows.
  if (origin_.empty() && config_.access.loopback_only) origin_ = reached_at;
  url_ = reached_at.empty() ? unix_url_of(config_) : reached_at + std::string(mcp_path);
  return {};
}

void HttpHost::answer_operator() {
  OpenDashboard open_dashboard;
  if (config_.dashboard.listen) open_dashboard = [this] { return dashboard_->url(); };
  answers_ = std::make_unique<OperatorAnswers>(
      HostFacts{.version = host_version,
                .command = "serve",
                .url = url_,
                .components = config_.host.components,
                .also = url_besides(config_, url_),
                .not_ready = [this] { return not_ready(); },
                .problem = problem_},
      host_->folder().operator_service(), lines_, [this](const OperatorAct& act) { audit_.operator_has(act); },
      [this] { return report_configuration(); }, std::move(open_dashboard));
}

ConfigurationReport HttpHost::report_configuration() const {
  auto report = configuration_->report();
  if (!report.refusal.empty() || certificates_ == nullptr) return report;
  const auto refused = certificates_->refusal();
  if (!refused.empty()) report.refusal = unusable_tls + refused;
  return report;
}

ObservedHost HttpHost::observed() {
  return {.host = *host_,
          .servers = [this] { return servers_.figures(); },
          .http = http_,
          .configuration = *configuration_,
          .certificates = certificates_.get(),
          .authentications = authentications_,
          .calls = *calls_,
          .answers = *answers_,
          .why_not_ready = [this] { return why_not_ready(); },
          .root = absolute_path(config_.host.components)};
}

// Operators' programs, and people.
Result<> HttpHost::listen_for_operators() {
  const auto all = observed();
  auto admin = AdminListener::open(config_, all, log_);
  if (admin.has_error()) return admin.error();
  admin_ = *std::move(admin);
  auto dashboard = DashboardListener::open(config_,
                                           {.observed = all,
                                            .server = servers_.whole(),
                                            .lines = lines_,
                                            .history = history_,
                                            .authentications = authentications_,
                                            .heard = [this](const OperatorAct& act) { audit_.operator_has(act); },
                                            .refused = refusal_listener()},
                                           over_tls_, log_);
  if (dashboard.has_error()) return dashboard.error();
  dashboard_ = *std::move(dashboard);
  return {};
}

// The operator's commands. What they ask to be done waits until the plugins have been loaded.
Result<> HttpHost::listen_at_socket() {
  const auto answer = [this](std::string_view request, ControlServer::Asker& asker) {
    return answers_->answer(request, asker);
  };
  auto control = listen_to_operator(config_.host.control, answer, log_);
  if (control.has_error()) return control.error();
  control_ = *std::move(control);
  return {};
}

void HttpHost::run() {
  calls_->run(caller_);
  configuration_->run({.close_streams =
                           [this](const IsGood& is_good) {
                             servers_.close_streams_of(is_good);
                             if (dashboard_ != nullptr) dashboard_->close_streams_of(is_good);
                           },
                       .expel =
                           [this](IsGood is_good) {
                             if (dashboard_ != nullptr) dashboard_->expel(is_good);
                             http_.expel(std::move(is_good));
                           }});
  if (const auto also = url_besides(config_, url_); also.empty()) {
    log_.info("serving", {{"url", url_}, {"version", host_version}});
  } else {
    log_.info("serving", {{"url", url_}, {"also", also}, {"version", host_version}});
  }
  systemd_.ready();
  told_status_ = std::make_unique<SystemdStatus>(
      systemd_, [this] { return in_brief(host_->folder().operator_service().report()); });
}

void HttpHost::stop(std::string_view signal) {
  told_status_.reset();
  systemd_.stopping(config_.host.shutdown_grace + end_beyond_grace);
  not_serving_ = "stopping";
  log_.info("stopping", {{"signal", signal}, {"grace_s", config_.host.shutdown_grace.count()}});
  configuration_->stop();
  servers_.close_streams();
  http_.shut_down();
  if (dashboard_ != nullptr) dashboard_->shut_down();
  host_->end_calls(config_.host.shutdown_grace, [this] {
    return http_.connections() == 0 && (dashboard_ == nullptr || dashboard_->connections() == 0);
  });
  control_.reset();
  calls_->stop();
  if (admin_ != nullptr) admin_->shut_down();
}

int HttpHost::finish(int status) {
  return host_->finish(status, [this] { audit_.close(); });
}

}  // namespace mcph
