#include "cli/setting_options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/ascii.hpp"

namespace mcph {
namespace {

constexpr SettingOption host_options[] = {
    {"--components", "plugins.components", "MCP_COMPONENTS"},  // the first: folder_settings
    {"--data", "plugins.data"},
    {"--log-level", "log.level"},
    {"--log-format", "log.format"},
    {"--isolation", "plugins.isolation", "MCP_ISOLATION"},
    {"--allow-outside-links", "plugins.allow_outside_links"},
    {"--allow-writable-components", "plugins.allow_writable_components"},
    {"--allowed-digests", "plugins.allowed_digests"},
    {"--sandbox", "plugins.sandbox", "MCP_SANDBOX"},
};

constexpr SettingOption serving_options[] = {
    {"--instructions", "server.instructions"},
    {"--page-size", "serving.page_size"},
    {"--find-tools", "catalog.find_tools"},
    {"--list-at-most", "catalog.list_at_most"},
    {"--list-freshness-ms", "serving.list_freshness_ms"},
    {"--answer-time-s", "serving.answer_time_s"},
    {"--task-after-ms", "serving.task_after_ms"},
    {"--task-lifetime-s", "serving.task_lifetime_s"},
    {"--max-tasks", "serving.max_tasks"},
    {"--state-key", "serving.state_key"},
    {"--threads", "serving.threads"},
    {"--control", "serving.control"},
    {"--shutdown-grace-s", "serving.shutdown_grace_s"},
};

constexpr SettingOption http_options[] = {
    {"--listen", "http.listen"},
    {"--allow-remote-without-authentication", "http.allow_remote_without_authentication"},
    {"--allow-host", "http.allow_hosts"},
    {"--allow-origin", "http.allow_origins"},
    {"--max-body-bytes", "http.max_body_bytes"},
    {"--max-header-bytes", "http.max_header_bytes"},
    {"--max-buffered-bytes", "http.max_buffered_bytes"},
    {"--max-connections", "http.max_connections"},
    {"--header-time-ms", "http.header_time_ms"},
    {"--body-time-ms", "http.body_time_ms"},
    {"--idle-time-ms", "http.idle_time_ms"},
    {"--heartbeat-ms", "http.heartbeat_ms"},
    {"--close-streams-after-ms", "http.close_streams_after_ms"},
    {"--websocket", "http.websocket"},
    {"--http-sse", "http.http_sse"},
    {"--sessions", "http.sessions"},
    {"--max-sessions", "http.max_sessions"},
    {"--session-idle-s", "http.session_idle_s"},
    {"--admin-listen", "admin.listen"},
    {"--allow-remote-admin", "admin.allow_remote"},
    {"--dashboard", "dashboard.listen"},
    {"--allow-remote-dashboard", "dashboard.allow_remote"},
};

constexpr SettingOption stdio_options[] = {{"--max-message-bytes", "stdio.max_message_bytes"}};

OrderedJson::json_pointer pointer_to(const std::string& key, std::string_view between) {
  std::string pointer;
  for (std::size_t begin = 0; begin <= key.size();) {
    const auto end = std::min(key.find('.', begin), key.size());
    pointer.append(pointer.empty() ? "" : between).append("/" + key.substr(begin, end - begin));
    begin = end + 1;
  }
  return OrderedJson::json_pointer(pointer);
}

const OrderedJson& schema_of(const std::string& key) {
  return config_form().schema.at(OrderedJson::json_pointer("/properties")).at(pointer_to(key, "/properties"));
}

// A text of the command line as the value that it stands for. One that is none remains a text, about which the
// setting's form has something to say.
OrderedJson value_of(const std::string& text, const OrderedJson& schema) {
  if (schema.contains("enum")) return lower_case(text);
  if (schema.value("type", "") != "integer") return text;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? OrderedJson(number) : OrderedJson(text);
}

// "auto|always|never"
std::string choice_words(const OrderedJson& values) {
  std::string words;
  for (const auto& value : values)
    words += (words.empty() ? "" : "|") + value.get<std::string>();
  return words;
}

// What has said the setting: the option, or the variable that has filled it.
std::string name_of_giver(const CLI::App& app, const SettingOption& setting) {
  const auto& given = app.parse_order();
  const bool is_option = std::ranges::find(given, app.get_option(setting.name)) != given.end();
  return is_option || setting.environment == nullptr ? setting.name : setting.environment;
}

std::string default_words(const OrderedJson& shown) {
  return shown.is_string() ? shown.get<std::string>() : shown.dump();
}

}  // namespace

const std::span<const SettingOption> host_settings = host_options;
const std::span<const SettingOption> folder_settings = std::span(host_options).first(1);
const std::span<const SettingOption> serving_settings = serving_options;
const std::span<const SettingOption> http_settings = http_options;
const std::span<const SettingOption> stdio_settings = stdio_options;

std::string mistake_in_value(const std::string& text) {
  return text.empty() ? "its value is empty" : "";
}

ConfiguredCommand::ConfiguredCommand(CLI::App& app, Config defaults) : app_(app), defaults_(std::move(defaults)) {}

void ConfiguredCommand::prepare() {
  app_.add_option("--config", file_, "Configuration file (TOML); the other options count instead of what it says")
      ->type_name("FILE")
      ->envname("MCP_CONFIG")
      ->check(mistake_in_value);
  auto shown = config_form().show(defaults_);
  shown.merge_patch(found_defaults_);
  for (const auto& settings : offered_) {
    for (const auto& setting : settings)
      offer(setting, shown);
  }
}

void ConfiguredCommand::offer(const SettingOption& setting, const OrderedJson& shown) {
  const std::string key = setting.key;
  const auto& schema = schema_of(key);
  const auto description = schema["description"].get<std::string>();
  const auto type = schema.value("type", "");
  const auto overrule = [this, key, &setting](OrderedJson value) {
    overrides_.push_back({key, std::move(value), name_of_giver(app_, setting)});
  };
  if (type == "boolean") {
    app_.add_flag_callback(
        setting.name, [overrule] { overrule(true); }, description);
    return;
  }
  CLI::Option* option = nullptr;
  if (type == "array") {
    option = app_.add_option_function<std::vector<std::string>>(
        setting.name, [overrule](const std::vector<std::string>& texts) { overrule(texts); }, description);
    option->allow_extra_args(false);
  } else {
    option = app_.add_option_function<std::string>(
        setting.name, [overrule, &schema](const std::string& text) { overrule(value_of(text, schema)); }, description);
    const auto at = pointer_to(key, "");
    if (shown.contains(at)) option->default_str(default_words(shown.at(at)));
  }
  if (schema.value("format", "").starts_with("path")) option->check(mistake_in_value);
  if (type == "integer") option->type_name("INT");
  if (schema.contains("enum")) option->type_name(choice_words(schema["enum"]));
  if (setting.environment != nullptr) option->envname(setting.environment);
}

}  // namespace mcph
