#include <algorithm>
#include <stdexcept>

#include <mcp/bundle.h>
#include <mcp/plugin/instance.hpp>
#include <nlohmann/json.hpp>

#include "completion.hpp"
#include "host_interface.hpp"
#include "host_text.hpp"
#include "instance.hpp"
#include "object_text.hpp"
#include "prompt_text.hpp"

namespace mcp {
namespace {

template <class Record>
std::shared_ptr<Record> make_record(std::string_view name, std::string_view description) {
  auto record = std::make_shared<Record>();
  record->name = name;
  record->description = description;
  return record;
}

std::shared_ptr<detail::ResourceRecord> make_resource(std::string_view uri, std::string_view name,
                                                      std::string_view description, detail::ResourceHandler handler) {
  auto record = make_record<detail::ResourceRecord>(name, description);
  record->uri = uri;
  record->handler = std::move(handler);
  return record;
}

detail::PromptText parse_prompt_text(std::string_view prompt, std::string_view text) {
  try {
    return detail::PromptText(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("prompt \"" + std::string(prompt) + "\": " + error.what());
  }
}

// In the order of the placeholders.
std::vector<Arg> arguments_of(std::string_view prompt, const std::vector<std::string>& placeholders,
                              const std::vector<Arg>& described) {
  std::vector<Arg> arguments;
  arguments.reserve(placeholders.size());
  for (const auto& placeholder : placeholders)
    arguments.push_back(arg(placeholder));
  for (const Arg& each : described) {
    const auto refuse = [&](const char* why) {
      throw std::invalid_argument("prompt \"" + std::string(prompt) + "\": {" + each.name() + "}" + why);
    };
    const auto found = std::find(placeholders.begin(), placeholders.end(), each.name());
    if (found == placeholders.end()) refuse(" is described, and not in its text");
    const auto is_same = [&](const Arg& other) { return other.name() == each.name(); };
    if (std::count_if(described.begin(), described.end(), is_same) > 1) refuse(" is described twice");
    arguments[static_cast<std::size_t>(found - placeholders.begin())] = each;
  }
  for (Arg& argument : arguments)
    argument.required();
  return arguments;
}

}  // namespace

Tool Plugin::add_tool(std::string_view name, std::string_view description, detail::ToolBinding binding) {
  detail::require_object_text(binding.input_schema, "tool \"" + std::string(name) + "\": the input schema");
  auto record = make_record<detail::ToolRecord>(name, description);
  record->binding = std::move(binding);
  record->replaced_bytes = std::make_shared<detail::ReplacedBytes>(name);
  instance_.registry()->add(record);
  return Tool(instance_.registry(), std::move(record));
}

Resource Plugin::add_resource(std::string_view uri, std::string_view name, std::string_view description,
                              detail::ResourceHandler handler) {
  if (uri.find_first_of("*{") != std::string_view::npos) {
    throw std::invalid_argument("resource \"" + std::string(uri) +
                                "\": a URI with * or {} stands for many resources: use resource_template");
  }
  auto record = make_resource(uri, name, description, std::move(handler));
  instance_.registry()->add_resource(record);
  return Resource(instance_.registry(), std::move(record));
}

Resource Plugin::add_resource_template(std::string_view uri_template, std::string_view name,
                                       std::string_view description, detail::ResourceHandler handler) {
  auto record = make_resource(uri_template, name, description, std::move(handler));
  record->completable = detail::variables_of(uri_template);
  instance_.registry()->add_resource_template(record);
  return Resource(instance_.registry(), std::move(record));
}

Prompt Plugin::add_prompt(std::string_view name, std::string_view description, const std::vector<Arg>& arguments,
                          detail::PromptHandler handler) {
  auto record = make_record<detail::PromptRecord>(name, description);
  record->arguments = arguments;
  for (const Arg& argument : arguments) {
    record->completable.push_back(argument.name());
    auto choices = detail::choices_of(argument);
    if (!choices.empty()) record->completions.emplace(argument.name(), detail::complete_from(std::move(choices)));
  }
  record->handler = std::move(handler);
  instance_.registry()->add(record);
  return Prompt(instance_.registry(), std::move(record));
}

Prompt Plugin::prompt_text(std::string_view name, std::string_view description, std::string_view text,
                           const std::vector<Arg>& arguments) {
  detail::PromptText parsed = parse_prompt_text(name, text);
  const auto all = arguments_of(name, parsed.placeholders(), arguments);
  return prompt(name, description, all,
                [parsed = std::move(parsed)](const Arguments& given) { return parsed.filled(given); });
}

bool Plugin::remove_tool(std::string_view name) {
  return instance_.registry()->remove_tool(name);
}

bool Plugin::remove_resource(std::string_view uri) {
  return instance_.registry()->remove_resource(uri);
}

bool Plugin::remove_resource_template(std::string_view uri_template) {
  return instance_.registry()->remove_resource_template(uri_template);
}

bool Plugin::remove_prompt(std::string_view name) {
  return instance_.registry()->remove_prompt(name);
}

void Plugin::instructions(std::string_view text) {
  instance_.registry()->set_instructions(text);
}

void Plugin::components_changed() {
  instance_.registry()->publish();
  instance_.host().components_changed(&instance_.host());
}

void Plugin::resource_updated(std::string_view uri) {
  instance_.host().resource_updated(&instance_.host(), detail::borrowed(uri));
}

std::vector<std::string> Plugin::subscriptions() const {
  const mcp_host& host = instance_.host();
  const auto& subscriptions = detail::required_interface<mcp_subscriptions>(host, MCP_SUBSCRIPTIONS);
  return parse_json(detail::answer_of_host([&](const mcp_sink* sink) { subscriptions.list(&host, sink); }));
}

void Plugin::on_subscribed(std::function<void(const std::string& uri)> function) {
  detail::required_interface<mcp_subscriptions>(instance_.host(), MCP_SUBSCRIPTIONS);
  instance_.on_subscribed(std::move(function));
}

void Plugin::on_unsubscribed(std::function<void(const std::string& uri)> function) {
  detail::required_interface<mcp_subscriptions>(instance_.host(), MCP_SUBSCRIPTIONS);
  instance_.on_unsubscribed(std::move(function));
}

Store Plugin::store() const {
  const mcp_host& host = instance_.host();
  return {host, detail::required_interface<mcp_store>(host, MCP_STORE)};
}

std::uint32_t Plugin::declare_metric(std::int32_t kind, std::string_view name, std::string_view help,
                                     const std::vector<double>& bounds) {
  const mcp_host& host = instance_.host();
  const auto& metrics = detail::required_interface<mcp_metrics>(host, MCP_METRICS);
  std::uint32_t number = 0;
  const std::string why = detail::answer_of_host([&](const mcp_sink* error) {
    number = metrics.declare(&host, kind, detail::borrowed(name), detail::borrowed(help), bounds.data(),
                             static_cast<std::uint32_t>(bounds.size()), error);
  });
  if (number == 0) throw std::invalid_argument(why);
  return number;
}

Counter Plugin::counter(std::string_view name, std::string_view help) {
  const auto number = declare_metric(MCP_METRIC_COUNTER, name, help, {});
  return {host(), detail::required_interface<mcp_metrics>(host(), MCP_METRICS), number};
}

Gauge Plugin::gauge(std::string_view name, std::string_view help) {
  const auto number = declare_metric(MCP_METRIC_GAUGE, name, help, {});
  return {host(), detail::required_interface<mcp_metrics>(host(), MCP_METRICS), number};
}

MetricHistogram Plugin::histogram(std::string_view name, std::string_view help, const std::vector<double>& bounds) {
  const auto number = declare_metric(MCP_METRIC_HISTOGRAM, name, help, bounds);
  return {host(), detail::required_interface<mcp_metrics>(host(), MCP_METRICS), number};
}

void Plugin::add_capability(const char* group, std::string_view name, const Json& settings) {
  const mcp_host& host = instance_.host();
  const auto& capabilities = detail::required_interface<mcp_capabilities>(host, MCP_CAPABILITIES);
  const std::string alone = detail::value_text({{group, {{std::string(name), settings}}}});
  std::int32_t status = 0;
  const std::string why = detail::answer_of_host(
      [&](const mcp_sink* error) { status = capabilities.check(&host, detail::borrowed(alone), error); });
  if (status != 0) throw std::invalid_argument(why);
  instance_.registry()->set_capability(group, name, detail::value_text(settings));
}

void Plugin::extension(std::string_view name, const Json& settings) {
  add_capability("extensions", name, settings);
}

void Plugin::extension(std::string_view name) {
  extension(name, Json::object());
}

void Plugin::experimental(std::string_view name, const Json& settings) {
  add_capability("experimental", name, settings);
}

bool Plugin::remove_extension(std::string_view name) {
  return instance_.registry()->remove_capability("extensions", name);
}

bool Plugin::remove_experimental(std::string_view name) {
  return instance_.registry()->remove_capability("experimental", name);
}

const Json& Plugin::config() const {
  return instance_.config();
}

std::string Plugin::data_directory() const {
  const mcp_host& host = instance_.host();
  std::string path = detail::answer_of_host([&](const mcp_sink* sink) { host.data_directory(&host, sink); });
  if (path.empty()) throw std::runtime_error("the host could not make this plugin's data directory; its log says why");
  return path;
}

std::string Plugin::bundle_directory() const {
  const mcp_host& host = instance_.host();
  const auto* const bundle = static_cast<const mcp_bundle*>(host_interface(MCP_BUNDLE));
  if (bundle == nullptr || !MCP_HAS(bundle, mcp_bundle, directory)) return {};
  return detail::answer_of_host([&](const mcp_sink* sink) { bundle->directory(&host, sink); });
}

const void* Plugin::host_interface(const char* name) const {
  return detail::interface_of(instance_.host(), name);
}

const mcp_host& Plugin::host() const {
  return instance_.host();
}

void Plugin::on_describe(std::function<void()> function) {
  instance_.on_describe(std::move(function));
}

void Plugin::on_start(std::function<void()> function) {
  instance_.on_start(std::move(function));
}

void Plugin::on_stop(std::function<void()> function) {
  instance_.on_stop(std::move(function));
}

void Plugin::log(Level level, std::string_view message) const {
  const mcp_host& host = instance_.host();
  host.log(&host, 0, static_cast<std::int32_t>(level), detail::borrowed(message));
}

}  // namespace mcp
