#include "cli/options.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/similar_name.hpp"
#include "base/version.hpp"
#include "cli/complain.hpp"
#include "cli/operator_text.hpp"
#include "cli/setting_options.hpp"
#include "plugin/names.hpp"
#include "telemetry/log_text.hpp"

namespace mcph {
namespace {

Config with_log_level(Log::Level level) {
  Config config;
  config.host.log_level = level;
  return config;
}

// Clients end the process some two seconds after its input.
Config stdio_defaults() {
  Config config;
  config.host.shutdown_grace = std::chrono::seconds(1);
  return config;
}

void add_control(CLI::App& app, OperatorOptions& options) {
  app.add_option("--control", options.control, "Socket of the host, where several run")
      ->type_name("PATH")
      ->check(mistake_in_value);
}

void add_operator_options(CLI::App& app, OperatorOptions& options) {
  add_control(app, options);
  app.add_flag("--json", options.json, "One JSON object");
}

void add_server(CLI::App& app, AskedServerOptions& server) {
  auto* const url = app.add_option("--url", server.url,
                                   "Ask the server there, such as http://127.0.0.1:8080/mcp, and start no plugins")
                        ->check(mistake_in_value);
  app.add_option("--token-file", server.token_file, "A file with the token that the server wants")
      ->needs(url)
      ->check(mistake_in_value);
}

// An option that has one of a few values, which the help and the completion tell.
CLI::Option& offer_choice(CLI::App& app, const std::string& name, const std::string& description,
                          const std::vector<std::string>& values, const std::function<void(const std::string&)>& take) {
  std::string all;
  for (const auto& value : values)
    all += (all.empty() ? "" : "|") + value;
  const auto check = [values, all](const std::string& text) {
    const bool is_one = std::ranges::find(values, text) != values.end();
    return is_one ? std::string() : "\"" + text + "\" is not one of " + all;
  };
  return *app.add_option_function<std::string>(name, take, description)->type_name(all)->check(check);
}

// An option that is a whole number.
CLI::Option& offer_count(CLI::App& app, const std::string& name, const std::string& description, std::size_t& count,
                         std::size_t least) {
  const auto check = [least](const std::string& text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_one = error == std::errc{} && end == text.data() + text.size() && number >= least;
    return is_one ? std::string() : "\"" + text + "\" is not a whole number of at least " + std::to_string(least);
  };
  return *app.add_option(name, count, description)->check(check);
}

// Where no name means all, or anybody, an empty one is a mistake.
std::string mistake_in_name(const std::string& name) {
  return name.empty() ? "the name is empty" : "";
}

void add_color(CLI::App& app, ColorChoice& color) {
  offer_choice(app, "--color", "Whether the output is coloured; where it is a terminal, unless told otherwise",
               {"auto", "always", "never"}, [&color](const std::string& name) {
                 color = name == "auto" ? ColorChoice::automatic : ColorChoice::never;
                 if (name == "always") color = ColorChoice::always;
               });
}

std::vector<std::string> names_of_orders() {
  std::vector<std::string> names;
  for (const auto& order : plugin_orders)
    names.emplace_back(order.name);
  return names;
}

// Empty: a project can have the name, and so can its target.
std::string mistake_in_plugin_name(const std::string& name) {
  if (!is_component_name(name) || name.front() == '.' || name.front() == '-') {
    return "the name must be 1 to 128 characters of A-Za-z0-9_.- and begin with a letter or digit";
  }
  for (const auto* taken : {"all", "clean", "help", "install", "package", "setup_test", "test", "edit_cache",
                            "rebuild_cache", "mcp_plugin", "mcp_plugin_abi", "mcp_plugin_testing"}) {
    if (name == taken) return "\"" + name + "\" is the name of another target of the project; choose another";
  }
  return {};
}

// The help of a command that leaves what follows its arguments to another program.
class PrefixHelp final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    auto usage = CLI::Formatter::make_usage(app, std::move(name));
    usage.resize(usage.find_last_not_of('\n') + 1);
    return usage + " URL | COMMAND [ARGUMENT]...\n";
  }
};

// The command that the command line names, as far as it does: that of "token list", say.
const CLI::App& named_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : named_command(*commands.front());
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const auto nearest = similar_name(word, names);
  return nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?";
}

// What is wrong with the first word that is neither an option nor an argument of the command. Empty: nothing that is
// known.
std::string mistake_in_words(const CLI::App& command) {
  const auto is_option = [](std::string_view word) { return word.starts_with('-'); };
  std::vector<std::string> options;
  for (const auto* const option : command.get_options()) {
    for (const auto& name : option->get_lnames())
      options.push_back("--" + name);
  }
  std::vector<std::string> commands;
  for (const auto* const each : command.get_subcommands(nullptr))
    commands.push_back(each->get_name());
  const auto words = command.remaining();
  // An option may be one of the command that is missing.
  if (command.get_require_subcommand_min() > 0 && (words.empty() || is_option(words.front()))) {
    std::string list;
    for (const auto& each : commands)
      list += (list.empty() ? "" : ", ") + each;
    return "\"" + command.get_name() + "\" needs one of its commands: " + list;
  }
  for (const auto& word : words) {
    const auto name = word.substr(0, word.find('='));
    if (is_option(name)) return "\"" + name + "\" is not an option" + did_you_mean(name, options);
    if (command.get_option_no_throw("--config") != nullptr && word.ends_with(".toml"))
      return "\"" + word + "\" was not expected; if it is the configuration, write --config " + word;
    if (!commands.empty()) return "\"" + word + "\" is not a command" + did_you_mean(word, commands);
  }
  return {};
}

// The commands, each with what its options are read into: one member a command.
class CommandLine {
 public:
  // `first_word` is that of the command line; empty where there is none.
  explicit CommandLine(std::string_view first_word);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command read(int argc, char** argv);

 private:
  // What is given for the command, if that is the one.
  struct Offer {
    CLI::App* app;
    std::function<Command()> command;
  };
  using Configured = std::function<Command(Config config, const ConfigSource& source)>;

  void offer_servers();
  void offer_tools_for_authors();
  void offer_project_tools();
  void offer_check();
  void offer_tools_for_operators();
  void offer_status();
  void offer_log();
  void offer_shells();
  void offer_config();
  void offer_tokens();
  void offer_explain();
  void offer_audit();
  void offer_upstreams();
  CLI::App& offer(CLI::App& parent, const std::string& name, const std::string& description,
                  std::function<Command()> command);
  // A command that takes a configuration, and the options that count instead of these settings.
  ConfiguredCommand& offer_configured(CLI::App& parent, const std::string& name, const std::string& description,
                                      Config defaults, Configured command,
                                      std::span<const SettingOption> settings = host_settings);
  // A command that asks a plugin what a client would.
  CLI::App& offer_call(PluginMethod method, const std::string& name, const std::string& description);

  std::optional<Command> read_hidden(const std::vector<std::string>& words);
  // Gives the command its options, if it has those of a configuration.
  void prepare(const CLI::App& app);

  CLI::App app_{"Serves compiled plugins to MCP clients: drop one into mcp_components and they have its tools.",
                "mcp-plugin-host"};
  std::vector<Offer> offers_;
  std::list<ConfiguredCommand> configured_;

  InspectCommand inspect_;
  CheckCommand check_;
  ListCommand list_;
  CallCommand call_;
  DevCommand dev_;
  NewCommand new_;
  ConfigCommand config_;
  TokenCommand token_;
  ExplainCommand explain_;
  AuditCommand audit_;
  StatusCommand status_;
  TraceCommand trace_;
  LogCommand log_;
  CompletionCommand completion_;
  OperateCommand operate_;
  DashboardCommand dashboard_;
  SymbolizeCommand symbolize_;
  UpstreamsCommand upstreams_;
};

CommandLine::CommandLine(std::string_view first_word) {
  app_.set_version_flag("--version", std::string("mcp-plugin-host ") + host_version);
  app_.require_subcommand(0, 1);
  offer_servers();
  // A client waits for a server's start, of which the other commands would take a part.
  if (first_word == "serve" || first_word == "stdio") return;
  offer_tools_for_authors();
  offer_check();
  offer_tools_for_operators();
  offer_config();
  offer_tokens();
  offer_explain();
  offer_audit();
  offer_upstreams();
  offer_shells();
}

CLI::App& CommandLine::offer(CLI::App& parent, const std::string& name, const std::string& description,
                             std::function<Command()> command) {
  auto* const app = parent.add_subcommand(name, description);
  offers_.push_back({app, std::move(command)});
  return *app;
}

ConfiguredCommand& CommandLine::offer_configured(CLI::App& parent, const std::string& name,
                                                 const std::string& description, Config defaults, Configured command,
                                                 std::span<const SettingOption> settings) {
  auto& app = *parent.add_subcommand(name, description);
  auto& configured = configured_.emplace_back(app, std::move(defaults));
  configured.offer(settings);
  offers_.push_back({&app, [&configured, command = std::move(command)]() -> Command {
                       const auto source = configured.source();
                       auto config = source.load();
                       if (config.has_value()) return command(*std::move(config), source);
                       std::cerr << config.error().message << "\n";
                       return Exit{not_carried_out};
                     }});
  return configured;
}

void CommandLine::offer_servers() {
  auto& serve = offer_configured(app_, "serve", "Serve over HTTP at http://ADDRESS:PORT/mcp", {},
                                 [](Config config, const ConfigSource& source) -> Command {
                                   return ServeCommand{std::move(config), source};
                                 });
  serve.offer(serving_settings);
  serve.offer(http_settings);

  auto& stdio =
      offer_configured(app_, "stdio", "Serve the client that started this program, over standard input and output",
                       stdio_defaults(), [](Config config, const ConfigSource& source) -> Command {
                         return StdioCommand{std::move(config), source};
                       });
  stdio.offer(serving_settings);
  stdio.offer(stdio_settings);
}

CLI::App& CommandLine::offer_call(PluginMethod method, const std::string& name, const std::string& description) {
  // What is answered is its output, so it logs little.
  auto& app = offer_configured(app_, name, description, with_log_level(Log::Level::warning),
                               [this, method](Config config, const ConfigSource&) -> Command {
                                 call_.config = std::move(config);
                                 call_.method = method;
                                 return call_;
                               })
                  .app();
  app.add_flag("--json", call_.json, "Print the whole result");
  add_server(app, call_.server);
  if (method == PluginMethod::completion_complete) return app;
  // One at a time, because CLI11 would take a list apart.
  app.add_option("--answer", call_.answers,
                 "What the client answers when it is asked: the content of a form, the text of a sampling, a list of "
                 "roots, or a whole result, as JSON. Again for each further question")
      ->allow_extra_args(false);
  return app;
}

void CommandLine::offer_tools_for_authors() {
  // What is answered is their output, so they log little.
  const auto quiet = with_log_level(Log::Level::warning);
  auto& inspect = offer_configured(app_, "inspect", "Say what plugins export, or why they would be refused", quiet,
                                   [this](Config config, const ConfigSource&) -> Command {
                                     inspect_.config = std::move(config);
                                     return inspect_;
                                   })
                      .app();
  inspect.add_option("FILE", inspect_.files, "Libraries of plugins, or files of upstreams (NAME.mcp.json)")->required();
  inspect.add_flag("--json", inspect_.json, "One JSON object a file");

  auto& list = offer_configured(app_, "list", "Say what the components folder would serve", quiet,
                                [this](Config config, const ConfigSource&) -> Command {
                                  list_.config = std::move(config);
                                  return list_;
                                })
                   .app();
  list.add_flag("--json", list_.json, "One JSON object");
  add_server(list, list_.server);

  auto& call = offer_call(PluginMethod::tools_call, "call", "Run a tool without a client");
  call.add_option("TOOL", call_.component, "The tool's name")->required();
  call.add_option("JSON", call_.arguments, "Its arguments, a JSON object")->capture_default_str();
  auto& read = offer_call(PluginMethod::resources_read, "read", "Read a resource without a client");
  read.add_option("URI", call_.component, "Of the resource")->required();
  auto& prompt = offer_call(PluginMethod::prompts_get, "prompt", "Get a prompt without a client");
  prompt.add_option("NAME", call_.component, "The prompt's name")->required();
  prompt.add_option("JSON", call_.arguments, "Its arguments, a JSON object; numbers and booleans become texts")
      ->capture_default_str();
  auto& complete = offer_call(PluginMethod::completion_complete, "complete",
                              "Say what may be filled in for an argument of a prompt or a variable of a template");
  complete.add_option("COMPONENT", call_.component, "The prompt's name, or the template")->required();
  complete.add_option("ARGUMENT", call_.completed, "The argument or the variable")->required();
  complete.add_option("TEXT", call_.typed, "What its values begin with");
  complete.add_option("--chosen", call_.arguments, "The arguments that are chosen already, a JSON object of texts");
  offer_project_tools();
}

void CommandLine::offer_project_tools() {
  auto& dev =
      offer_configured(app_, "dev", "Build a project, serve its plugins, and do so again when its sources change",
                       with_log_level(Log::Level::trace), [this](Config config, const ConfigSource& source) -> Command {
                         dev_.config = std::move(config);
                         dev_.source = source;
                         return dev_;
                       });
  dev.offer(serving_settings);
  dev.offer(http_settings);
  dev.show({{"plugins", {{"components", "DIR/build/dev/mcp_components"}, {"data", "DIR/build/dev/data"}}}});
  auto& app = dev.app();
  app.add_option("DIR", dev_.directory, "The project")->capture_default_str();
  app.add_option("--build", dev_.build,
                 "The command that builds it, where that is not CMake, to be run in DIR; its plugins are in "
                 "--components then, which has the default of serve, as --data has")
      ->check(mistake_in_value);
  app.add_flag("--inspector", dev_.inspector, "Open the official MCP Inspector, which npx fetches");
  // What the environment or a configuration says is said for other hosts, too.
  app.callback([this, &app] {
    const auto& given = app.parse_order();
    if (dev_.build.empty() && std::ranges::find(given, app.get_option("--components")) != given.end())
      throw CLI::ValidationError("--components",
                                 "without --build CMake builds the project, whose plugins are in "
                                 "DIR/build/dev/mcp_components; leave it out, or give the command that builds it: "
                                 "--build 'make'");
  });

  auto& symbolize =
      offer(app_, "symbolize", "Replace FILE+OFFSET in a log, from standard input, by function, file and line",
            [this] { return symbolize_; });
  symbolize.add_option("FILE", symbolize_.file, "The plugin's library, of the build that crashed, with its debug data")
      ->required();

  auto& create = offer(app_, "new", "Make a plugin project that builds at once", [this] { return new_; });
  create.add_option("NAME", new_.name, "Of the plugin")->required()->check(mistake_in_plugin_name);
  create.add_option("--in", new_.directory, "Where to make the folder NAME")
      ->capture_default_str()
      ->check(mistake_in_value);
  create.add_option("--lang", new_.language, "The language that it is written in")
      ->type_name("cpp|c|rust|go|zig")
      ->capture_default_str();
}

void CommandLine::offer_check() {
  auto& app =
      offer_configured(app_, "check",
                       "Check whether plugins keep what they promise: loads them, and calls each of their tools, "
                       "also those that change something (see --only-read-only)",
                       with_log_level(Log::Level::off),
                       [this](Config config, const ConfigSource&) -> Command {
                         check_.config = std::move(config);
                         return check_;
                       })
          .app();
  app.add_option("FILE", check_.files, "Plugin libraries");
  const auto offer_format = [&](const char* name, CheckCommand::Format format, const char* description) {
    app.add_flag_callback(
        name, [this, format] { check_.format = format; }, description);
  };
  offer_format("--text", CheckCommand::Format::text, "Print lines for people, as it does unless told otherwise");
  offer_format("--json", CheckCommand::Format::json, "Print one JSON object a file");
  offer_format("--junit", CheckCommand::Format::junit, "Print the XML of JUnit");
  auto& options = check_.options;
  app.add_option_function<double>(
         "--timeout",
         [&options](double seconds) { options.timeout = std::chrono::milliseconds(std::llround(seconds * 1000)); },
         "Seconds for an answer, for the end of a cancelled call and for a stop; 5 unless told otherwise")
      ->check(CLI::Range(0.1, 3600.0))
      // Which the range lets through.
      ->check([](const std::string& text) {
        return std::isnan(std::strtod(text.c_str(), nullptr)) ? std::string("must be a number") : std::string();
      });
  app.add_option("--rounds", options.rounds, "How often is repeated what may leave something behind")
      ->check(CLI::Range(2U, 10'000U))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of the order of calls")->capture_default_str();
  app.add_option("--only", options.only, "Only this check; again for others")->allow_extra_args(false);
  app.add_option("--skip", options.skip, "All checks but this one; again for others")->allow_extra_args(false);
  app.add_flag("--only-read-only", options.only_read_only, "Call no tool that does not say readOnlyHint");
  app.add_flag("--list", check_.list, "Say what is checked, and check nothing");
}

void CommandLine::offer_tools_for_operators() {
  offer_status();
  offer_log();
  auto& trace = offer(app_, "trace", "Show what is said in the calls of a running host, as lines of JSON",
                      [this] { return trace_; });
  trace.add_option("PLUGIN", trace_.plugin, "The name of the only one that is of interest")->check(mistake_in_name);
  trace.add_option("--component", trace_.component, "The name or the URI of the only one that is of interest")
      ->check(mistake_in_name);
  offer_count(trace, "--count", "End after so many lines", trace_.count, 1);
  add_control(trace, trace_.options);
  const auto offer_operation = [this](const std::string& name, const std::string& description, bool needs_plugin) {
    auto& app = offer(app_, name, description, [this] { return operate_; });
    add_operator_options(app, operate_.options);
    app.add_option("PLUGIN", operate_.plugin, "Its name, or its file")->required(needs_plugin)->check(mistake_in_name);
    if (name != "reload") {
      app.add_option(
             "--component", operate_.component,
             "The name or the URI of a tool, a prompt, a resource or a template, where the whole plugin is not meant")
          ->check(mistake_in_name);
    }
    app.callback([this, name] { operate_.command = name; });
  };
  offer_operation("reload", "Load a plugin of a running host anew, or all", false);
  offer_operation("disable", "Take a plugin's components off a running host's lists", true);
  offer_operation("enable", "Serve them again", true);
  add_operator_options(
      offer(app_, "dashboard", "Print a link into a running host's dashboard, good once and for a minute",
            [this] { return dashboard_; }),
      dashboard_.options);
}

void CommandLine::offer_status() {
  auto& status = offer(app_, "status", "Say how a running host and its plugins fare", [this] { return status_; });
  add_operator_options(status, status_.options);
  status.add_flag("--watch", status_.watch, "Say so again each second, and wait for a host that ends; q ends it");
  offer_choice(status, "--sort", "By what the plugins are sorted; the most of a number comes first", names_of_orders(),
               [this](const std::string& name) { status_.sort = name; });
  add_color(status, status_.color);
}

void CommandLine::offer_log() {
  auto& log = offer(app_, "log", "Show the log of a running host: its last lines, and those that follow",
                    [this] { return log_; });
  log.add_option("PLUGIN", log_.plugin, "The name or the file of the only one that is of interest")
      ->check(mistake_in_name);
  offer_choice(log, "--level", "Only lines of this level and above", {log_level_names.begin(), log_level_names.end()},
               [this](const std::string& name) { log_.level = name; })
      .default_str(log_.level);
  offer_count(log, "--last", "How many of the last lines come first", log_.last, 0).capture_default_str();
  log.add_flag_callback(
      "--no-follow", [this] { log_.follows = false; }, "End after these");
  offer_count(log, "--count", "End after so many lines", log_.count, 1);
  log.add_flag("--json", log_.options.json, "Each line as a JSON object");
  add_control(log, log_.options);
  add_color(log, log_.color);
}

void CommandLine::offer_shells() {
  auto& completion = offer(app_, "completion", "Print what a shell needs to complete the words of this program",
                           [this] { return completion_; });
  offer_choice(completion, "SHELL", "The shell", {"bash", "zsh", "fish"}, [this](const std::string& name) {
    completion_.shell = name;
  }).required();
}

// Neither is for people: one is asked by shells, the other by the build.
std::optional<Command> CommandLine::read_hidden(const std::vector<std::string>& words) {
  if (words.empty()) return std::nullopt;
  if (words.front() == "__complete") {
    return CompleteWordsCommand{
        complete_words(app_, {words.begin() + 1, words.end()}, [this](const CLI::App& app) { prepare(app); })};
  }
  if (words.front() != "__manual" || words.size() != 2) return std::nullopt;
  for (auto& configured : configured_)
    configured.prepare();
  return ManualCommand{.folder = words.back(), .pages = manual_pages(app_)};
}

void CommandLine::prepare(const CLI::App& app) {
  for (auto& configured : configured_) {
    if (&configured.app() == &app) configured.prepare();
  }
}

void CommandLine::offer_config() {
  auto& config = *app_.add_subcommand("config", "Check a configuration, or say what it comes to");
  config.require_subcommand(1);
  const auto offer_word = [&](const std::string& name, const std::string& description, ConfigCommand::What what) {
    auto& configured = offer_configured(config, name, description, {},
                                        [this, what](Config settled, const ConfigSource& source) -> Command {
                                          config_.what = what;
                                          config_.config = std::move(settled);
                                          config_.source = source;
                                          return config_;
                                        });
    for (const auto settings : {serving_settings, http_settings, stdio_settings})
      configured.offer(settings);
    return &configured.app();
  };
  offer_word("check", "Say what is wrong with it, and with the files that it names", ConfigCommand::What::check)
      ->add_flag_callback(
          "--no-files", [this] { config_.files = false; }, "Look at no other file, as where they are not");
  offer_word("show", "Print all settings, with what they come to", ConfigCommand::What::show)
      ->add_flag("--json", config_.json, "As JSON instead of TOML");
  offer(config, "schema", "Print the JSON Schema of the file, for editors", [this] {
    config_.what = ConfigCommand::What::schema;
    return config_;
  });
}

void CommandLine::offer_tokens() {
  auto& token = *app_.add_subcommand("token", "Make, list or revoke the tokens of a configuration's [tokens]");
  token.require_subcommand(1);
  const auto offer_word = [&](const std::string& name, const std::string& description,
                              TokenCommand::What what) -> CLI::App& {
    auto& app = offer_configured(token, name, description, {},
                                 [this, what](Config config, const ConfigSource&) -> Command {
                                   token_.what = what;
                                   token_.config = std::move(config);
                                   return token_;
                                 },
                                 {})
                    .app();
    if (what == TokenCommand::What::create) return app;
    app.add_option("--file", token_.config.tokens, "The file of the tokens, instead of the one that [tokens] names")
        ->type_name("FILE")
        ->check(CLI::ExistingFile);
    // Whoever has to end a token need not mend the configuration first.
    auto& offer = offers_.back();
    offer.command = [this, what, load = std::move(offer.command)]() -> Command {
      if (token_.config.tokens.empty()) {
        auto command = load();
        if (std::holds_alternative<Exit>(command)) std::cerr << "with --file FILE the configuration is not read\n";
        return command;
      }
      token_.what = what;
      return token_;
    };
    return app;
  };
  auto& create = offer_word("create", "Make one and print it: nothing shows it again", TokenCommand::What::create);
  create.add_option("NAME", token_.name, "Who is to have it")->required()->check(mistake_in_name);
  create.add_option("--role", token_.roles, "Role that it gives")
      ->type_name("ROLE")
      ->required()
      ->allow_extra_args(false);
  create.add_option("--expires", token_.expiry, "After which it is good no longer: 90d, 12h, 2027-01-31")
      ->type_name("TIME")
      ->check(mistake_in_value);
  offer_word("list", "Say which there are", TokenCommand::What::list)
      .add_flag("--json", token_.json, "One JSON object");
  offer_word("revoke", "End one, or all of a name; the host takes notice at once", TokenCommand::What::revoke)
      .add_option("NAME", token_.name, "Who has it, or its ID")
      ->required()
      ->check(mistake_in_name);
}

void CommandLine::offer_upstreams() {
  const auto offer_word = [&](const std::string& name, const std::string& description,
                              UpstreamsCommand::What what) -> CLI::App& {
    return offer_configured(
               app_, name, description, {},
               [this, what](Config config, const ConfigSource&) -> Command {
                 upstreams_.what = what;
                 upstreams_.config = std::move(config);
                 return upstreams_;
               },
               folder_settings)
        .app();
  };
  auto& add = offer_word("add", "Have a server elsewhere served, too: add NAME URL, or add NAME COMMAND ARGUMENT...",
                         UpstreamsCommand::What::add);
  add.add_option("NAME", upstreams_.name, "Of NAME.mcp.json")->required();
  add.add_option("--env", upstreams_.environment, "NAME=VALUE for a command's environment, or NAME=@FILE for a secret")
      ->allow_extra_args(false);
  add.add_option("--header", upstreams_.headers, "NAME=VALUE for what is sent to a URL, or NAME=@FILE for a secret")
      ->allow_extra_args(false);
  add.add_option("--prefix", upstreams_.prefix, "What the names of its tools and prompts begin with");
  offer_count(add, "--connect-ms", "Milliseconds that it may take to connect; 10000 unless told otherwise",
              upstreams_.connect_ms, 1);
  add.add_flag("--sse", upstreams_.sse, "The URL is one of the old HTTP+SSE");
  add.add_flag("--force", upstreams_.force, "Replace the one that is there");
  // What follows the name is the command's own, options included.
  add.prefix_command();
  add.formatter(std::make_shared<PrefixHelp>());
  add.callback([this, &add] {
    upstreams_.words = add.remaining();
    if (upstreams_.words.empty()) throw CLI::RequiredError("URL or COMMAND");
  });
  auto& remove = offer_word("remove", "Take a server elsewhere out again", UpstreamsCommand::What::remove);
  remove.add_option("NAME", upstreams_.name, "Of NAME.mcp.json")->required();
  auto& import =
      offer_word("import", "Add all servers of a client's file, its mcpServers", UpstreamsCommand::What::import);
  import.add_option("FILE", upstreams_.file, "Such as claude_desktop_config.json or .mcp.json")->required();
  import.add_flag("--force", upstreams_.force, "Replace those that are there");
}

void CommandLine::offer_explain() {
  auto& explain = offer_configured(app_, "explain", "Say whether somebody may use something, and by which rule",
                                   with_log_level(Log::Level::error),
                                   [this](Config config, const ConfigSource& source) -> Command {
                                     explain_.config = std::move(config);
                                     explain_.source = source;
                                     return explain_;
                                   })
                      .app();
  explain.add_option("METHOD", explain_.method, "tools/call, resources/read or prompts/get")->required();
  explain.add_option("NAME", explain_.name, "Of the tool or prompt, or the resource's URI")->required();
  explain.add_option("JSON", explain_.arguments, "Arguments, a JSON object")->capture_default_str();
  explain.add_option("--as", explain_.who, "Who has a token, ISSUER#SUBJECT, or anonymous")
      ->type_name("WHO")
      ->capture_default_str();
  explain.add_option("--server", explain_.server, "Of [servers.NAME]; by default the whole")
      ->type_name("NAME")
      ->check(mistake_in_value);
  explain.add_option("--role", explain_.roles, "That the issuer gives ISSUER#SUBJECT")
      ->type_name("ROLE")
      ->allow_extra_args(false);
  explain.add_option("--group", explain_.groups, "That ISSUER#SUBJECT is in")
      ->type_name("GROUP")
      ->allow_extra_args(false);
  explain.add_option("--scope", explain_.scopes, "That the token of ISSUER#SUBJECT has")
      ->type_name("SCOPE")
      ->allow_extra_args(false);
}

void CommandLine::offer_audit() {
  auto& audit = *app_.add_subcommand("audit", "Check an audit log, or make a key that signs one");
  audit.require_subcommand(1);
  const auto offer_word = [&](const std::string& name, const std::string& description,
                              AuditCommand::What what) -> CLI::App& {
    return offer(audit, name, description, [this, what] {
      audit_.what = what;
      return audit_;
    });
  };
  auto& verify =
      offer_word("verify", "Say whether these files are what a host has written", AuditCommand::What::verify);
  verify.add_option("FILE", audit_.files, "The log, the oldest file first")->required();
  auto* const key = verify.add_option("--key", audit_.key, "The public key by which its checkpoints must be signed")
                        ->type_name("FILE")
                        ->check(mistake_in_value);
  verify.add_flag("--require-signed", audit_.require_signed, "Also its last lines must be signed")->needs(key);
  verify.add_option("--head", audit_.head, "A line that must be there, as a host or this command has told it")
      ->type_name("SEQ:HASH")
      ->check(mistake_in_value);
  offer_word("key", "Make a private key for [audit] key, and print the public one", AuditCommand::What::key)
      .add_option("FILE", audit_.files, "Where to write it")
      ->required()
      ->expected(1);
}

Command CommandLine::read(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (auto hidden = read_hidden(words)) return *std::move(hidden);
  for (auto& configured : configured_) {
    if (std::ranges::find(words, configured.app().get_name()) != words.end()) configured.prepare();
  }
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const auto mistake = error.get_exit_code() == 0 ? "" : mistake_in_words(named_command(app_));
    if (mistake.empty()) return Exit{app_.exit(error) == 0 ? 0 : not_carried_out};
    std::cerr << mistake << "\nRun with --help for more information.\n";
    return Exit{not_carried_out};
  }
  for (const auto& [app, command] : offers_) {
    if (*app) return command();
  }
  std::cerr << app_.help();
  return Exit{not_carried_out};
}

}  // namespace

Command parse_command_line(int argc, char** argv) {
  return CommandLine(argc > 1 ? argv[1] : "").read(argc, argv);
}

}  // namespace mcph
