#include "cli/options.hpp"

#include <charconv>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <utility>

#include <CLI/CLI.hpp>
#include <boost/asio/ip/address.hpp>

#include "base/state_folder.hpp"
#include "base/version.hpp"
#include "plugin/isolated/worker_frame.hpp"
#include "plugin/names.hpp"

namespace mcph {
namespace {

constexpr int usage = 2;

// "127.0.0.1:8080", "[::1]:8080" or ":8080". Empty: it was understood.
std::string read_listen_address(const std::string& text, ServeCommand& serve) {
  const auto colon = text.rfind(':');
  std::string explanation = "\"" + text + "\" is not ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080";
  if (colon == std::string::npos) return explanation;
  auto address = text.substr(0, colon);
  if (address.size() > 2 && address.front() == '[' && address.back() == ']')
    address = address.substr(1, address.size() - 2);
  if (address.empty() || address == "localhost") address = "127.0.0.1";
  const auto port = std::string_view(text).substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), serve.http.port);
  if (error != std::errc{} || end != port.data() + port.size()) return explanation;
  boost::system::error_code not_an_address;
  const auto parsed = boost::asio::ip::make_address(address, not_an_address);
  if (not_an_address) return explanation;
  serve.http.address = address;
  serve.mcp.access.loopback_only = parsed.is_loopback();
  return {};
}

std::string lower_case(std::string text) {
  for (auto& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

template <class Duration>
void add_duration(CLI::App& app, const std::string& name, Duration& target, const std::string& description) {
  app.add_option_function<typename Duration::rep>(
         name, [&target](const typename Duration::rep& count) { target = Duration(count); }, description)
      ->check(CLI::Range(typename Duration::rep{1}, typename Duration::rep{std::numeric_limits<int>::max()}))
      ->default_str(std::to_string(target.count()));
}

template <class Number>
void add_bound(CLI::App& app, const std::string& name, Number& target, unsigned least, const std::string& description,
               Number most = Number{1} << 30) {
  app.add_option(name, target, description)->check(CLI::Range(Number{least}, most))->capture_default_str();
}

// Of a message that a client sends. A longer one could not be given to a plugin.
void add_message_bound(CLI::App& app, const std::string& name, std::size_t& target, const std::string& description) {
  add_bound(app, name, target, 1024, description, max_frame_bytes);
}

// One of a few words. (CLI11's own check of enumerations tells people their numbers.)
template <class Enum>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Enum& target,
                        const std::vector<std::pair<std::string, Enum>>& choices, const std::string& description) {
  std::map<std::string, Enum> values(choices.begin(), choices.end());
  std::string words;
  std::string current;
  for (const auto& [word, value] : choices) {
    words += (words.empty() ? "" : ", ") + word;
    if (value == target) current = word;
  }
  return app
      .add_option_function<std::string>(
          name, [&target, values](const std::string& word) { target = values.at(lower_case(word)); }, description)
      ->check([values, words](const std::string& word) {
        return values.contains(lower_case(word)) ? std::string() : "\"" + word + "\" is not one of " + words;
      })
      ->default_str(current);
}

// `log_level` is the command's own: one whose output is the answer to a question says little else.
void add_host_options(CLI::App& app, HostOptions& host, Log::Level log_level = Log::Level::info) {
  host.log_level = log_level;
  host.data_root = state_folder();
  app.add_option("--components", host.components, "Folder with tools/, resources/ and prompts/")
      ->envname("MCP_COMPONENTS")
      ->capture_default_str();
  app.add_option("--data", host.data_root, "Folder below which each plugin may keep data")->capture_default_str();
  add_choice(app, "--log-level", host.log_level,
             {{"debug", Log::Level::debug},
              {"info", Log::Level::info},
              {"warning", Log::Level::warning},
              {"error", Log::Level::error},
              {"off", Log::Level::off}},
             "debug, info, warning, error or off");
  add_choice(app, "--log-format", host.log_format,
             {{"text", StderrLog::Format::text}, {"json", StderrLog::Format::json}},
             "text, or json for one JSON object a line");
  add_choice(app, "--isolation", host.isolation, {{"worker", Isolation::worker}, {"in-process", Isolation::in_process}},
             "Where a plugin runs whose NAME.json does not say: worker, a process of its own, or in-process")
      ->envname("MCP_ISOLATION");
  app.add_flag("--allow-outside-links", host.trust.outside_links,
               "Load plugins also where a link leads out of the components folder");
  app.add_flag("--allow-writable-components", host.trust.writable_by_others,
               "Load plugins also where the file or its folder is another user's than this one's or root's, or can be "
               "written by everybody; a group may write in any case");
  app.add_option_function<std::string>(
      "--allowed-digests",
      [&host](const std::string& file) {
        auto digests = read_digests(file);
        if (digests.has_error()) throw CLI::ValidationError("--allowed-digests", digests.error().message);
        host.trust.digests = *std::move(digests);
      },
      "File as sha256sum writes it; only libraries with these digests are loaded");
  add_choice(app, "--sandbox", host.sandbox, {sandbox_profiles.begin(), sandbox_profiles.end()},
             "What holds a plugin whose NAME.json does not say: none, permissive or strict")
      ->envname("MCP_SANDBOX");
}

void add_serving_options(CLI::App& app, HostOptions& host) {
  app.add_option("--instructions", host.instructions, "What the model is told about this server");
  app.add_option("--page-size", host.serving.page_size, "Items of a list in one answer")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000}))
      ->capture_default_str();
  add_duration(app, "--list-freshness-ms", host.serving.list_freshness, "How long clients may keep a list");
  add_duration(app, "--answer-time-s", host.serving.answer_time,
               "How long a client and its user may take to answer what a plugin asks");
  add_duration(app, "--task-after-ms", host.serving.tasks.after,
               "A call that takes longer becomes a task, for clients that know tasks");
  add_duration(app, "--task-lifetime-s", host.serving.tasks.lifetime, "From a task's beginning until it is forgotten");
  add_bound(app, "--max-tasks", host.serving.tasks.count, 0, "At once; with more, long calls stay calls");
  app.add_option_function<std::string>(
      "--state-key",
      [&host](const std::string& file) {
        const auto key = read_state_key(file);
        if (key.has_error()) throw CLI::ValidationError("--state-key", key.error().message);
        host.serving.state_key = *key;
      },
      "File with at least 32 random bytes; replicas that share it go on with each other's calls");
  app.add_option("--threads", host.threads, "Threads that do I/O; 0 for as many as there are processors, at most 4")
      ->check(CLI::Range(0U, 64U))
      ->capture_default_str();
  app.add_option(
         "--control", host.control,
         "Socket at which status, reload, disable and enable reach this host, or none; by default a private one")
      ->type_name("PATH|none");
  add_duration(app, "--shutdown-grace-s", host.shutdown_grace, "How long calls in flight may take when the host ends");
}

struct HttpTexts {
  std::string listen = "127.0.0.1:8080";
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  bool allow_remote = false;
};

void add_http_options(CLI::App& app, ServeCommand& serve, HttpTexts& texts) {
  auto& limits = serve.http.limits;
  app.add_option("--listen", texts.listen, "ADDRESS:PORT; port 0 takes a free one")->capture_default_str();
  app.add_flag("--allow-remote-without-authentication", texts.allow_remote,
               "Listen on an address that others reach, although this server does not ask who they are");
  app.add_option("--allow-host", texts.allowed_hosts, "A host name under which clients may address this server")
      ->check([](const std::string& host) {
        return is_host_name(host) ? std::string() : "\"" + host + "\" is not a host name without a port";
      });
  app.add_option("--allow-origin", texts.allowed_origins, "An origin whose web pages may use this server, or *")
      ->check([](const std::string& origin) {
        return origin == "*" || is_origin(origin)
                   ? std::string()
                   : "\"" + origin + "\" is not an origin, such as https://app.example.com, or *";
      });
  add_message_bound(app, "--max-body-bytes", limits.body_bytes, "Of one message that a client sends");
  add_bound(app, "--max-header-bytes", limits.header_bytes, 1024, "Of one request");
  add_bound(app, "--max-buffered-bytes", limits.buffered_bytes, 1 << 20,
            "Of the requests and answers of all clients together, small ones aside");
  add_bound(app, "--max-connections", limits.connections, 1, "Open at once");
  add_duration(app, "--header-time-ms", limits.header_time, "From a request's first byte to the end of its headers");
  add_duration(app, "--body-time-ms", limits.body_time, "From there to the end of its body");
  add_duration(app, "--idle-time-ms", limits.idle_time, "Of a connection between requests");
  add_duration(app, "--heartbeat-ms", limits.heartbeat, "Between signs of life on a quiet stream");
  app.add_option_function<int>(
         "--close-streams-after-ms",
         [&serve](const int& time) { serve.mcp.stream_time = std::chrono::milliseconds(time); },
         "After which a legacy client polls for the rest of an event stream; 0: never")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()))
      ->default_str("0");
  app.add_flag("--http-sse", serve.mcp.http_sse, "Serve the deprecated HTTP+SSE transport, too, at /sse");
  add_bound(app, "--max-sessions", serve.sessions.count, 1, "Legacy sessions open at once");
  add_duration(app, "--session-idle-s", serve.sessions.idle_time, "After which a legacy session ends");
}

// What options.cpp alone can check: that the pieces fit together. Empty: they do.
std::string settle_http(ServeCommand& serve, const HttpTexts& texts) {
  if (auto mistake = read_listen_address(texts.listen, serve); !mistake.empty()) return "--listen: " + mistake;
  const auto& limits = serve.http.limits;
  if (limits.buffered_bytes < limits.body_bytes) {
    return "--max-buffered-bytes " + std::to_string(limits.buffered_bytes) +
           " has no room for one request of --max-body-bytes " + std::to_string(limits.body_bytes) +
           ". Raise --max-buffered-bytes to that at least, or lower --max-body-bytes.";
  }
  for (const auto& host : texts.allowed_hosts)
    serve.mcp.access.allowed_hosts.push_back(lower_case(host));
  for (const auto& origin : texts.allowed_origins)
    serve.mcp.access.allowed_origins.push_back(lower_case(origin));
  if (serve.mcp.access.loopback_only || texts.allow_remote) return {};
  return "--listen " + texts.listen +
         " is reached by others, and this server has no authentication yet. Listen on 127.0.0.1 behind a proxy that "
         "authenticates, or say --allow-remote-without-authentication if everybody who can reach it may use it.";
}

void add_operator_options(CLI::App& app, OperatorOptions& options) {
  app.add_option("--control", options.control, "Socket of the host, where several run")->type_name("PATH");
  app.add_flag("--json", options.json, "One JSON object");
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

// The commands, each with what its options are read into.
class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command read(int argc, char** argv);

 private:
  // What is given for the command, if that is the one.
  struct Offer {
    CLI::App* app;
    std::function<Command()> command;
  };

  void offer_servers();
  void offer_tools_for_authors();
  void offer_tools_for_operators();
  CLI::App& offer(const std::string& name, const std::string& description, std::function<Command()> command);
  Command settled_serve() const;

  CLI::App app_{"Serves compiled plugins to MCP clients: drop one into mcp_components and they have its tools.",
                "mcp-plugin-host"};
  std::vector<Offer> offers_;

  ServeCommand serve_;
  HttpTexts http_;
  StdioCommand stdio_;
  InspectCommand inspect_;
  ListCommand list_;
  CallCommand call_;
  NewCommand new_;
  StatusCommand status_;
  OperateCommand operate_;
};

CommandLine::CommandLine() {
  app_.set_version_flag("--version", std::string("mcp-plugin-host ") + host_version);
  app_.require_subcommand(0, 1);
  offer_servers();
  offer_tools_for_authors();
  offer_tools_for_operators();
}

CLI::App& CommandLine::offer(const std::string& name, const std::string& description,
                             std::function<Command()> command) {
  auto* const app = app_.add_subcommand(name, description);
  offers_.push_back({app, std::move(command)});
  return *app;
}

void CommandLine::offer_servers() {
  auto& serve = offer("serve", "Serve over HTTP at http://ADDRESS:PORT/mcp", [this] { return settled_serve(); });
  add_host_options(serve, serve_.host);
  add_serving_options(serve, serve_.host);
  add_http_options(serve, serve_, http_);

  auto& stdio = offer("stdio", "Serve the client that started this program, over standard input and output",
                      [this] { return stdio_; });
  add_host_options(stdio, stdio_.host);
  add_serving_options(stdio, stdio_.host);
  add_message_bound(stdio, "--max-message-bytes", stdio_.stdio.max_message_bytes,
                    "Of one message that the client sends");
}

void CommandLine::offer_tools_for_authors() {
  auto& inspect = offer("inspect", "Say what plugins export, or why they would be refused; starts none",
                        [this] { return inspect_; });
  add_host_options(inspect, inspect_.host, Log::Level::warning);
  inspect.add_option("FILE", inspect_.files, "Plugin libraries")->required();
  inspect.add_flag("--json", inspect_.json, "One JSON object a file");

  auto& list = offer("list", "Say what the components folder would serve", [this] { return list_; });
  add_host_options(list, list_.host, Log::Level::warning);
  list.add_flag("--json", list_.json, "One JSON object");

  auto& call = offer("call", "Run a tool without a client", [this] { return call_; });
  add_host_options(call, call_.host, Log::Level::warning);
  call.add_option("TOOL", call_.tool, "The tool's name")->required();
  call.add_option("JSON", call_.arguments, "Its arguments, a JSON object")->capture_default_str();
  call.add_flag("--json", call_.json, "Print the whole result");

  auto& create = offer("new", "Make a plugin project that builds at once", [this] { return new_; });
  create.add_option("NAME", new_.name, "Of the plugin")->required()->check(mistake_in_plugin_name);
  create.add_option("--in", new_.directory, "Where to make the folder NAME")->capture_default_str();
}

void CommandLine::offer_tools_for_operators() {
  add_operator_options(offer("status", "Say how a running host and its plugins fare", [this] { return status_; }),
                       status_.options);
  const auto offer_operation = [this](const std::string& name, const std::string& description, bool needs_plugin) {
    auto& app = offer(name, description, [this] { return operate_; });
    add_operator_options(app, operate_.options);
    app.add_option("PLUGIN", operate_.plugin, "Its name, or its file")->required(needs_plugin);
    app.callback([this, name] { operate_.command = name; });
  };
  offer_operation("reload", "Load a plugin of a running host anew, or all", false);
  offer_operation("disable", "Take a plugin's components off a running host's lists", true);
  offer_operation("enable", "Serve them again", true);
}

Command CommandLine::settled_serve() const {
  auto serve = serve_;
  const auto mistake = settle_http(serve, http_);
  if (mistake.empty()) return serve;
  std::cerr << mistake << "\n";
  return Exit{usage};
}

Command CommandLine::read(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ExtrasError& error) {
    if (!app_.get_subcommands().empty()) {
      app_.exit(error);
      return Exit{usage};
    }
    std::cerr << "\"" << app_.remaining().front() << "\" is not a command\n\n" << app_.help();
    return Exit{usage};
  } catch (const CLI::ParseError& error) {
    return Exit{app_.exit(error) == 0 ? 0 : usage};
  }
  for (const auto& [app, command] : offers_) {
    if (*app) return command();
  }
  std::cerr << app_.help();
  return Exit{usage};
}

}  // namespace

Command parse_command_line(int argc, char** argv) {
  return CommandLine().read(argc, argv);
}

}  // namespace mcph
