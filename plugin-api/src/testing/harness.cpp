#include <algorithm>
#include <stdexcept>
#include <thread>

#include <mcp/plugin/testing.hpp>

#include "../host_text.hpp"
#include "fake_host.hpp"

namespace mcp::testing {
namespace {

using mcp::detail::answer_of_host;
using mcp::detail::borrowed;
using mcp::detail::MutexLock;
using mcp::detail::view;

Json params_of_tool(std::string_view name, const Json& arguments) {
  return {{"name", name}, {"arguments", arguments}};
}

Json params_of_completion(const Json& ref, std::string_view argument, std::string_view typed,
                          const std::map<std::string, std::string>& chosen) {
  return {{"ref", ref}, {"argument", {{"name", argument}, {"value", typed}}}, {"context", {{"arguments", chosen}}}};
}

/// Adds the texts of a content, a resource content or a message.
void add_texts(std::string& texts, const Json& value) {
  if (value.is_array()) {
    for (const Json& each : value)
      add_texts(texts, each);
  } else if (value.is_object() && value.contains("text") && value["text"].is_string()) {
    if (!texts.empty()) texts += '\n';
    texts += value["text"].get<std::string>();
  } else if (value.is_object()) {
    for (const char* inner : {"content", "contents", "messages", "resource"}) {
      if (value.contains(inner)) add_texts(texts, value[inner]);
    }
  }
}

void replace(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

std::string expanded(std::string_view uri_template, const std::map<std::string, std::string>& variables) {
  const auto query = std::min(uri_template.find("{?"), uri_template.size());
  std::string uri(uri_template.substr(0, query));
  for (const auto& [name, value] : variables) {
    if (name == "*") {
      replace(uri, "*", value);
    } else {
      replace(uri, '{' + name + '}', value);
      replace(uri, "{+" + name + '}', value);
      replace(uri, '{' + name + "*}", value);
    }
  }
  char before = '?';
  for (const auto& name : mcp::detail::variables_of(uri_template.substr(query))) {
    const auto given = variables.find(name);
    if (given == variables.end()) continue;
    uri.append(1, before).append(name).append(1, '=').append(given->second);
    before = '&';
  }
  return uri;
}

}  // namespace

bool Outcome::ok() const {
  return kind == MCP_OUTCOME_RESULT && !json.value("isError", false);
}

std::string Outcome::text() const {
  if (kind == MCP_OUTCOME_ERROR) return json.value("message", std::string());
  std::string texts;
  add_texts(texts, json);
  return texts;
}

Json Outcome::structured() const {
  return json.value("structuredContent", Json());
}

std::vector<std::string> Outcome::values() const {
  return json.value("completion", Json::object()).value("values", std::vector<std::string>());
}

int Outcome::error_code() const {
  return kind == MCP_OUTCOME_ERROR ? json.value("code", 0) : 0;
}

struct PendingCall::State {
  detail::FakeHost& host;
  mcp_call_id call;
  std::thread thread;
};

PendingCall::PendingCall(detail::FakeHost& host, mcp_call_id call, std::function<void()> invoke)
    : state_(new State{host, call, std::thread(std::move(invoke))}) {}

PendingCall::PendingCall(PendingCall&&) noexcept = default;

PendingCall::~PendingCall() {
  if (state_) state_->thread.join();
}

bool PendingCall::done() const {
  return state_->host.is_done(state_->call);
}

void PendingCall::cancel(CancelReason reason) {
  state_->host.cancel(state_->call, static_cast<std::int32_t>(reason));
}

Outcome PendingCall::wait(std::chrono::milliseconds limit) {
  return state_->host.wait(state_->call, limit);
}

Harness::Harness(const std::function<void(Plugin&)>& setup, const Json& config)
    : host_(std::make_unique<detail::FakeHost>(config)) {
  void* instance = nullptr;
  const std::string reason = answer_of_host(
      [&](const mcp_sink* error) { instance = mcp::detail::create_instance(setup, host_->table(), error); });
  start(mcp::detail::plugin_table("under_test", {}, nullptr), instance, reason);
}

Harness::Harness(const mcp_plugin& plugin, const Json& config) : host_(std::make_unique<detail::FakeHost>(config)) {
  void* instance = nullptr;
  const std::string reason =
      answer_of_host([&](const mcp_sink* error) { instance = plugin.create(host_->table(), error); });
  start(plugin, instance, reason);
}

void Harness::start(const mcp_plugin& plugin, void* instance, const std::string& reason) {
  if (!instance) throw std::runtime_error("setup failed: " + reason);
  plugin_ = plugin;
  instance_ = instance;
  host_->serve(plugin_, instance_);
  try {
    rules();
    if (!plugin_.start) return;
    std::int32_t failed = 0;
    const std::string start_reason =
        answer_of_host([&](const mcp_sink* error) { failed = plugin_.start(instance_, error); });
    if (failed) throw std::runtime_error("it could not start: " + start_reason);
  } catch (...) {
    plugin_.stop(instance_);
    throw;
  }
}

Harness::~Harness() {
  plugin_.stop(instance_);
}

std::string Harness::description() const {
  std::int32_t failed = 0;
  std::string description;
  const std::string reason = answer_of_host([&](const mcp_sink* error) {
    description = answer_of_host([&](const mcp_sink* sink) { failed = plugin_.describe(instance_, sink, error); });
  });
  if (failed) throw std::runtime_error("it could not describe its components: " + reason);
  return description;
}

nlohmann::ordered_json Harness::describe() const {
  return nlohmann::ordered_json::parse(description());
}

std::shared_ptr<const detail::Rules> Harness::rules() {
  return host_->rules([this] { return std::make_shared<const detail::Rules>(view(plugin_.name), description()); });
}

Outcome Harness::call_tool(std::string_view name, const Json& arguments) {
  return call("tools/call", name, params_of_tool(name, arguments));
}

Outcome Harness::call_tool(std::string_view name, const Json& arguments, const Json& input_responses) {
  detail::check_answers(host_->asked_by(name), input_responses);
  Json params = params_of_tool(name, arguments);
  params["inputResponses"] = input_responses;
  return call("tools/call", name, params);
}

Outcome Harness::call_tool(std::string_view name, const Json& arguments, const Answerer& answer) {
  constexpr int max_rounds = 32;  // as in the host
  Json params = params_of_tool(name, arguments);
  for (int round = 0; round <= max_rounds; ++round) {
    const Outcome outcome = call("tools/call", name, params);
    if (outcome.kind != MCP_OUTCOME_INPUT_REQUIRED) return outcome;
    const Json& requests = outcome.json.at("inputRequests");
    Json answers = Json::object();
    for (const auto& [key, request] : requests.items())
      answers[key] = answer(request);
    detail::check_answers(requests, answers);
    params["inputResponses"].update(answers);
    params["inputState"] = outcome.json.value("inputState", Json());  // of this round or none
  }
  throw std::runtime_error("the tool asks again and again");
}

PendingCall Harness::start_tool(std::string_view name, const Json& arguments) {
  constexpr std::string_view method = "tools/call";
  const auto rules_now = rules();
  detail::Admission admission = rules_now->admit(method, params_of_tool(name, arguments));
  if (admission.answer) return PendingCall(*host_, host_->answered_call(*std::move(admission.answer)), [] {});
  const mcp_call_id call = host_->begin_call({rules_now, std::string(method), std::string(name)});
  return PendingCall(*host_, call,
                     [this, call, params = std::move(admission.params)] { invoke(call, method, params); });
}

Outcome Harness::read(std::string_view uri) {
  return call("resources/read", uri, {{"uri", uri}});
}

Outcome Harness::read_template(std::string_view uri_template, const std::map<std::string, std::string>& variables) {
  const std::string uri = expanded(uri_template, variables);
  return judged_call("resources/read", uri,
                     dump_json({{"uri", uri}, {"uriTemplate", uri_template}, {"variables", variables}}), rules());
}

Outcome Harness::get_prompt(std::string_view name, const std::map<std::string, std::string>& arguments) {
  return call("prompts/get", name, {{"name", name}, {"arguments", arguments}});
}

Outcome Harness::complete_prompt(std::string_view name, std::string_view argument, std::string_view typed,
                                 const std::map<std::string, std::string>& chosen) {
  return call("completion/complete", name,
              params_of_completion({{"type", "ref/prompt"}, {"name", name}}, argument, typed, chosen));
}

Outcome Harness::complete_template(std::string_view uri_template, std::string_view variable, std::string_view typed,
                                   const std::map<std::string, std::string>& chosen) {
  return call("completion/complete", uri_template,
              params_of_completion({{"type", "ref/resource"}, {"uri", uri_template}}, variable, typed, chosen));
}

Outcome Harness::invoke(std::string_view method, const Json& params) {
  return judged_call(method, {}, dump_json(params), nullptr);
}

Outcome Harness::call(std::string_view method, std::string_view component, const Json& params) {
  auto rules_now = rules();
  detail::Admission admission = rules_now->admit(method, params);
  if (admission.answer) return *std::move(admission.answer);
  return judged_call(method, component, admission.params, std::move(rules_now));
}

Outcome Harness::judged_call(std::string_view method, std::string_view component, const std::string& params,
                             std::shared_ptr<const detail::Rules> rules) {
  const mcp_call_id call = host_->begin_call({std::move(rules), std::string(method), std::string(component)});
  invoke(call, method, params);
  return host_->wait(call, std::chrono::seconds(60));
}

void Harness::invoke(mcp_call_id call, std::string_view method, const std::string& params) {
  const auto begin = [&] { plugin_.invoke(instance_, call, borrowed(method), borrowed(params)); };
  if ((plugin_.flags & MCP_PLUGIN_SERIAL) == 0) return begin();
  const MutexLock one_at_a_time(host_->invoking());
  begin();
}

void Harness::set_request_context(const Json& context) {
  host_->set_request_context(context);
}

void Harness::set_caller(const Caller& caller) {
  host_->set_caller(caller);
}

void Harness::subscribe(const std::string& uri) {
  host_->set_subscribed(uri, true);
}

void Harness::unsubscribe(const std::string& uri) {
  host_->set_subscribed(uri, false);
}

std::map<std::string, std::string> Harness::stored() const {
  return host_->store().all();
}

void Harness::store(const std::string& key, const std::string& value) {
  std::string why;
  const mcp_sink error{
      &why, [](void* context, mcp_string piece) { static_cast<std::string*>(context)->append(view(piece)); }};
  if (host_->store().put(key, value, MCP_STORE_ANY, nullptr, &error) != MCP_STORE_DONE) throw std::runtime_error(why);
}

std::map<std::string, double> Harness::metrics() const {
  return host_->metrics().all();
}

void Harness::provide_interface(const std::string& name, const void* table) {
  host_->provide_interface(name, table);
}

std::vector<LogEntry> Harness::logs() const {
  return host_->logs();
}

std::vector<Progress> Harness::progress() const {
  return host_->progress();
}

int Harness::components_changed() const {
  return host_->components_changed();
}

std::vector<std::string> Harness::updated_resources() const {
  return host_->updated_resources();
}

}  // namespace mcp::testing
