// Plugin: the running instance, as its author sees it. setup is given it and registers components with it; it lives
// until the end of stop, so handlers may capture a reference to it. Registering and removing is possible from any
// thread at any time: what has changed is served, all at once, from the next components_changed. It has many functions:
// an overload or two for each kind of component.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <mcp/capabilities.h>
#include <mcp/plugin/app.hpp>
#include <mcp/plugin/arg.hpp>
#include <mcp/plugin/context.hpp>
#include <mcp/plugin/detail/decode.hpp>
#include <mcp/plugin/detail/prompt_binding.hpp>
#include <mcp/plugin/detail/resource_binding.hpp>
#include <mcp/plugin/detail/tool_binding.hpp>
#include <mcp/plugin/json.hpp>
#include <mcp/plugin/metrics.hpp>
#include <mcp/plugin/prompt.hpp>
#include <mcp/plugin/resource.hpp>
#include <mcp/plugin/store.hpp>
#include <mcp/plugin/tool.hpp>
#include <mcp/subscriptions.h>

namespace mcp {

namespace detail {
class Instance;
}

class Plugin {
 public:
  explicit Plugin(detail::Instance& instance) : instance_(instance) {}
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  /// A tool whose arguments are the handler's parameters, named by mcp::arg in their order, or the fields of the one
  /// struct that it takes. mcp::Context& may follow. What the handler returns is the result; what it throws, the error.
  template <class F, class... Args>
  Tool tool(std::string_view name, std::string_view description, F handler, Args&&... args) {
    const auto names = detail::arg_array(std::forward<Args>(args)...);
    detail::ToolBinding binding;
    if constexpr (detail::check_tool<F, sizeof...(Args)>())
      binding = detail::bind_tool(name, std::move(handler), names);
    return add_tool(name, description, std::move(binding));
  }

  /// A tool that takes its arguments as they are. `input_schema` is JSON Schema, an object with "type": "object".
  template <class F>
  Tool raw_tool(std::string_view name, std::string_view description, std::string_view input_schema, F handler) {
    detail::ToolBinding binding;
    if constexpr (detail::check_raw_tool<F>()) binding = detail::bind_raw_tool(input_schema, std::move(handler));
    return add_tool(name, description, std::move(binding));
  }

  /// A tool whose handler returns at once, and which is answered later through the mcp::Call that is its last
  /// parameter.
  template <class F, class... Args>
  Tool async_tool(std::string_view name, std::string_view description, F handler, Args&&... args) {
    const auto names = detail::arg_array(std::forward<Args>(args)...);
    detail::ToolBinding binding;
    if constexpr (detail::check_async_tool<F, sizeof...(Args)>()) {
      binding = detail::bind_async_tool(name, std::move(handler), names);
    }
    return add_tool(name, description, std::move(binding));
  }

  /// Both: a tool that takes its arguments as they are, (const mcp::Json&, mcp::Call), and is answered later.
  template <class F>
  Tool raw_async_tool(std::string_view name, std::string_view description, std::string_view input_schema, F handler) {
    detail::ToolBinding binding;
    if constexpr (detail::check_raw_async_tool<F>())
      binding = detail::bind_raw_async_tool(input_schema, std::move(handler));
    return add_tool(name, description, std::move(binding));
  }

  /// `handler` takes nothing, (const mcp::Uri&), (mcp::Context&) or both, and returns a text, bytes, JSON,
  /// mcp::ResourceContent(s), or a std::optional of those.
  template <class F>
  Resource resource(std::string_view uri, std::string_view name, std::string_view description, F handler) {
    detail::ResourceHandler bound;
    if constexpr (detail::check_resource_handler<F>()) bound = detail::bind_resource(std::move(handler));
    return add_resource(uri, name, description, std::move(bound));
  }

  /// All resources whose URI matches a template of RFC 6570, such as "notes://{name}", "file:///{+path}" or
  /// "notes://search{?text,limit}", or a wildcard, "docs://*". Which forms there are stands in docs/writing-plugins.md;
  /// the host refuses others. Instead of mcp::Uri the handler may take one value for each variable, in their order: a
  /// number, a text, an enum or what else has a text as its form, and a std::optional of it for a parameter of the
  /// query. A URI with another text there names no resource.
  template <class F>
  Resource resource_template(std::string_view uri_template, std::string_view name, std::string_view description,
                             F handler) {
    detail::ResourceHandler bound;
    if constexpr (detail::check_template_handler<F>())
      bound = detail::bind_resource_template(uri_template, std::move(handler));
    return add_resource_template(uri_template, name, description, std::move(bound));
  }

  /// A page of HTML, which shows the results of the tools that name its `uri`, "ui://...", with Tool::app. It talks
  /// with the client as MCP Apps say, and a client that knows none never reads it.
  Resource app(std::string_view uri, std::string_view name, std::string_view description, std::string_view html,
               const AppNeeds& needs = {});

  /// `handler` takes nothing, (const mcp::Arguments&), (mcp::Context&) or both, and returns a text (one message of the
  /// user), mcp::Content, mcp::Message or mcp::Messages.
  template <class F>
  Prompt prompt(std::string_view name, std::string_view description, const std::vector<Arg>& arguments, F handler) {
    detail::PromptHandler bound;
    if constexpr (detail::check_prompt_handler<F>()) bound = detail::bind_prompt(std::move(handler));
    detail::require_text_modifiers(name, arguments);
    return add_prompt(name, description, arguments, std::move(bound));
  }
  template <class F>
  Prompt prompt(std::string_view name, std::string_view description, F handler) {
    return prompt(name, description, std::vector<Arg>{}, std::move(handler));
  }
  /// The same with the arguments as the handler's parameters, named by mcp::arg in their order: numbers, texts, enums
  /// or what else has a text as its form. Those that are no std::optional and have no default must be given; one that
  /// its mcp::arg does not allow is the client's mistake. mcp::Context& may follow.
  template <class F, class... Args>
  requires(sizeof...(Args) > 0 && !std::is_convertible_v<F, std::vector<Arg>>) Prompt
      prompt(std::string_view name, std::string_view description, F handler, Args&&... args) {
    auto named = detail::arg_array(std::forward<Args>(args)...);
    detail::PromptHandler bound;
    if constexpr (detail::check_typed_prompt<F, sizeof...(Args)>())
      bound = detail::bind_typed_prompt(name, std::move(handler), named, std::index_sequence_for<Args...>());
    return add_prompt(name, description, {named.begin(), named.end()}, std::move(bound));
  }

  /// One message of the user. Each {placeholder} is a required argument; write {{ and }} for braces. Braces around
  /// anything that is no name stay as they are, such as {"a": 1}. A brace without its other one is refused
  /// (std::invalid_argument), and so is nested JSON that ends in }}, which is one brace. `arguments` say more of them
  /// than their names: mcp::arg("topic", "What to explain"); one that is no placeholder is refused likewise.
  Prompt prompt_text(std::string_view name, std::string_view description, std::string_view text,
                     const std::vector<Arg>& arguments = {});

  /// False if there is no such component. What is removed may be called until the change after this one: the host may
  /// not have read this one yet, or may refuse it. So what its handler uses has to be there still.
  bool remove_tool(std::string_view name);
  bool remove_resource(std::string_view uri);
  bool remove_resource_template(std::string_view uri_template);
  bool remove_prompt(std::string_view name);

  /// For the model: what this plugin is for and how its components go together.
  void instructions(std::string_view text);

  /// Publishes what has been registered, changed and removed since, and tells clients. Not needed in setup.
  void components_changed();
  /// The content of a resource has changed: tells the clients that subscribed to it.
  void resource_updated(std::string_view uri);

  /// The URIs of this plugin's resources that clients are subscribed to now, as handlers are given them. This and the
  /// two functions below throw std::runtime_error where host_has(MCP_SUBSCRIPTIONS) is false.
  std::vector<std::string> subscriptions() const;
  /// Runs when the first client subscribes to a resource, and when the last one that was subscribed is not any more: on
  /// a thread of the host's, one call of all these functions at a time, from the end of on_start to the beginning of
  /// on_stop. The first calls are for what is subscribed to already. Only setup may call these.
  void on_subscribed(std::function<void(const std::string& uri)> function);
  void on_unsubscribed(std::function<void(const std::string& uri)> function);

  /// The small values that this plugin keeps. Throws std::runtime_error where host_has(MCP_STORE) is false.
  Store store() const;

  /// Metrics of the plugin's own, which the host shows as mcp_plugin_NAME. Names have lower-case letters, digits and _;
  /// a counter's ends with _total, which is added. `help` says in a line what it is. Without `bounds` a histogram has
  /// those of Prometheus for seconds. Throw std::runtime_error where host_has(MCP_METRICS) is false, and
  /// std::invalid_argument where the host refuses the metric.
  Counter counter(std::string_view name, std::string_view help);
  Gauge gauge(std::string_view name, std::string_view help);
  MetricHistogram histogram(std::string_view name, std::string_view help, const std::vector<double>& bounds = {});

  /// Adds an extension to what the server says that it can do, with its settings, an object; `name` is PREFIX/NAME,
  /// such as "com.example/search". Or an experimental capability of any name. Another one of the same name takes its
  /// place. Served with the components: from setup, or from the next components_changed. Throw std::runtime_error where
  /// host_has(MCP_CAPABILITIES) is false, and std::invalid_argument with what the host says of it.
  void extension(std::string_view name, const Json& settings);
  void extension(std::string_view name);
  void experimental(std::string_view name, const Json& settings);
  /// False if there is none.
  bool remove_extension(std::string_view name);
  bool remove_experimental(std::string_view name);

  /// The object in NAME.json beside the library, or {}. It does not change during the life of an instance.
  const Json& config() const;
  /// The same as a described struct, or any other type that has a JSON form. Throws std::invalid_argument that names
  /// what is wrong, also with a value that .min(), .max_length() and the like do not allow: in setup, that is the
  /// message with which the plugin is refused. Patterns are not looked at. What a described struct has no field for is
  /// ignored, with a warning in the log.
  template <class T>
  T config_as() const {
    const detail::Place whole{nullptr, "configuration"};
    T decoded = detail::decode<T>(config(), whole);
    detail::require_limits<T>(config(), whole);
    std::vector<std::string> strangers;
    detail::find_strangers<T>(config(), whole, strangers);
    for (const auto& stranger : strangers)
      warn(stranger + " and is ignored");
    return decoded;
  }
  /// Absolute path of a directory of the plugin's own, which outlives its versions. Throws if it cannot be made.
  std::string data_directory() const;
  /// Absolute path of the folder in which the files that lie in NAME.plugin beside the library can be read, those of
  /// this version; empty if the library lies alone. Nothing is to be written there.
  std::string bundle_directory() const;

  /// An optional interface of the host by name and major version, such as "mcp.server-info/1", or null. What its
  /// functions take besides is host().
  const void* host_interface(const char* name) const;
  /// Whether the host has it. What needs one says so, and throws where an older host lacks it. The names are those of
  /// the headers in mcp/, such as MCP_SUBSCRIPTIONS.
  bool host_has(const char* name) const { return host_interface(name) != nullptr; }
  /// The C contract itself, for what this class does not have.
  const mcp_host& host() const;

  /// Runs each time before the host reads what the plugin exports: after setup, and after components_changed. Register,
  /// change or remove here what can be told only then. If it throws, that is the reason for which the plugin is
  /// refused; later the host logs it, and what was served before is served on. In the order of registration; only setup
  /// may call this.
  void on_describe(std::function<void()> function);
  /// Runs when the instance is going to be served: open sockets and files and start threads here, not in setup. If it
  /// throws, the plugin is not served. In the order of registration.
  void on_start(std::function<void()> function);
  /// Runs at the end, in reverse order, if the instance was started: join every thread here.
  void on_stop(std::function<void()> function);

  /// To the host's log, outside of any call.
  void log(Level level, std::string_view message) const;
  void debug(std::string_view message) const { log(Level::Debug, message); }
  void info(std::string_view message) const { log(Level::Info, message); }
  void warn(std::string_view message) const { log(Level::Warning, message); }
  void error(std::string_view message) const { log(Level::Error, message); }

 private:
  std::uint32_t declare_metric(std::int32_t kind, std::string_view name, std::string_view help,
                               const std::vector<double>& bounds);
  void add_capability(const char* group, std::string_view name, const Json& settings);
  Tool add_tool(std::string_view name, std::string_view description, detail::ToolBinding binding);
  Resource add_resource(std::string_view uri, std::string_view name, std::string_view description,
                        detail::ResourceHandler handler);
  Resource add_resource_template(std::string_view uri_template, std::string_view name, std::string_view description,
                                 detail::ResourceHandler handler);
  Prompt add_prompt(std::string_view name, std::string_view description, const std::vector<Arg>& arguments,
                    detail::PromptHandler handler);

  detail::Instance& instance_;
};

}  // namespace mcp
