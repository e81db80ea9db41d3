#include "app/dashboard_listener.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "app/process_figures.hpp"
#include "auth/own_issuers.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "dashboard/plugin_details.hpp"
#include "transport/streamable_http/authorization.hpp"
#include "transport/streamable_http/limit_requests.hpp"

namespace mcph {
namespace {

// Those who look are few. What they try may be as long as any request.
HttpOptions dashboard_http_options(const Config& config) {
  HttpOptions options{.listen = *config.dashboard.listen, .listen_option = "--dashboard"};
  options.limits = config.http.limits;
  options.limits.connections = 64;
  options.limits.in_reserve = true;
  options.certificates_admit = config.http.certificates_admit;
  return options;
}

// The service itself compares Origin and Host: the page is the only one that may ask.
HttpAccess dashboard_access(const Config& config) {
  return {.loopback_only = config.dashboard.loopback_only,
          .allowed_hosts = config.access.allowed_hosts,
          .allowed_origins = {"*"},
          .origin_option = {},
          .own_host = config.dashboard.own_host};
}

// The sender has come in, and is held to the same limits as anywhere else.
StreamableHttpOptions dashboard_mcp_options(const Config& config, const Current<Limits>& limits,
                                            const HttpRefusalListener& refused) {
  auto options = config.mcp;
  options.paths = {""};
  options.websocket = false;
  options.http_sse = false;
  options.middleware = {limit_by_sender(limits)};
  options.limits = &limits;
  options.refused = refused;
  return options;
}

// Whose address may ask at all, and then who it is.
HttpMiddleware authenticate_within_limits(const Current<AccessState>& access, AuthenticationCounts& authentications,
                                          const Current<Limits>& limits) {
  return [within = limit_by_address(limits),
          authenticate = authenticate_by(access, authentications, [&limits](const HttpRequest& request) {
            note_failure(limits, request);
          })](HttpRequest& request) {
    auto verdict = within(request);
    return verdict.refusal || verdict.wait ? std::move(verdict) : authenticate(request);
  };
}

// Nobody reads along with what an operator does by HTTP.
class SilentAsker final : public ControlServer::Asker {
 public:
  Result<> tell(std::string /*line*/) override { return fail("only a control socket carries several answers"); }
  bool waits() const override { return false; }
};

bool has_one_of(const std::set<std::string>& roles, const std::vector<std::string>& wanted) {
  return std::ranges::any_of(wanted, [&](const auto& role) { return roles.contains(role); });
}

}  // namespace

Result<std::unique_ptr<DashboardListener>> DashboardListener::open(const Config& config, const Around& around,
                                                                   const MakeHttpStream& over_tls, Log& log) {
  if (!config.dashboard.listen || around.history == nullptr) return nullptr;
  std::unique_ptr<DashboardListener> listener(new DashboardListener(config, around, over_tls, log));
  if (auto bound = listener->http_.listen(); bound.has_error()) return bound.error();
  listener->http_.when_connections_end([&host = around.observed.host] { host.drainer().look_again(); });
  listener->http_.serve();
  log.info("serving the dashboard", {{"url", listener->origin() + "/"},
                                     {"address", listener->address().authority()},
                                     {"login", "mcp-plugin-host dashboard"}});
  return listener;
}

DashboardListener::DashboardListener(const Config& config, const Around& around, const MakeHttpStream& over_tls,
                                     Log& log)
    : settings_(config.dashboard),
      observed_(around.observed),
      history_(*around.history),
      // On this machine nobody reads along, and a certificate does not name its loopback address.
      is_over_tls_(over_tls != nullptr && !config.dashboard.loopback_only),
      heard_(around.heard),
      log_(log),
      status_([this] { return observed_.answers.status_json(); }),
      mcp_(around.server, dashboard_mcp_options(config, observed_.configuration.limits(), around.refused)),
      service_(dashboard_access(config), sources(around), is_over_tls_ || settings_.url.starts_with("https:")),
      http_(observed_.host.threads(), dashboard_http_options(config), service_, log,
            is_over_tls_ ? over_tls : MakeHttpStream()) {
  service_.locate_by(locate_by(observed_.configuration.access()));
  for (auto& resource : mcp_.resources())
    service_.add(std::move(resource));
}

DashboardService::Sources DashboardListener::sources(const Around& around) {
  const auto& access = observed_.configuration.access();
  return {.logins = logins_,
          .origin = settings_.url,
          .operator_itself =
              Principal({.issuer = std::string(operator_issuer), .subject = "control-socket", .name = "operator"}),
          .news = {.status = status_,
                   .figures = [this] { return figures(); },
                   .calls = *observed_.calls.recent(),
                   .log = around.lines},
          .details =
              [this](const std::string& file, bool may_operate) {
                return plugin_details(observed_.host.folder().operator_service().report(), file, history_,
                                      *observed_.calls.recent(), may_operate);
              },
          .bodies = observed_.calls.recent()->kept_params() > 0 ? std::bind_front(&DashboardListener::bodies_of, this)
                                                                : DashboardService::TellBodies(),
          .command = [this](const OrderedJson& command, const Principal& by) { return obey(command, by); },
          .authenticate = authenticate_within_limits(access, around.authentications, observed_.configuration.limits()),
          .admit = [this](const Principal& principal) { return admit(principal); },
          .is_good =
              [&access](const Principal& principal) {
                return access.get()->is_good(principal, std::chrono::system_clock::now());
              },
          .expel = [this](IsGood is_good) { http_.expel(std::move(is_good)); },
          .logged_in =
              [this](const Principal& principal) {
                log_.info("dashboard login", {{"who", principal.id()}});
                heard_({.command = "login", .outcome = "ok", .by = principal});
              },
          .refused = around.refused,
          .attend = [this] { mcp_.attend(); },
          .shut_down = [this] { mcp_.shut_down(); }};
}

std::optional<DashboardLogin> DashboardListener::admit(const Principal& principal) const {
  const auto access = observed_.configuration.access().get();
  const auto roles = access->roles_of(principal);
  const bool may_operate = has_one_of(roles, settings_.operators);
  if (!may_operate && !has_one_of(roles, settings_.viewers)) return std::nullopt;
  return DashboardLogin{access->with_roles_of_now(principal), may_operate};
}

std::string DashboardListener::obey(const OrderedJson& command, const Principal& by) {
  log_.info("dashboard command", {{"command", command.value("command", "")}, {"who", by.id()}});
  SilentAsker asker;
  return observed_.answers.answer(dump(command), asker, by);
}

std::optional<std::string> DashboardListener::bodies_of(std::uint64_t number, const Principal& by) const {
  const auto bodies = observed_.calls.recent()->bodies_of(number);
  if (!bodies) return std::nullopt;
  heard_({.command = "call", .plugin = bodies->plugin, .outcome = "ok", .by = by});
  return dump(OrderedJson{{"params", bodies->params}, {"answer", bodies->answer}});
}

OrderedJson DashboardListener::figures() {
  const auto servers = observed_.servers();
  const auto process = process_figures();
  const auto now = std::chrono::steady_clock::now();
  const MutexLock lock(mutex_);
  const auto passed = std::chrono::duration<double>(now - looked_at_).count();
  if (passed >= 0.5) {
    cpu_percent_ = cpu_seconds_ == 0 ? 0 : (process.cpu_seconds - cpu_seconds_) * 100 / passed;
    cpu_seconds_ = process.cpu_seconds;
    looked_at_ = now;
  }
  return {{"sessions", servers.sessions},
          {"streams", observed_.http.event_streams()},
          {"connections", observed_.http.connections()},
          {"residentBytes", process.resident_bytes},
          {"cpuPercent", cpu_percent_}};
}

std::string DashboardListener::origin() const {
  if (!settings_.url.empty()) return settings_.url;
  return (is_over_tls_ ? "https://" : "http://") + address().authority();
}

std::string DashboardListener::url() {
  return origin() + "/#t=" + logins_.issue();
}

}  // namespace mcph
