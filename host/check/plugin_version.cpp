#include "check/plugin_version.hpp"

#include <utility>

#include "base/in_seconds.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "check/example_values.hpp"
#include "check/unload_probe.hpp"
#include "plugin/method.hpp"
#include "protocol/calls/input_requests.hpp"
#include "protocol/calls/plugin_result.hpp"
#include "protocol/calls/resource_reads.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_rounds = 32;
constexpr std::chrono::milliseconds kill_patience{500};

std::chrono::milliseconds since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
}

// The words of a JSON-RPC error object.
std::string message_in(const std::string& error) {
  const auto read = read_plugin_error(error);
  return read.has_error() ? error : read->message;
}

// What is wrong with an answer; empty: nothing.
std::string mistake_in(PluginMethod method, const AskedEnd& end, const std::optional<Schema>& output_schema) {
  if (end.in_stead) return message_in(end.text);
  const auto invalid = [](const std::string& what, const Error& error) {
    return what + " with something invalid: " + error.message;
  };
  if (end.outcome == Outcome::result) {
    const auto result = read_plugin_result(method, end.text, output_schema);
    return result.has_error() ? invalid("it answered", result.error()) : "";
  }
  if (end.outcome == Outcome::error) {
    const auto error = read_plugin_error(end.text);
    return error.has_error() ? invalid("it answered", error.error()) : "";
  }
  const auto requests = read_input_requests(end.text);
  return requests.has_error() ? invalid("it asked its client", requests.error()) : "";
}

std::string words_for_late_end(std::chrono::milliseconds patience) {
  return "it was completed after " + in_seconds(patience) +
         " only, when it was cancelled; if it may take so long, give a larger --timeout";
}

std::string words_for_own_limit(std::chrono::milliseconds time_limit) {
  return "it was completed only when it was cancelled, after the " + std::to_string(time_limit.count()) +
         " ms of its own timeoutMs; complete it sooner, or describe a larger one";
}

// What a client answers, if it does as it is asked. Null: that cannot be made up.
Json accepted(const OrderedJson& request) {
  const auto method = find_method(request.value("method", ""));
  if (method == Method::roots_list) return {{"roots", {{{"uri", "file:///tmp"}, {"name", "example"}}}}};
  if (method == Method::sampling_create_message) {
    return {{"role", "assistant"}, {"content", {{"type", "text"}, {"text", "example"}}}, {"model", "example"}};
  }
  const auto params = request.value("params", OrderedJson::object());
  if (!params.contains("requestedSchema")) return {{"action", "accept"}};
  const auto& form = params.at("requestedSchema");
  auto compiled = Schema::compile(form);
  if (compiled.has_error()) return nullptr;
  const auto content = ExampleValues(form, *std::move(compiled)).usual();
  return content ? Json{{"action", "accept"}, {"content", *content}} : Json();
}

Json answer_to(const OrderedJson& request, UserReply reply) {
  if (reply == UserReply::accept || find_method(request.value("method", "")) != Method::elicitation_create)
    return accepted(request);
  return {{"action", reply == UserReply::decline ? "decline" : "cancel"}};
}

}  // namespace

PluginVersion::PluginVersion(LoadedPlugin loaded, std::chrono::milliseconds timeout)
    : loaded_(std::move(loaded)), catalog_(1, {loaded_.served}), timeout_(timeout) {}

PluginVersion::~PluginVersion() {
  if (!stopped_) stop();
}

std::shared_ptr<AskedCall> PluginVersion::begin(PluginMethod method, std::string params, std::string component,
                                                std::optional<std::chrono::milliseconds> time_limit) {
  auto call = std::make_shared<AskedCall>(method, std::move(params), std::move(component));
  call->limit_time(time_limit);
  plugin().invoke(call);
  return call;
}

Asked PluginVersion::end(AskedCall& call, const std::optional<Schema>& output_schema,
                         std::chrono::milliseconds patience) {
  Asked asked;
  if (patience.count() == 0) patience = timeout_;
  auto end = call.wait(patience);
  asked.late = !end.has_value();
  if (asked.late) {
    call.cancel(CancelReason::client);
    end = call.wait(timeout_);
  }
  const bool is_beyond_own_limit = call.cancelled() == CancelReason::deadline;
  asked.late |= is_beyond_own_limit;
  asked.progress_mistake = call.mistake_in_progress();
  if (!end || end->in_stead) spoil_and_stop();
  if (!end) {
    asked.ended = false;
    asked.mistake = "it was not completed within " + in_seconds(patience) +
                    ", and not after its cancellation either; complete each call, and look for is_cancelled or cancel";
    return asked;
  }
  asked.in_stead = end->in_stead;
  asked.outcome = end->outcome;
  asked.mistake = mistake_in(call.method(), *end, output_schema);
  asked.text = std::move(end->text);
  if (asked.late && asked.mistake.empty())
    asked.mistake = is_beyond_own_limit ? words_for_own_limit(*call.time_limit()) : words_for_late_end(patience);
  return asked;
}

Asked PluginVersion::give_up(std::string mistake) {
  spoil_and_stop();
  return {.mistake = std::move(mistake), .ended = false};
}

Json PluginVersion::read_resource(const OrderedJson& request, std::chrono::milliseconds patience) {
  const auto planned = plan_asked_read(request, catalog_);
  if (planned.has_error()) return answer_to_read(planned.error());
  const auto asked = end(*begin(planned->method, planned->params, planned->component), std::nullopt, patience);
  return answer_to_read(asked.outcome, asked.text);
}

Asked PluginVersion::ask(const ExampleCall& call, const AskOptions& options) {
  const auto planned = plan_call(call.method, catalog_, call.params);
  if (planned.has_error()) return {.mistake = "the host refuses it: " + planned.error().message};
  Json answers = nullptr;
  std::string state;
  for (std::size_t round = 0; round <= max_rounds; ++round) {
    const auto asked_call =
        begin(call.method, with_answers(planned->params, answers, state), call.component, planned->time_limit);
    auto asked = end(*asked_call, call.output_schema, options.patience);
    asked.questions = round;
    if (!asked.mistake.empty() || asked.outcome != Outcome::input_required) return asked;
    asked.questions = round + 1;
    auto requests = read_input_requests(asked.text);
    state = read_input_state(asked.text);
    const auto reads = take_resource_reads(*requests);
    for (const auto& [name, request] : reads.items())
      answers[name] = read_resource(request, options.patience);
    if (!reads.empty()) continue;  // what it asks besides it asks again
    for (const auto& [name, request] : requests->items()) {
      auto answer = answer_to(request, options.reply);
      if (answer.is_null() || mistake_in_answer(request, answer)) return asked;  // nobody can say what it wants
      answers[name] = std::move(answer);
    }
  }
  return {.mistake = "it asked its client more than " + std::to_string(max_rounds) +
                     " times, and the host ends such a call; complete it when the answers are there, or declined",
          .questions = max_rounds};
}

void PluginVersion::spoil_and_stop() {
  spoilt_ = true;
  if (!stopped_) stop();
}

std::optional<std::chrono::milliseconds> PluginVersion::stop() {
  stopped_ = true;
  if (plugin().calls_in_flight() > 0) plugin().fail_all("the checker has given it up");
  const auto began = std::chrono::steady_clock::now();
  plugin().stop(spoilt_ ? kill_patience : timeout_);
  const auto time = since(began);
  return time < timeout_ ? std::optional(time) : std::nullopt;
}

Result<PluginConfiguration> CheckedPlugin::configuration() const {
  return loader_.configuration_of(plugin_file_at(file_));
}

Result<LibraryFacts> CheckedPlugin::library_facts() const {
  auto copies = PrivateFolder::create();
  if (copies.has_error()) return copies.error();
  const auto copy = private_copy(*copies, file_);
  if (copy.has_error()) return copy.error();
  return inspect_library(copy->path());
}

Result<CheckedPlugin::Loaded> CheckedPlugin::look() const {
  const auto found = plugin_file_at(file_);
  auto configuration = loader_.configuration_of(found);
  if (configuration.has_error()) return configuration.error();
  configuration->isolation = Isolation::worker;
  configuration->limits.call_time = std::chrono::milliseconds(0);
  const auto began = std::chrono::steady_clock::now();
  auto loaded = loader_.load(found, *std::move(configuration), {});
  if (loaded.has_error()) return loaded.error();
  return Loaded{*std::move(loaded), since(began)};
}

Result<std::unique_ptr<PluginVersion>> CheckedPlugin::load() const {
  auto looked = look();
  if (looked.has_error()) return looked.error();
  if (auto started = looked->plugin.served.plugin->start(); started.has_error()) return started.error();
  return std::make_unique<PluginVersion>(std::move(looked->plugin), options_.timeout);
}

}  // namespace mcph
