#include "app/served_servers.hpp"

#include <utility>

#include "app/upstream_paths.hpp"
#include "transport/streamable_http/authorization.hpp"
#include "transport/streamable_http/limit_requests.hpp"
#include "transport/streamable_http/resource_metadata.hpp"

namespace mcph {
namespace {

ServingOptions serving_of(const std::string& name, const Config& config, Payments& payments) {
  auto serving = config.host.serving;
  serving.payments = &payments;
  if (!name.empty()) serving.state_key = state_key_of(name, serving.state_key);
  return serving;
}

}  // namespace

ServedServers::ServedServer::ServedServer(std::string its_name, std::vector<std::string> its_paths,
                                          PublishedCatalog& its_catalog, ServerIdentity its_identity,
                                          const ServingOptions& serving, const Config& config, CallObserver* observer,
                                          RequestRecords* records, Log& log)
    : name(std::move(its_name)),
      paths(std::move(its_paths)),
      catalog(its_catalog),
      identity(std::move(its_identity)),
      server(catalog, identity, serving, config.sessions, log, observer, records) {}

ServedServers::ServedServers(Host& host, const Config& config, Payments& payments, CallObserver* observer,
                             RequestRecords* records, Log& log) {
  const auto add = [&](const std::string& name, std::vector<std::string> paths, PublishedCatalog& catalog,
                       const ServerIdentity& identity) {
    all_.push_back(std::make_unique<ServedServer>(name, std::move(paths), catalog, identity,
                                                  serving_of(name, config, payments), config, observer, records, log));
  };
  add({}, {"", std::string(upstream_path)}, host.catalog(), config.host.identity);
  for (const auto& [name, server] : config.servers)
    add(name, VirtualServer::paths(name), host.add_catalog(server.instructions), server.identity);
}

LiveConfiguration::Catalogs ServedServers::catalogs() const {
  LiveConfiguration::Catalogs all;
  for (const auto& each : all_)
    all.emplace(each->name, &each->catalog);
  return all;
}

void ServedServers::serve_by(McpService& service, const LiveConfiguration& configuration,
                             const StreamableHttpOptions& options, const Origin& origin,
                             AuthenticationCounts& authentications) {
  const auto& limits = configuration.limits();
  std::vector<DiscoverableServer> found;
  for (const auto& each : all_) {
    const auto& access = configuration.access(each->name);
    auto own = options;
    own.paths = each->paths;
    own.middleware.push_back(limit_by_address(limits));
    own.middleware.push_back(authenticate_by(access, authentications,
                                             [&limits](const HttpRequest& request) { note_failure(limits, request); }));
    own.middleware.push_back(limit_by_sender(limits));
    if (each->name.empty()) own.middleware.push_back(narrow_to_upstream(each->catalog));
    own.limits = &limits;
    own.renew = renew_by(access);
    own.challenge = scope_challenge(access);
    each->http = std::make_unique<StreamableHttp>(each->server, std::move(own));
    service.add(*each->http);
    for (const auto& path : each->paths) {
      for (auto& resource : metadata_resources(access, path + std::string(mcp_path), path.empty()))
        service.add(std::move(resource));
    }
    found.push_back({each->identity, each->paths.front() + std::string(mcp_path)});
  }
  const auto& access = configuration.access();
  const auto asks_for_tokens = [&access] {
    const auto state = access.get();
    return state->asks_for_credentials() && state->resource().takes_tokens && !state->takes_anonymous();
  };
  for (auto& resource : discovery_resources(found, origin, asks_for_tokens))
    service.add(std::move(resource));
}

Server::Figures ServedServers::figures() const {
  Server::Figures sum;
  for (const auto& each : all_) {
    const auto figures = each->server.figures();
    sum.sessions += figures.sessions;
    sum.subscriptions += figures.subscriptions;
    sum.tasks += figures.tasks;
  }
  return sum;
}

void ServedServers::close_streams_of(const IsGood& is_good) {
  for (const auto& each : all_)
    each->http->close_streams_of(is_good);
}

void ServedServers::close_streams() {
  for (const auto& each : all_)
    each->server.close_streams();
}

}  // namespace mcph
