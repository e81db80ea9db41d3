// Runs one tool without a client.
#include <future>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "app/host.hpp"
#include "base/json_text.hpp"
#include "cli/command_log.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "protocol/calls/component_calls.hpp"
#include "protocol/calls/plugin_result.hpp"

namespace mcph {
namespace {

constexpr int tool_failed = 1;

// The JSON form is for programs: an object with the error, where there is no result.
int fail_with(const RpcError& error, bool as_json) {
  if (!as_json) return complain(error.message);
  Json object{{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) object["data"] = error.data;
  std::cout << dump(Json{{"error", std::move(object)}}) << "\n";
  return not_carried_out;
}

int fail_with(std::string message, bool as_json) {
  return fail_with(RpcError{error_code::internal_error, std::move(message)}, as_json);
}

// A call whose end somebody waits for, and whose progress a person sees.
class TerminalCall final : public Call {
 public:
  explicit TerminalCall(CallPlan plan)
      : Call(plan.method, std::move(plan.params), std::move(plan.component)), plugin_(std::move(plan.plugin)) {}

  static std::shared_ptr<TerminalCall> begin(CallPlan plan) {
    auto call = std::make_shared<TerminalCall>(std::move(plan));
    call->plugin_->invoke(call);
    return call;
  }

  std::pair<Outcome, std::string> wait() { return ended_.get_future().get(); }

  void progress(double progress, double total, std::string_view message) override {
    std::cerr << "progress " << progress;
    if (total > 0) std::cerr << "/" << total;
    std::cerr << (message.empty() ? "" : " ") << message << "\n";
  }
  void log(std::int32_t, std::string_view) override {}  // the host's log has it
  void complete(Outcome outcome, std::string json) override { ended_.set_value({outcome, std::move(json)}); }
  std::string context() const override {
    Json context{{"protocolVersion", "2026-07-28"},
                 {"client", {{"name", "mcp-plugin-host call"}}},
                 {"clientCapabilities", Json::object()}};
    if (const auto until = deadline()) context["deadline"] = until->count();
    return dump(context);
  }

 private:
  const std::shared_ptr<Plugin> plugin_;  // the lease
  std::promise<std::pair<Outcome, std::string>> ended_;
};

void shorten(Json& object, const char* member) {
  const auto found = object.find(member);
  if (found == object.end() || !found->is_string()) return;
  *found = "... " + std::to_string(found->get_ref<const std::string&>().size()) + " characters of base64";
}

void print_block(Json block) {
  if (block["type"] == "text") {
    std::cout << block["text"].get_ref<const std::string&>() << "\n";
    return;
  }
  shorten(block, "data");
  if (block["type"] == "resource") shorten(block["resource"], "blob");
  std::cout << dump(block) << "\n";
}

int print_result(std::string_view json, const std::optional<Schema>& output_schema, bool whole) {
  auto result = read_plugin_result(PluginMethod::tools_call, json, output_schema);
  if (result.has_error())
    return fail_with("the plugin answered with something invalid: " + result.error().message, whole);
  encode_uris(PluginMethod::tools_call, *result);  // as clients are told
  if (whole) {
    std::cout << dump(*result) << "\n";
  } else {
    for (const auto& block : (*result)["content"])
      print_block(block);
  }
  return result->value("isError", false) ? tool_failed : 0;
}

int call_tool(Host& host, const CallCommand& command, Json arguments) {
  host.folder().load_all(std::chrono::hours(24));
  auto planned =
      plan_tool_call(*host.catalog().current(), {{"name", command.tool}, {"arguments", std::move(arguments)}});
  if (planned.has_error()) {
    const auto rejection = planned.error();
    const RpcError error{error_code::invalid_params, rejection.message, rejection.data};
    const int status = fail_with(error, command.json);
    if (rejection.reason != Rejection::Reason::unknown_tool) return status;
    for (const auto& [file, reason] : host.folder().refused())
      std::cerr << "  not loaded: " << file.string() << ": " << reason << "\n";
    return status;
  }
  auto& plan = *planned;
  const auto output_schema = plan.output_schema;
  const auto call = TerminalCall::begin(std::move(plan));
  const auto [outcome, json] = call->wait();
  switch (outcome) {
    case Outcome::result:
      return print_result(json, output_schema, command.json);
    case Outcome::error: {
      const auto error = read_plugin_error(json);
      return error.has_error() ? fail_with(error.error().message, command.json) : fail_with(*error, command.json);
    }
    case Outcome::input_required:
      break;
  }
  return fail_with("the tool asks the client something, which needs a client: " + json, command.json);
}

}  // namespace

int run(const CallCommand& command) {
  CommandLog log(command.config.host);
  auto arguments = parse_json(command.arguments);
  if (arguments.has_error()) {
    return fail_with("the arguments are not valid JSON: " + arguments.error().message, command.json);
  }
  if (const auto found = find_components(command.config.host); found.has_error()) {
    return fail_with(found.error().message, command.json);
  }
  auto host = Host::create(command.config.host, log);
  if (host.has_error()) return fail_with(host.error().message, command.json);
  return (*host)->finish(call_tool(**host, command, *std::move(arguments)));
}

}  // namespace mcph
