#include "app/admin_listener.hpp"

namespace mcph {
namespace {

// Those who may ask are few, and what they ask has no body.
HttpOptions admin_http_options(const Config& config) {
  HttpOptions options{.listen = *config.admin.listen, .listen_option = "--admin-listen"};
  options.limits.connections = 64;
  // The host that is full is the one that somebody wants to know about.
  options.limits.in_reserve = true;
  options.limits.body_bytes = 1024;
  return options;
}

// Which pages clients may come from says nothing of who may read how the host fares.
HttpAccess admin_access(const Config& config) {
  return {.loopback_only = config.admin.loopback_only,
          .allowed_hosts = config.access.allowed_hosts,
          .allowed_origins = {},
          .origin_option = {},
          .own_host = config.access.own_host};
}

}  // namespace

std::vector<std::string> degradations_of(const ObservedHost& observed) {
  std::vector<std::string> all;
  if (const auto& issuers = observed.configuration.access().get()->issuers(); issuers != nullptr) {
    for (const auto& each : issuers->fetches()) {
      if (each.has_failed_last) all.push_back("the keys of the issuer " + each.issuer + " cannot be fetched");
    }
  }
  if (observed.certificates != nullptr && !observed.certificates->refusal().empty())
    all.emplace_back("the certificate cannot be used as it is");
  if (!observed.configuration.reloads().refusal.empty()) all.emplace_back("the configuration cannot be used as it is");
  if (!observed.host.folder().operator_service().report().all_is_well()) all.emplace_back("not all plugins are well");
  return all;
}

Result<std::unique_ptr<AdminListener>> AdminListener::open(const Config& config, const ObservedHost& observed,
                                                           Log& log) {
  if (!config.admin.listen) return nullptr;
  std::unique_ptr<AdminListener> listener(new AdminListener(config, observed, log));
  if (auto bound = listener->http_.listen(); bound.has_error()) return bound.error();
  listener->http_.serve();
  const HttpAddress address{config.admin.listen->address, listener->http_.port()};
  log.info("serving the operator", {{"url", "http://" + address.authority() + "/metrics"}});
  return listener;
}

AdminListener::AdminListener(const Config& config, const ObservedHost& observed, Log& log)
    : observed_(observed),
      service_(admin_access(config), sources()),
      http_(observed.host.threads(), admin_http_options(config), service_, log) {}

OperationsService::Sources AdminListener::sources() {
  return {.readiness =
              [this] {
                return Readiness{observed_.why_not_ready(), degradations_of(observed_)};
              },
          .status = [this] { return observed_.answers.status() + "\n"; },
          .metrics =
              [this] {
                observed_.calls.requests().keep_only(*observed_.host.catalog().current());
                return metrics_of(observed_);
              },
          .attend = [this] { forget_what_is_gone(); }};
}

// Also where nobody asks for metrics. While somebody does, this is for the next look: on this event loop clients wait.
void AdminListener::forget_what_is_gone() {
  const auto catalog = observed_.host.catalog().current();
  if (catalog->generation() == seen_generation_) return;
  if (observed_.calls.requests().try_keep_only(*catalog)) seen_generation_ = catalog->generation();
}

}  // namespace mcph
