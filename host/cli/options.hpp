// The command line, read into values. Of the program only this, and what is made of its options, the completion and the
// manual, know CLI11.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "check/check.hpp"
#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "cli/terminal.hpp"
#include "config/config.hpp"
#include "plugin/plugin_method.hpp"

namespace mcph {

struct ServeCommand {
  Config config;
  ConfigSource source;                        // of the configuration, which may change
  std::function<void()> when_stopping = {};   // is called when it begins to stop; may be empty
  std::function<std::string()> problem = {};  // as in HostFacts; may be null
};
// Serves a project's plugins while their author works on them.
struct DevCommand {
  Config config;
  ConfigSource source;
  std::filesystem::path directory = ".";
  std::string build = {};  // the command that does it; empty: CMake's
  bool inspector = false;
};
struct StdioCommand {
  Config config;
  ConfigSource source;
};
struct InspectCommand {
  Config config;
  std::vector<std::filesystem::path> files;
  bool json = false;
};
// Checks whether plugins keep what they promise.
struct CheckCommand {
  enum class Format { text, json, junit };
  Config config;
  std::vector<std::filesystem::path> files;
  CheckOptions options;
  Format format = Format::text;
  bool list = false;  // only says what is checked
};
// A server that is asked instead of starting the plugins.
struct AskedServerOptions {
  std::string url = {};                   // empty: the plugins are started
  std::filesystem::path token_file = {};  // with what that server wants to see; empty: nothing
};
struct ListCommand {
  Config config;
  AskedServerOptions server = {};
  bool json = false;
};
// Asks a plugin what a client would ask.
struct CallCommand {
  Config config;
  PluginMethod method = PluginMethod::tools_call;
  std::string component = {};             // the name of a tool or a prompt, or a URI
  std::string arguments = "{}";           // as JSON; of a completion those that are chosen already
  std::string completed = {};             // the argument or variable whose values are wanted
  std::string typed = {};                 // what they begin with
  std::vector<std::string> answers = {};  // as JSON, to what the plugin asks its client, in that order
  AskedServerOptions server = {};
  bool json = false;
};
struct NewCommand {
  std::string name;
  std::filesystem::path directory = ".";
  std::string language = "cpp";  // of which there is a template
};
// Says something of a configuration.
struct ConfigCommand {
  enum class What { check, show, schema };
  What what = What::check;
  Config config;
  ConfigSource source;
  bool files = true;  // those that it names are looked at, too
  bool json = false;
};
// Makes, lists or revokes the tokens of the configuration.
struct TokenCommand {
  enum class What { create, list, revoke };
  What what = What::list;
  Config config;
  std::string name;  // of the principal; to revoke also the ID of one token
  std::vector<std::string> roles;
  std::string expiry;  // "90d", "12h" or a date; empty: never
  bool json = false;
};
// Says who may use what, and why.
struct ExplainCommand {
  Config config;
  ConfigSource source;
  std::string who = "anonymous";  // who has a token, or ISSUER#SUBJECT
  std::string server;             // a virtual one; empty: the whole
  std::vector<std::string> roles;
  std::vector<std::string> groups;
  std::vector<std::string> scopes;
  std::string method;
  std::string name;
  std::string arguments = "{}";
};
// Makes a key for audit logs, or looks whether such a log is what a host has written.
struct AuditCommand {
  enum class What { key, verify };
  What what = What::verify;
  std::vector<std::filesystem::path> files;  // of a log, the oldest first; or of the key
  std::filesystem::path key;                 // the public one; empty: signatures are not checked
  std::string head;                          // a line that must be there, as "SEQ:HASH"; empty: none in particular
  bool require_signed = false;               // also the last lines must be
};
// Puts servers elsewhere into the components folder, or takes one out.
struct UpstreamsCommand {
  enum class What { add, remove, import };
  What what = What::add;
  Config config;
  std::string name;
  std::vector<std::string> words = {};        // a URL, or a command and its arguments
  std::vector<std::string> environment = {};  // NAME=VALUE or NAME=@FILE
  std::vector<std::string> headers = {};      // likewise
  std::string prefix = {};                    // of its tools and prompts
  std::size_t connect_ms = 0;                 // as "connectMs"; 0: its default
  bool sse = false;                           // the URL is one of HTTP+SSE
  std::filesystem::path file = {};            // of a client, from which all are taken
  bool force = false;                         // what is there is replaced
};
// How to reach a running host.
struct OperatorOptions {
  std::string control;  // its socket; empty: the only one there is
  bool json = false;
};
struct StatusCommand {
  OperatorOptions options;
  bool watch = false;
  std::string sort = {};  // the name of an order of the plugins; empty: the host's own
  ColorChoice color = ColorChoice::automatic;
};
// Shows the log of a running host.
struct LogCommand {
  OperatorOptions options;
  std::string plugin = {};     // the name or the file of the only one of interest; empty: all
  std::string level = "info";  // that lines have at least
  std::size_t last = 10;       // of the lines that have been written before
  bool follows = true;         // and those that come
  std::size_t count = 0;       // of lines, after which it ends; 0: any number
  ColorChoice color = ColorChoice::automatic;
};
// Shows what is said in the calls of a running host.
struct TraceCommand {
  OperatorOptions options;
  std::string plugin = {};     // empty: all
  std::string component = {};  // likewise
  std::size_t count = 0;       // of lines, after which it ends; 0: any number
};
struct OperateCommand {
  OperatorOptions options;
  std::string command;         // reload, disable or enable
  std::string plugin;          // empty: all
  std::string component = {};  // to disable or enable; empty: the whole plugin
};
// Says where the dashboard of a running host is, with a token that lets in once.
struct DashboardCommand {
  OperatorOptions options;
};
// Makes what a log says of a plugin's crashes readable, with the debug data of its library.
struct SymbolizeCommand {
  std::filesystem::path file;
};
// Prints what a shell needs to complete the words of this program.
struct CompletionCommand {
  std::string shell;
};
// Says which words may come next.
struct CompleteWordsCommand {
  Completion completion;
};
// Writes the manual, a page a command.
struct ManualCommand {
  std::filesystem::path folder;
  std::vector<ManualPage> pages;
};
// Nothing to do but to exit: --help, --version, or a mistake that has been told.
struct Exit {
  int status;
};

using Command =
    std::variant<ServeCommand, DevCommand, StdioCommand, InspectCommand, CheckCommand, ListCommand, CallCommand,
                 NewCommand, ConfigCommand, TokenCommand, ExplainCommand, AuditCommand, StatusCommand, TraceCommand,
                 LogCommand, OperateCommand, DashboardCommand, SymbolizeCommand, UpstreamsCommand, CompletionCommand,
                 CompleteWordsCommand, ManualCommand, Exit>;

Command parse_command_line(int argc, char** argv);

}  // namespace mcph
