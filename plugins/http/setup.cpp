#include "http/setup.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mcp/plugin.hpp>

#include "http/address_rules.hpp"
#include "http/answer_cache.hpp"
#include "http/curl_library.hpp"
#include "http/fetcher.hpp"
#include "http/http_tool.hpp"
#include "http/secrets.hpp"
#include "http/settings.hpp"
#include "http/tool_call.hpp"

namespace plugins::http {
namespace {

// What the tools share. Made in setup; libcurl and the fetcher are there from start to stop.
struct Service {
  Secrets secrets;
  Connections connections;
  std::size_t concurrent;
  std::shared_ptr<AnswerCache> cache = std::make_shared<AnswerCache>();
  std::shared_ptr<Fetcher> fetcher = nullptr;
};

Connections connections_of(const Settings& settings) {
  const auto ca_file = settings.ca_file.value_or("");
  if (settings.ca_file && !ca_file.starts_with('/')) {
    refuse("configuration.caFile", "must be an absolute path, not \"" + ca_file + '"');
  }
  return {nullptr, AddressRules(settings.allow_addresses.value_or(std::vector<std::string>())), ca_file};
}

Request request_of(mcp::Plugin& plugin, const HttpTool& tool, const Service& service, const mcp::Json& arguments) {
  try {
    return tool.request(arguments, service.secrets);
  } catch (const mcp::ToolError&) {
    throw;
  } catch (const std::runtime_error& error) {
    plugin.error(error.what());
    throw mcp::ToolError("A secret that this tool needs cannot be had now. The server's log says why.");
  }
}

void start_call(mcp::Plugin& plugin, const std::shared_ptr<const HttpTool>& tool, const Service& service,
                const mcp::Json& arguments, mcp::Call call) {
  auto request = request_of(plugin, *tool, service, arguments);
  if (tool->cache_time().count() > 0) {
    if (const auto known = service.cache->find(tool->name() + '\n' + request.key())) return call.complete(*known);
  }
  const auto waiting = std::make_shared<ToolCall>(std::move(call), tool, request, service.cache);
  const auto id = service.fetcher->add(std::move(request), tool->limits(), waiting);
  waiting->call().on_cancel([weak = std::weak_ptr(service.fetcher), id] {
    if (const auto fetcher = weak.lock()) fetcher->cancel(id);
  });
}

void register_tool(mcp::Plugin& plugin, const std::shared_ptr<const HttpTool>& tool,
                   const std::shared_ptr<Service>& service) {
  auto added = plugin.raw_async_tool(tool->name(), tool->settings().description, tool->input_schema(),
                                     [&plugin, tool, service](const mcp::Json& arguments, mcp::Call call) {
                                       start_call(plugin, tool, *service, arguments, std::move(call));
                                     });
  tool->describe(added);
}

}  // namespace

// Without tools in its configuration it has nothing to ask, and exports nothing.
void setup(mcp::Plugin& plugin) {
  const auto settings = mcp::read_json<Settings>(plugin.config(), "configuration");
  const auto tools = settings.tools.value_or(std::vector<ToolSettings>());
  const auto service =
      std::make_shared<Service>(Service{Secrets(settings.secrets.value_or(std::map<std::string, SecretSettings>())),
                                        connections_of(settings), static_cast<std::size_t>(settings.concurrent)});
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const auto place = "configuration.tools[" + std::to_string(i) + ']';
    register_tool(plugin, std::make_shared<const HttpTool>(tools[i], service->secrets, place), service);
  }
  if (tools.empty()) return;
  plugin.on_start([service] {
    service->secrets.require_all();
    service->connections.curl = std::make_shared<const CurlLibrary>();
    service->fetcher = std::make_shared<Fetcher>(service->connections, service->concurrent);
  });
  plugin.on_stop([service] {
    if (!service->fetcher) return;  // it did not start
    service->fetcher->stop();
    service->fetcher.reset();
    service->connections.curl.reset();
  });
}

}  // namespace plugins::http
