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
#include "cli/command_log.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "protocol/calls/completion.hpp"
#include "protocol/calls/component_calls.hpp"
#include "protocol/calls/input_requests.hpp"
#include "protocol/calls/plugin_result.hpp"

namespace mcph {
namespace {

constexpr int tool_failed = 1;
constexpr int max_rounds = 32;
// After which somebody who waits is told so.
constexpr std::chrono::seconds silence{5};

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
  // Of a client that answers what it is asked, if it does.
  TerminalCall(const CallPlan& plan, const Json& answers, bool has_answers)
      : Call(plan.method, with_answers(plan.params, answers), plan.component), has_answers_(has_answers) {}

  std::pair<Outcome, std::string> wait() {
    auto end = ended_.get_future();
    if (end.wait_for(silence) == std::future_status::timeout) {
      std::cerr << component() << " has not answered for " << silence.count()
                << " s; a call may take as long as limits.callTimeMs of its plugin's configuration allows\n";
    }
    return end.get();
  }

  void progress(double progress, double total, std::string_view message) override {
    std::cerr << "progress " << progress;
    if (total > 0) std::cerr << "/" << total;
    std::cerr << (message.empty() ? "" : " ") << message << "\n";
  }
  void log(std::int32_t, std::string_view) override {}  // the host's log has it
  void complete(Outcome outcome, std::string json) override { ended_.set_value({outcome, std::move(json)}); }
  std::string context() const override {
    Json capabilities = Json::object();
    if (has_answers_) {
      capabilities = {{"elicitation", {{"form", Json::object()}, {"url", Json::object()}}},
                      {"sampling", {{"tools", Json::object()}}},
                      {"roots", Json::object()}};
    }
    Json context{{"protocolVersion", "2026-07-28"},
                 {"client", {{"name", "mcp-plugin-host call"}}},
                 {"clientCapabilities", std::move(capabilities)}};
    if (const auto until = deadline()) context["deadline"] = until->count();
    return dump(context);
  }

 private:
  const bool has_answers_;
  std::promise<std::pair<Outcome, std::string>> ended_;
};

// The only field of a form that has no other.
std::optional<std::string> single_field_of(const OrderedJson& request) {
  const auto params = request.find("params");
  if (params == request.end() || !params->contains("requestedSchema")) return std::nullopt;
  const auto fields = params->at("requestedSchema").value("properties", OrderedJson::object());
  return fields.size() == 1 ? std::optional(fields.begin().key()) : std::nullopt;
}

// What is given is mostly less than a whole result.
Json whole_answer(const OrderedJson& request, Json given) {
  const auto method = request.value("method", "");
  if (method == "elicitation/create" && !(given.is_object() && given.contains("action"))) {
    const auto field = given.is_object() ? std::nullopt : single_field_of(request);
    return {{"action", "accept"}, {"content", field ? Json{{*field, std::move(given)}} : std::move(given)}};
  }
  if (method == "sampling/createMessage" && given.is_string()) {
    return {{"role", "assistant"},
            {"content", {{"type", "text"}, {"text", std::move(given)}}},
            {"model", "the command line"}};
  }
  if (method == "roots/list" && given.is_array()) return {{"roots", std::move(given)}};
  return given;
}

std::string words_for(const OrderedJson& request) {
  const auto method = request.value("method", "");
  const auto params = request.value("params", OrderedJson::object());
  const auto words = params.value("message", "");
  return method + (words.empty() ? "" : ": " + words);
}

// The answers of the command line, in the order in which they are asked for.
class Answers {
 public:
  static Result<Answers> read(const std::vector<std::string>& texts) {
    Answers answers;
    for (const auto& text : texts) {
      auto json = parse_json(text);
      // Words need no quotes.
      if (json.has_error() && text.find_first_of("{[\"") == 0)
        return fail("the answer " + text + " is not valid JSON: " + json.error().message);
      answers.left_.push_back(json.has_error() ? Json(text) : *std::move(json));
    }
    return answers;
  }

  std::size_t unused() const { return left_.size() - next_; }

  bool any() const { return !left_.empty() || !given_.is_null(); }
  // All that have been given, by the names of the requests; null: none.
  const Json& given() const { return given_; }

  // What the plugin asks for. An error says which question has no answer, or what is wrong with it.
  Result<> give(const OrderedJson& requests) {
    for (const auto& [name, request] : requests.items()) {
      if (next_ == left_.size())
        return fail("the client is asked " + words_for(request) + "; answer it with --answer JSON: " + dump(request));
      auto answer = whole_answer(request, std::move(left_[next_++]));
      if (const auto mistake = mistake_in_answer(request, answer))
        return fail("answer " + std::to_string(next_) + " does not fit " + words_for(request) + ": " + *mistake);
      given_[name] = std::move(answer);
    }
    return {};
  }

 private:
  std::vector<Json> left_;
  std::size_t next_ = 0;
  Json given_ = nullptr;
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

void print_contents(Json contents) {
  if (const auto text = contents.find("text"); text != contents.end()) {
    std::cout << text->get_ref<const std::string&>() << "\n";
    return;
  }
  shorten(contents, "blob");
  std::cout << dump(contents) << "\n";
}

// For a person.
void print(PluginMethod method, const Json& result) {
  switch (method) {
    case PluginMethod::tools_call:
      for (const auto& block : result["content"])
        print_block(block);
      return;
    case PluginMethod::resources_read:
      for (const auto& contents : result["contents"])
        print_contents(contents);
      return;
    case PluginMethod::prompts_get:
      for (const auto& message : result["messages"]) {
        std::cout << message["role"].get_ref<const std::string&>() << ": ";
        print_block(message["content"]);
      }
      return;
    case PluginMethod::completion_complete:
      for (const auto& value : result["completion"]["values"])
        std::cout << value.get_ref<const std::string&>() << "\n";
      return;
  }
}

int print_result(const CallPlan& plan, std::string_view json, bool whole) {
  auto result = read_plugin_result(plan.method, json, plan.output_schema);
  if (result.has_error())
    return fail_with("the plugin answered with something invalid: " + result.error().message, whole);
  encode_uris(plan.method, *result);  // as clients are told
  if (plan.method == PluginMethod::completion_complete) cut_completion(*result);
  if (whole) {
    std::cout << dump(*result) << "\n";
  } else {
    print(plan.method, *result);
  }
  return result->value("isError", false) ? tool_failed : 0;
}

int carry_out(const CallPlan& plan, Answers answers, bool as_json) {
  for (int round = 0; round <= max_rounds; ++round) {
    const auto call = std::make_shared<TerminalCall>(plan, answers.given(), answers.any());
    plan.plugin->invoke(call);
    const auto [outcome, json] = call->wait();
    if (outcome != Outcome::input_required && answers.unused() > 0)
      std::cerr << answers.unused() << " of the answers were not asked for\n";
    if (outcome == Outcome::result) return print_result(plan, json, as_json);
    if (outcome == Outcome::error) {
      const auto error = read_plugin_error(json);
      return error.has_error() ? fail_with(error.error().message, as_json) : fail_with(*error, as_json);
    }
    const auto requests = read_input_requests(json);
    if (requests.has_error())
      return fail_with("the plugin asked with something invalid: " + requests.error().message, as_json);
    if (const auto given = answers.give(*requests); given.has_error()) return fail_with(given.error().message, as_json);
  }
  return fail_with("the plugin asked more than " + std::to_string(max_rounds) + " times", as_json);
}

Json params_of(const CallCommand& command, Json arguments) {
  switch (command.method) {
    case PluginMethod::tools_call:
    case PluginMethod::prompts_get:
      return {{"name", command.component}, {"arguments", std::move(arguments)}};
    case PluginMethod::resources_read:
      return {{"uri", command.component}};
    case PluginMethod::completion_complete:
      break;
  }
  const bool is_template = command.component.find(':') != std::string::npos;
  return {{"ref", is_template ? Json{{"type", "ref/resource"}, {"uri", command.component}}
                              : Json{{"type", "ref/prompt"}, {"name", command.component}}},
          {"argument", {{"name", command.completed}, {"value", command.typed}}},
          {"context", {{"arguments", std::move(arguments)}}}};
}

int reject(Host& host, const Rejection& rejection, bool as_json) {
  const int status = fail_with(RpcError{error_code::invalid_params, rejection.message, rejection.data}, as_json);
  if (rejection.is_of_served() || rejection.reason == Rejection::Reason::malformed) return status;
  for (const auto& [file, reason] : host.folder().refused())
    std::cerr << "  not loaded: " << file.string() << ": " << reason << "\n";
  return status;
}

int ask(Host& host, const CallCommand& command, Json arguments, Answers answers) {
  host.folder().load_all(std::chrono::hours(24));
  const auto catalog = host.catalog().current();
  auto params = params_of(command, std::move(arguments));
  std::optional<Planned> planned;
  if (command.method == PluginMethod::completion_complete) {
    planned = plan_completion(*catalog, std::move(params));
  } else {
    planned = plan_call(command.method, *catalog, std::move(params));
  }
  if (!planned) {  // nobody knows any values
    if (command.json) std::cout << "{" << no_completion << "}\n";
    std::cerr << command.component << " says nothing of what may be filled in\n";
    return 0;
  }
  if (planned->has_error()) return reject(host, planned->error(), command.json);
  return carry_out(**planned, std::move(answers), command.json);
}

}  // namespace

int run(const CallCommand& command) {
  CommandLog log(command.config.host);
  auto arguments = parse_json(command.arguments);
  if (arguments.has_error()) {
    return fail_with("the arguments are not valid JSON: " + arguments.error().message, command.json);
  }
  auto answers = Answers::read(command.answers);
  if (answers.has_error()) return fail_with(answers.error().message, command.json);
  if (const auto found = find_components(command.config.host); found.has_error()) {
    return fail_with(found.error().message, command.json);
  }
  auto host = Host::create(command.config.host, log);
  if (host.has_error()) return fail_with(host.error().message, command.json);
  return (*host)->finish(ask(**host, command, *std::move(arguments), *std::move(answers)));
}

}  // namespace mcph
