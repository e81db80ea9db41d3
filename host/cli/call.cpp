// Asks a plugin what a client would: runs a tool, reads a resource, gets a prompt, completes an argument. What the
// plugin asks its client in turn is answered by what the command line says.
#include <future>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/host.hpp"
#include "base/json_text.hpp"
#include "base/similar_name.hpp"
#include "cli/call_params.hpp"
#include "cli/call_text.hpp"
#include "cli/command_log.hpp"
#include "cli/commands.hpp"
#include "cli/given_answers.hpp"
#include "cli/own_output.hpp"
#include "cli/progress_line.hpp"
#include "cli/remote_call.hpp"
#include "cli/terminal_text.hpp"
#include "protocol/calls/completion.hpp"
#include "protocol/calls/component_calls.hpp"
#include "protocol/calls/input_requests.hpp"
#include "protocol/calls/plugin_call.hpp"
#include "protocol/calls/plugin_result.hpp"
#include "protocol/calls/resource_reads.hpp"
#include "protocol/result_members.hpp"

namespace mcph {
namespace {

// After which somebody who waits is told so.
constexpr std::chrono::seconds silence{5};

struct TerminalAnswer {
  Outcome outcome;
  std::string json;
  std::string why = {};  // the call was to end early; empty: it was not, or the host itself says so
};

// A call whose end somebody waits for, and whose progress a person sees.
class TerminalCall final : public Call {
 public:
  TerminalCall(const CallPlan& plan, const GivenAnswers& answers, std::string_view state)
      : Call(plan.method, with_answers(plan.params, answers.given(), state), plan.component),
        capabilities_(answers.client_capabilities()) {
    limit_time(plan.time_limit);
  }

  TerminalAnswer wait() {
    auto end = ended_.get_future();
    if (end.wait_for(silence) == std::future_status::timeout) {
      std::cerr
          << component() << " has not answered for " << silence.count()
          << " s; a call may take as long as its tool and limits.callTimeMs of its plugin's configuration allow\n";
    }
    return end.get();
  }

  void progress(double progress, double total, std::string_view message) override {
    progress_.tell(progress, total, message);
  }
  void log(std::int32_t, std::string_view) override {}  // the host's log has it
  void complete(Outcome outcome, std::string_view json) override {
    tell({outcome, std::string(json), words_for_cancellation(*this)});
  }
  void refuse(std::string error) override { tell({Outcome::error, std::move(error)}); }
  std::string context() const override {
    Json context{{"protocolVersion", "2026-07-28"},
                 {"client", {{"name", "mcp-plugin-host call"}}},
                 {"clientCapabilities", capabilities_}};
    if (const auto until = deadline()) context["deadline"] = until->count();
    return dump(context);
  }

 private:
  void tell(TerminalAnswer answer) {
    progress_.clear();
    ended_.set_value(std::move(answer));
  }

  const Json capabilities_;
  ProgressLine progress_;
  std::promise<TerminalAnswer> ended_;
};

// As people call it.
std::string kind_of(const Plugin& plugin) {
  return plugin.identity().is_upstream ? "the upstream" : "the plugin";
}

int print_checked(const CallPlan& plan, const TerminalAnswer& answer, bool whole) {
  const auto read = read_plugin_result(plan.method, answer.json, plan.output_schema);
  if (read.has_error())
    return fail_with(kind_of(*plan.plugin) + " answered with something invalid: " + read.error().message, whole);
  auto result = read->root().json();
  encode_uris(plan.method, result);  // as clients are told
  if (plan.method == PluginMethod::completion_complete) cut_completion(result);
  if (plan.method == PluginMethod::tools_call && result.value("isError", false)) add_why(answer.why, result["content"]);
  return print_result(plan.method, result, whole);
}

// What the host itself answers, whatever its client can.
Json read_resource(const OrderedJson& request, const Catalog& catalog) {
  const auto planned = plan_asked_read(request, catalog);
  if (planned.has_error()) return answer_to_read(planned.error());
  const auto call = std::make_shared<TerminalCall>(*planned, GivenAnswers(), std::string_view());
  planned->plugin->invoke(call);
  const auto answer = call->wait();
  return answer_to_read(answer.outcome, answer.json);
}

int carry_out(const CallPlan& plan, const Catalog& catalog, GivenAnswers answers, bool as_json) {
  std::string state;
  for (unsigned round = 0; round <= PluginCall::max_rounds; ++round) {
    const auto call = std::make_shared<TerminalCall>(plan, answers, state);
    plan.plugin->invoke(call);
    const auto answer = call->wait();
    if (answer.outcome != Outcome::input_required && answers.unused() > 0)
      std::cerr << "answers that were not asked for: " << answers.unused() << "\n";
    if (answer.outcome == Outcome::result) return print_checked(plan, answer, as_json);
    if (answer.outcome == Outcome::error) {
      auto error = read_plugin_error(answer.json);
      if (error.has_error()) return fail_with(error.error().message, as_json);
      const auto& plugin = plan.plugin->identity().name;
      error->message = with_why(answer.why, "Plugin " + plugin + " says: ", error->message);
      return fail_with(*error, as_json);
    }
    auto requests = read_input_requests(answer.json);
    if (requests.has_error())
      return fail_with(kind_of(*plan.plugin) + " asked with something invalid: " + requests.error().message, as_json);
    state = read_input_state(answer.json);
    const auto reads = take_resource_reads(*requests);
    for (const auto& [name, request] : reads.items())
      answers.add(name, read_resource(request, catalog));
    if (!reads.empty()) continue;  // what it asks besides it asks again
    if (const auto given = answers.give(*requests); given.has_error()) return fail_with(given.error().message, as_json);
  }
  return fail_with(kind_of(*plan.plugin) + " asked more than " + std::to_string(PluginCall::max_rounds) + " times",
                   as_json);
}

// What was meant, if nothing is called as the command line says. Empty: that is not known.
std::string similar_component(const Catalog& catalog, Rejection::Reason reason, const std::string& name) {
  std::vector<std::string> names;
  const auto take = [&names](const auto& components) {
    for (const auto& each : components)
      names.push_back(component_name(each));
  };
  for (const auto& [plugin, components] : catalog.plugins()) {
    if (reason == Rejection::Reason::unknown_tool) take(components->tools);
    if (reason == Rejection::Reason::unknown_prompt) take(components->prompts);
    if (reason == Rejection::Reason::unknown_resource) take(components->resources);
  }
  return similar_name(name, names);
}

int reject(Host& host, const Catalog& catalog, const Rejection& rejection, const CallCommand& command) {
  // Of a server it is an error of the tool (server/tools, "Error Handling").
  if (rejection.reason == Rejection::Reason::invalid_arguments)
    return print_result(command.method, read_json("{" + tool_error_members(rejection.message) + "}"), command.json);
  const int status = fail_with(RpcError{error_code::invalid_params, rejection.message, rejection.data}, command.json);
  if (rejection.is_of_served() || rejection.reason == Rejection::Reason::malformed) return status;
  if (const auto meant = similar_component(catalog, rejection.reason, command.component); !meant.empty())
    std::cerr << "  did you mean \"" << printable(meant) << "\"?\n";
  for (const auto& [file, reason] : host.folder().refused())
    std::cerr << "  not loaded: " << printable(file.string() + ": " + reason) << "\n";
  return status;
}

int ask(Host& host, CommandLog& log, const CallCommand& command, Json arguments, GivenAnswers answers) {
  host.folder().load_all(std::chrono::hours(24));
  const auto catalog = host.catalog().current();
  const bool is_prompt = catalog->find_prompt(command.component) != nullptr;
  auto params = params_of(command, std::move(arguments), is_prompt);
  std::optional<Planned> planned;
  if (command.method == PluginMethod::completion_complete) {
    planned = plan_completion(*catalog, params);
  } else {
    planned = plan_call(command.method, *catalog, params);
  }
  if (!planned) {  // nobody knows any values
    if (command.json) own_output() << "{" << no_completion << "}\n";
    std::cerr << command.component << " says nothing of what may be filled in\n";
    return 0;
  }
  if (planned->has_error()) return reject(host, *catalog, planned->error(), command);
  log.be_about((**planned).plugin->identity());
  return carry_out(**planned, *catalog, std::move(answers), command.json);
}

}  // namespace

int run(const CallCommand& command) {
  CommandLog log(command.config.host, {.refusals = true, .others = true});
  auto arguments = parse_json(command.arguments);
  if (arguments.has_error()) {
    return fail_with("the arguments are " + arguments.error().message, command.json);
  }
  auto answers = GivenAnswers::read(command.answers);
  if (answers.has_error()) return fail_with(answers.error().message, command.json);
  if (!command.server.url.empty()) return ask_server(command, *std::move(arguments), *std::move(answers));
  if (const auto found = find_components(command.config.host); found.has_error()) {
    return fail_with(found.error().message, command.json);
  }
  keep_output_from_plugins();
  auto host = Host::create(command.config.host, log);
  if (host.has_error()) return fail_with(host.error().message, command.json);
  return (*host)->finish(ask(**host, log, command, *std::move(arguments), *std::move(answers)));
}

}  // namespace mcph
