// A server with one plugin behind it, as the tests of the protocol's front use it: text in, text out. The plugin's tool
// "add" answers when the test completes its call; everything else is refused or answered by the host itself.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "protocol/server/server.hpp"
#include "support/recording_exchange.hpp"
#include "support/recording_log.hpp"
#include "support/recording_stream.hpp"
#include "support/served_plugin.hpp"
#include "transport/streamable_http/mcp_endpoint.hpp"

namespace mcph::test {

inline constexpr std::string_view usual_components = R"({
    "tools": [{"name": "add", "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}}}}],
    "resources": [{"uri": "notes://all", "name": "all"}],
    "resourceTemplates": [{"uriTemplate": "notes://{name}", "name": "one"}],
    "prompts": [{"name": "review", "arguments": [{"name": "code", "required": true}]}],
    "instructions": "Adds."})";

// What a plugin says that needs an answer of the client.
inline constexpr auto asks_for_roots = R"({"inputRequests":{"a":{"method":"roots/list"}}})";

// A request of the legacy era, or of the modern one: then with what every request must carry.
inline std::string request(const std::string& id, const std::string& method, const std::string& params = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}";
}
inline std::string modern_meta(const std::string& version = "2026-07-28") {
  return R"("_meta":{"io.modelcontextprotocol/protocolVersion":")" + version +
         R"(","io.modelcontextprotocol/clientCapabilities":{}})";
}
// `members` are those of the params besides _meta, each followed by a comma.
inline std::string modern_request(const std::string& id, const std::string& method, const std::string& members = {},
                                  const std::string& version = "2026-07-28") {
  return request(id, method, "{" + members + modern_meta(version) + "}");
}
inline std::string initialize(const std::string& version) {
  return request(
      "0", "initialize",
      R"({"protocolVersion":")" + version + R"(","capabilities":{},"clientInfo":{"name":"client","version":"1"}})");
}
inline constexpr std::string_view initialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

class ServerFixture : public ::testing::Test {
 protected:
  explicit ServerFixture(ServingOptions options = {}, Sessions::Limits limits = {}, CallObserver* observer = nullptr)
      : server_(catalog_, {"host", "Host", "1.0"}, options, limits, log_, observer) {
    publish(usual_components);
  }
  // A request without an answer and its call hold each other, and so do the plugin and the calls it was given.
  ~ServerFixture() override {
    for (const auto& exchange : exchanges_)
      exchange->abandon();
    plugin_->let_go_of_calls();
  }

  void publish(std::string_view document) {
    catalog_.publish(
        std::make_shared<const Catalog>(++generation_, std::vector{ServedPlugin{plugin_, components_of(document)}}));
  }

  std::shared_ptr<RecordingExchange> post(std::string_view body, const HttpHead& head = {}) {
    auto exchange = make_exchange();
    endpoint_.post(body, head, exchange);
    return exchange;
  }

  // A modern request whose headers mirror its body.
  std::shared_ptr<RecordingExchange> post_modern(const std::string& method, const std::string& members = {},
                                                 std::optional<std::string_view> name = std::nullopt) {
    return post(modern_request("1", method, members),
                {.protocol_version = "2026-07-28", .method = method, .name = name, .session_id = {}});
  }

  // Opens a session over HTTP, and returns its id.
  std::string open_session(const std::string& version) {
    auto id = post(initialize(version))->session().id;
    post(initialized, in_session(id));
    return id;
  }
  static HttpHead in_session(std::string_view id) {
    return {.protocol_version = {}, .method = {}, .name = {}, .session_id = id};
  }

  std::shared_ptr<RecordingExchange> line(std::string_view text) {
    auto exchange = make_exchange();
    server_.receive(text, stdio_, {}, exchange);
    return exchange;
  }

  PublishedCatalog catalog_;
  RecordingLog log_{Log::Level::off};
  std::uint64_t generation_ = 0;
  const std::shared_ptr<FakePlugin> plugin_ = std::make_shared<FakePlugin>("/components/tools/sums.so");
  Server server_;
  McpEndpoint endpoint_{server_, false};
  const std::shared_ptr<RecordingStream> output_ = std::make_shared<RecordingStream>();
  DuplexClient stdio_{.output = output_};

 private:
  std::shared_ptr<RecordingExchange> make_exchange() {
    return exchanges_.emplace_back(std::make_shared<RecordingExchange>());
  }

  std::vector<std::shared_ptr<RecordingExchange>> exchanges_;
};

}  // namespace mcph::test
