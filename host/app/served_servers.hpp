// The servers of MCP that one host is to its clients over HTTP: that of all that it serves, and those that the operator
// has made of parts of it. Made by the command that serves, before anything is loaded; any thread once they are served.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/host.hpp"
#include "app/live_configuration.hpp"
#include "config/config.hpp"
#include "protocol/call_observer.hpp"
#include "protocol/calls/payments.hpp"
#include "protocol/request_record.hpp"
#include "protocol/server/server.hpp"
#include "transport/streamable_http/authentication_counts.hpp"
#include "transport/streamable_http/discovery.hpp"
#include "transport/streamable_http/mcp_service.hpp"
#include "transport/streamable_http/streamable_http.hpp"

namespace mcph {

class ServedServers {
 public:
  // All outlive it, and whoever observes calls or keeps records of them the host, too; null: nobody does.
  ServedServers(Host& host, const Config& config, Payments& payments, CallObserver* observer, RequestRecords* records,
                Log& log);

  LiveConfiguration::Catalogs catalogs() const;

  // Once. `options` are those of all of them. `origin` is where clients reach this host, as far as it is known by then.
  void serve_by(McpService& service, const LiveConfiguration& configuration, const StreamableHttpOptions& options,
                const Origin& origin, AuthenticationCounts& authentications);

  // That of the whole.
  Server& whole() { return all_.front()->server; }
  // Of all together.
  Server::Figures figures() const;
  void close_streams_of(const IsGood& is_good);
  void close_streams();

 private:
  struct ServedServer {
    ServedServer(std::string its_name, std::vector<std::string> its_paths, PublishedCatalog& its_catalog,
                 ServerIdentity its_identity, const ServingOptions& serving, const Config& config,
                 CallObserver* observer, RequestRecords* records, Log& log);

    const std::string name;  // empty: that of the whole
    const std::vector<std::string> paths;
    PublishedCatalog& catalog;
    const ServerIdentity identity;
    Server server;
    std::unique_ptr<StreamableHttp> http;
  };

  std::vector<std::unique_ptr<ServedServer>> all_;  // that of the whole first
};

}  // namespace mcph
