// What the plugin's configuration, or the file that it names, may say. Read in setup and whenever the file has changed;
// immutable after.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <mcp/plugin.hpp>

namespace plugins::mock {

enum class Operator {
  equals,
  notEquals,
  contains,
  startsWith,
  endsWith,
  matches,
  gt,
  gte,
  lt,
  lte,
  in,
  exists,
};

// Either a comparison, or several conditions of which all or one must hold.
struct ConditionSettings {
  std::optional<std::string> field;
  std::optional<Operator> comparison;
  std::optional<mcp::Json> value;
  std::optional<std::vector<ConditionSettings>> all;
  std::optional<std::vector<ConditionSettings>> any;
  static constexpr auto fields() {
    return std::tuple{mcp::field("field", &ConditionSettings::field),
                      mcp::field("operator", &ConditionSettings::comparison),
                      mcp::field("value", &ConditionSettings::value), mcp::field("all", &ConditionSettings::all),
                      mcp::field("any", &ConditionSettings::any)};
  }
};

enum class Speaker { user, assistant };

struct MessageSettings {
  Speaker role = Speaker::user;
  std::optional<std::string> text;
  std::optional<mcp::Json> content;
  static constexpr auto fields() {
    return std::tuple{mcp::field("role", &MessageSettings::role), mcp::field("text", &MessageSettings::text),
                      mcp::field("content", &MessageSettings::content)};
  }
};

struct ProtocolErrorSettings {
  int code = 0;
  std::string message;
  std::optional<mcp::Json> data;
  static constexpr auto fields() {
    return std::tuple{mcp::field("code", &ProtocolErrorSettings::code),
                      mcp::field("message", &ProtocolErrorSettings::message),
                      mcp::field("data", &ProtocolErrorSettings::data)};
  }
};

// What is answered: one of these but for the delay.
struct OutcomeSettings {
  std::optional<mcp::Json> response;
  std::optional<std::vector<mcp::Json>> content;
  std::optional<std::string> blob;
  std::optional<std::vector<MessageSettings>> messages;
  std::optional<std::variant<std::string, ProtocolErrorSettings>> error;
  int delay_ms = 0;
  static constexpr auto fields() {
    return std::tuple{mcp::field("response", &OutcomeSettings::response),
                      mcp::field("content", &OutcomeSettings::content),
                      mcp::field("blob", &OutcomeSettings::blob),
                      mcp::field("messages", &OutcomeSettings::messages),
                      mcp::field("error", &OutcomeSettings::error),
                      mcp::field("delayMs", &OutcomeSettings::delay_ms).min(0).max(600'000).default_value(0)};
  }
};

struct ScenarioSettings : OutcomeSettings {
  std::optional<ConditionSettings> condition;
  std::optional<std::vector<ConditionSettings>> all;
  std::optional<std::vector<ConditionSettings>> any;
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple{mcp::field("condition", &ScenarioSettings::condition), mcp::field("all", &ScenarioSettings::all),
                   mcp::field("any", &ScenarioSettings::any)},
        OutcomeSettings::fields());
  }
};

struct ScenarioList {
  std::optional<std::vector<ScenarioSettings>> scenarios;
  std::optional<OutcomeSettings> fallback;
  static constexpr auto fields() {
    return std::tuple{mcp::field("scenarios", &ScenarioList::scenarios),
                      mcp::field("default", &ScenarioList::fallback)};
  }
};

struct ToolSettings : ScenarioList {
  std::string name;
  std::optional<std::string> title;
  std::string description;
  std::optional<mcp::Json> input_schema;
  std::optional<mcp::Json> output_schema;
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple{mcp::field("name", &ToolSettings::name), mcp::field("title", &ToolSettings::title),
                                     mcp::field("description", &ToolSettings::description),
                                     mcp::field("inputSchema", &ToolSettings::input_schema),
                                     mcp::field("outputSchema", &ToolSettings::output_schema)},
                          ScenarioList::fields());
  }
};

struct ResourceSettings : ScenarioList {
  std::optional<std::string> uri;
  std::optional<std::string> uri_template;
  std::string name;
  std::optional<std::string> title;
  std::string description;
  std::optional<std::string> mime_type;
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple{mcp::field("uri", &ResourceSettings::uri),
                   mcp::field("uriTemplate", &ResourceSettings::uri_template),
                   mcp::field("name", &ResourceSettings::name), mcp::field("title", &ResourceSettings::title),
                   mcp::field("description", &ResourceSettings::description).default_value(""),
                   mcp::field("mimeType", &ResourceSettings::mime_type)},
        ScenarioList::fields());
  }
};

struct ArgumentSettings {
  std::string name;
  std::string description;
  bool required = false;
  static constexpr auto fields() {
    return std::tuple{mcp::field("name", &ArgumentSettings::name),
                      mcp::field("description", &ArgumentSettings::description).default_value(""),
                      mcp::field("required", &ArgumentSettings::required).default_value(false)};
  }
};

struct PromptSettings : ScenarioList {
  std::string name;
  std::optional<std::string> title;
  std::string description;
  std::optional<std::vector<ArgumentSettings>> arguments;
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple{mcp::field("name", &PromptSettings::name), mcp::field("title", &PromptSettings::title),
                   mcp::field("description", &PromptSettings::description),
                   mcp::field("arguments", &PromptSettings::arguments)},
        ScenarioList::fields());
  }
};

// What the file holds.
struct MockSettings {
  std::optional<std::vector<ToolSettings>> tools;
  std::optional<std::vector<ResourceSettings>> resources;
  std::optional<std::vector<PromptSettings>> prompts;
  static constexpr auto fields() {
    return std::tuple{mcp::field("tools", &MockSettings::tools).max_items(1000),
                      mcp::field("resources", &MockSettings::resources).max_items(1000),
                      mcp::field("prompts", &MockSettings::prompts).max_items(1000)};
  }
};

// What the configuration holds: the same, or the path of the file.
struct Configuration : MockSettings {
  std::optional<std::string> file;
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple{mcp::field("file", &Configuration::file)}, MockSettings::fields());
  }
};

// What is wrong with the value at this place of the configuration: std::invalid_argument.
[[noreturn]] inline void refuse(const std::string& place, const std::string& why) {
  throw std::invalid_argument('"' + place + "\" " + why);
}

}  // namespace plugins::mock
