#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/plugin/export.hpp>
#include <mcp/plugin/testing.hpp>
#include <mcp/server_info.h>

#include "server/setup.hpp"

namespace plugins::server {
namespace {

using mcp::Json;

void write(const mcp_sink* sink, std::string_view text) {
  sink->write(sink->context, {text.data(), text.size()});
}

// A host that offers the interface, which the harness does not, and keeps the last answer. It is reached through the
// table's context, and outlives the instance.
class OfferingHost {
 public:
  explicit OfferingHost(std::uint32_t info_size = sizeof(mcp_server_info)) : info_{info_size, 0, describe} {
    table_.size = sizeof(mcp_host);
    table_.context = this;
    table_.complete = [](const mcp_host* host, mcp_call_id, std::int32_t outcome, mcp_string json) {
      of(host).outcome_ = outcome;
      of(host).answer_ = Json::parse(std::string_view(json.data, json.size));
    };
    table_.log = [](const mcp_host*, mcp_call_id, std::int32_t, mcp_string) {};
    table_.is_cancelled = [](const mcp_host*, mcp_call_id) -> std::int32_t { return MCP_CANCEL_NONE; };
    table_.configuration = [](const mcp_host*, const mcp_sink* sink) { write(sink, "{}"); };
    table_.get_interface = [](const mcp_host* host, const char* name) -> const void* {
      return std::strcmp(name, "mcp.server-info/1") == 0 ? &of(host).info_ : nullptr;
    };
    instance_ = mcp::detail::create_instance(setup, &table_, nullptr);
    mcp::detail::start_instance(instance_, nullptr);
  }
  OfferingHost(const OfferingHost&) = delete;
  OfferingHost& operator=(const OfferingHost&) = delete;
  ~OfferingHost() { mcp::detail::stop_instance(instance_); }

  Json read() { return ask("resources/read", R"({"uri": "config://server"})"); }
  Json call(const std::string& tool, const std::string& arguments = "{}") {
    return ask("tools/call", R"({"name": ")" + tool + R"(", "arguments": )" + arguments + "}");
  }
  Json ask(std::string_view method, std::string_view params) {
    mcp::detail::invoke_instance(instance_, 1, {method.data(), method.size()}, {params.data(), params.size()});
    return answer_;
  }

  std::int32_t outcome() const { return outcome_; }
  void rename(std::string name) { name_ = std::move(name); }
  // Further members of what it says.
  void say(std::string more) { more_ = std::move(more); }

 private:
  static OfferingHost& of(const mcp_host* host) { return *static_cast<OfferingHost*>(host->context); }
  static void describe(const mcp_host* host, const mcp_sink* sink) {
    write(sink, R"({"name": ")" + of(host).name_ + '"');
    write(sink, of(host).more_ + "}");
  }

  mcp_host table_{};
  mcp_server_info info_;
  std::string name_ = "first";
  std::string more_;
  void* instance_ = nullptr;
  std::int32_t outcome_ = -1;
  Json answer_;
};

TEST(Server, ServesWhatTheHostSaysAtThatMoment) {
  OfferingHost host;
  EXPECT_EQ(host.read()["contents"][0],
            (Json{{"uri", "config://server"}, {"mimeType", "application/json"}, {"text", R"({"name": "first"})"}}));
  host.rename("second");
  EXPECT_EQ(host.read()["contents"][0]["text"], R"({"name": "second"})");
}

TEST(Server, SaysThatTheHostDoesNotOfferTheInterface) {
  mcp::testing::Harness harness(setup);
  const auto outcome = harness.read("config://server");
  EXPECT_EQ(outcome.error_code(), -32603);
  EXPECT_EQ(outcome.text(),
            "This host does not offer the interface \"mcp.server-info/1\", so config://server has nothing to say. "
            "Update mcp-plugin-host, or remove the plugin \"server\".");
}

TEST(Server, AnswersAPingWithItsName) {
  OfferingHost host;
  EXPECT_EQ(host.call("seed_ping", R"({"message": "hello"})")["content"][0]["text"], "first: hello");
  EXPECT_EQ(mcp::testing::Harness(setup).call_tool("seed_ping").text(), "mcp-plugin-host: pong");
}

TEST(Server, SaysHowItFares) {
  OfferingHost host;
  host.say(R"(, "version": "1.2", "uptimeSeconds": 7, "plugins": [
    {"name": "sums", "version": "3", "calls": {"total": 4, "errors": 1, "inFlight": 2}}])");
  EXPECT_EQ(host.call("host_status")["structuredContent"],
            (Json{{"name", "first"},
                  {"version", "1.2"},
                  {"uptime_seconds", 7},
                  {"plugins", {{{"name", "sums"}, {"version", "3"}, {"calls", 4}, {"errors", 1}, {"in_flight", 2}}}}}));
}

TEST(Server, NamesNoPluginsWhereTheHostNamesNone) {
  OfferingHost host;
  host.say(R"(, "version": "1.2", "uptimeSeconds": 7, "plugins": [])");
  EXPECT_FALSE(host.call("host_status")["structuredContent"].contains("plugins"));
}

TEST(Server, HasTheDocumentation) {
  mcp::testing::Harness harness(setup);
  const auto read = [&](const std::string& path) {
    return harness.read_template("docs://mcp-plugin-host/{+path}", {{"path", path}});
  };
  EXPECT_TRUE(harness.read("docs://mcp-plugin-host/docs/writing-plugins.md").text().starts_with("# "));
  EXPECT_TRUE(read("docs/sandbox.md").text().starts_with("# "));
  EXPECT_FALSE(read("docs/absent.md").ok());
  const auto pages = harness.complete_template("docs://mcp-plugin-host/{+path}", "path", "plugin-api/").values();
  EXPECT_EQ(pages, std::vector<std::string>{"plugin-api/ABI.md"});
}

TEST(Server, DoesNotCallAFunctionThatTheHostsTableIsTooShortFor) {
  OfferingHost host(8);
  EXPECT_EQ(host.read()["code"], -32603);
  EXPECT_EQ(host.outcome(), MCP_OUTCOME_ERROR);
}

}  // namespace
}  // namespace plugins::server
