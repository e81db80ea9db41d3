// The listener for the operator's programs, where the configuration wants one: metrics, health and status over HTTP. It
// answers from before the components are loaded until all calls have ended. Owned by the command that serves; any
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admin/operations_service.hpp"
#include "admin/operator_answers.hpp"
#include "app/call_observation.hpp"
#include "app/host.hpp"
#include "app/live_certificates.hpp"
#include "app/live_configuration.hpp"
#include "base/result.hpp"
#include "config/config.hpp"
#include "http/server.hpp"
#include "protocol/server/server.hpp"
#include "transport/streamable_http/authentication_counts.hpp"

namespace mcph {

// Whose figures are shown; all of it outlives the listener.
struct ObservedHost {
  Host& host;
  std::function<Server::Figures()> servers;  // of all together
  const HttpServer& http;
  const LiveConfiguration& configuration;
  const LiveCertificates* certificates;  // null: there is no TLS
  const AuthenticationCounts& authentications;
  CallObservation& calls;
  const OperatorAnswers& answers;
  std::function<std::string_view()> why_not_ready;  // empty: it is ready
  std::filesystem::path root;                       // of the components, absolute
};

// What the host is short of although it is ready, in words.
std::vector<std::string> degradations_of(const ObservedHost& observed);

// In the text format of Prometheus.
std::string metrics_of(const ObservedHost& observed);

class AdminListener {
 public:
  // Null where the configuration wants none. Fails if the address cannot be had.
  static Result<std::unique_ptr<AdminListener>> open(const Config& config, const ObservedHost& observed, Log& log);

  void shut_down() { http_.shut_down(); }

 private:
  AdminListener(const Config& config, const ObservedHost& observed, Log& log);
  OperationsService::Sources sources();
  void forget_what_is_gone();

  const ObservedHost observed_;
  std::uint64_t seen_generation_ = 0;  // of the catalog; of the server's event loop
  OperationsService service_;
  HttpServer http_;
};

}  // namespace mcph
