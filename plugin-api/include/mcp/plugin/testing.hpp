// Unit tests of a plugin without a host and without loading a library: a Harness runs a setup function behind the same
// C table that a host would use, and plays the host: what a host refuses it refuses, with the host's words, because it
// is the host's own code that does (mcp/host_rules.h): descriptions, arguments, results, what a client answers to input
// requests, what is kept in the store, and the declaration of metrics. A Harness may be used from several threads; it
// stops the plugin when it is destroyed. It has a function for each thing that a client can ask.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin/context.hpp>
#include <mcp/plugin/export.hpp>
#include <nlohmann/json.hpp>

namespace mcp::testing {

struct LogEntry {
  Level level;
  std::string message;
};

struct Progress {
  double value;
  double total;
  std::string message;
};

/// How a call ended.
struct Outcome {
  std::int32_t kind;  ///< MCP_OUTCOME_RESULT, MCP_OUTCOME_ERROR or MCP_OUTCOME_INPUT_REQUIRED
  Json json;          ///< what mcp/plugin.h says for this kind

  /// A result that is not a tool error.
  bool ok() const;
  /// Every text in it, one a line: of a tool's contents, a resource's contents, a prompt's messages, or of an error.
  std::string text() const;
  /// The structured content of a tool's result, or null.
  Json structured() const;
  /// The values of a completion.
  std::vector<std::string> values() const;
  /// The code of a JSON-RPC error, or 0.
  int error_code() const;
};

namespace detail {
class FakeHost;
class Rules;
}  // namespace detail

/// A tool call that runs on a thread of its own.
class PendingCall {
 public:
  PendingCall(detail::FakeHost& host, mcp_call_id call, std::function<void()> invoke);
  PendingCall(PendingCall&&) noexcept;
  /// Waits for the handler to return, and does not wait for the answer.
  ~PendingCall();

  bool done() const;
  void cancel(CancelReason reason = CancelReason::Client);
  /// Throws std::runtime_error if there is no answer within the limit.
  Outcome wait(std::chrono::milliseconds limit = std::chrono::seconds(60));

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class Harness {
 public:
  /// Creates and starts the plugin. Throws std::runtime_error with the reason if it refuses, or if a host would refuse
  /// what it describes. When the plugin says that its components changed, the next call does so.
  explicit Harness(const std::function<void(Plugin&)>& setup, const Json& config = Json::object());
  /// The same for a plugin in any language; the one of this program is *mcp_plugin_entry_v1(). With MCP_PLUGIN_SERIAL
  /// it is invoked by one thread at a time, which a setup function alone does not say. The library stays loaded for as
  /// long as the Harness lives.
  explicit Harness(const mcp_plugin& plugin, const Json& config = Json::object());
  ~Harness();
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  /// The document that the host would read: tools, resources, resourceTemplates, prompts, instructions. Throws
  /// std::runtime_error with the reason if the plugin could not say it.
  nlohmann::ordered_json describe() const;

  /// What a client gets: of arguments that do not fit the schema a tool error, of an answer that is no right one an
  /// internal error. Errors have the plugin's codes: that of a resource which is not there is mcp::resource_not_found,
  /// whatever a client's revision calls it. The same for all calls below but invoke.
  Outcome call_tool(std::string_view name, const Json& arguments = Json::object());
  /// The second round of a tool that returned mcp::input_required. Throws std::runtime_error with the reason if no
  /// client may give such an answer to what the tool has asked by that name.
  Outcome call_tool(std::string_view name, const Json& arguments, const Json& input_responses);
  /// As many rounds as the tool asks for: `answer` plays the client, is given each request, {"method", "params"}, and
  /// returns its result, which is checked in the same way. A tool that gave an "inputState" gets it back with the
  /// answers.
  using Answerer = std::function<Json(const Json& request)>;
  Outcome call_tool(std::string_view name, const Json& arguments, const Answerer& answer);
  PendingCall start_tool(std::string_view name, const Json& arguments = Json::object());

  /// Of a resource, or of the template that the URI matches.
  Outcome read(std::string_view uri);
  /// The same without matching. The URI that the handler sees is the template with the values in place of {name} and *.
  Outcome read_template(std::string_view uri_template, const std::map<std::string, std::string>& variables);
  Outcome get_prompt(std::string_view name, const std::map<std::string, std::string>& arguments = {});

  /// What is offered for an argument of a prompt, or a variable of a resource template, of which `typed` has been
  /// typed; `chosen` are the arguments that have been filled in already.
  Outcome complete_prompt(std::string_view name, std::string_view argument, std::string_view typed,
                          const std::map<std::string, std::string>& chosen = {});
  Outcome complete_template(std::string_view uri_template, std::string_view variable, std::string_view typed,
                            const std::map<std::string, std::string>& chosen = {});

  /// Any method, any params, as they are, and the answer as it is: nothing is checked.
  Outcome invoke(std::string_view method, const Json& params);

  /// What Context::request_context returns from now on, and of which deadline() and trace() are members.
  void set_request_context(const Json& context);
  /// What Context::caller returns from now on; before, everybody is anonymous.
  void set_caller(const Caller& caller);

  /// A client subscribes to a resource, or is not any more; what the plugin has for that runs on this thread.
  void subscribe(const std::string& uri);
  void unsubscribe(const std::string& uri);

  /// What the plugin keeps in its store, by key; begin with what a test needs there.
  std::map<std::string, std::string> stored() const;
  void store(const std::string& key, const std::string& value);

  /// What the plugin has counted and measured, by `requests_total{kind="a"}`, labels by their names: the values of
  /// counters and gauges, and of a histogram how often something was observed.
  std::map<std::string, double> metrics() const;

  /// What Plugin::host_interface returns for this name from now on. The test owns the table. With null the host has no
  /// such interface, not even one that a Harness has of itself: mcp/caller.h,
  /// mcp/subscriptions.h, mcp/store.h, mcp/metrics.h and mcp/capabilities.h.
  void provide_interface(const std::string& name, const void* table);

  std::vector<LogEntry> logs() const;
  std::vector<Progress> progress() const;
  /// How often the plugin said that its components changed.
  int components_changed() const;
  std::vector<std::string> updated_resources() const;

 private:
  void start(const mcp_plugin& plugin, void* instance, const std::string& reason);
  std::string description() const;
  std::shared_ptr<const detail::Rules> rules();
  Outcome call(std::string_view method, std::string_view component, const Json& params);
  Outcome judged_call(std::string_view method, std::string_view component, const std::string& params,
                      std::shared_ptr<const detail::Rules> rules);
  void invoke(mcp_call_id call, std::string_view method, const std::string& params);

  std::unique_ptr<detail::FakeHost> host_;
  mcp_plugin plugin_{};
  void* instance_ = nullptr;
};

}  // namespace mcp::testing
