// The command line, read into values. Nothing else of the program knows CLI11.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "protocol/serving.hpp"
#include "protocol/session.hpp"
#include "reload/plugin_configuration.hpp"
#include "stderr_log.hpp"
#include "transport/http_server.hpp"
#include "transport/stdio_transport.hpp"

namespace mcph {

// What every command that loads plugins takes.
struct HostOptions {
  std::filesystem::path components = "mcp_components";
  std::filesystem::path data_root;  // of the plugins' data directories
  std::string instructions;         // for the model
  ServingOptions serving;
  Isolation isolation = Isolation::worker;        // of a plugin that does not say
  SandboxProfile sandbox = SandboxProfile::none;  // likewise
  FileTrust::Options trust;                       // which files are loaded
  unsigned threads = 0;                           // that do I/O; 0: as many as there are processors, at most 4
  std::chrono::seconds shutdown_grace{10};
  std::string control;  // where the operator reaches the host; empty: by itself, "none": nowhere
  Log::Level log_level = Log::Level::info;
  StderrLog::Format log_format = StderrLog::Format::text;
};

struct ServeCommand {
  HostOptions host;
  HttpOptions http;
  Sessions::Limits sessions;
};
struct StdioCommand {
  // Clients end the process some two seconds after its input.
  StdioCommand() { host.shutdown_grace = std::chrono::seconds(1); }

  HostOptions host;
  StdioOptions stdio;
};
struct InspectCommand {
  HostOptions host;
  std::vector<std::filesystem::path> files;
  bool json = false;
};
struct ListCommand {
  HostOptions host;
  bool json = false;
};
struct CallCommand {
  HostOptions host;
  std::string tool;
  std::string arguments = "{}";
  bool json = false;
};
struct NewCommand {
  std::string name;
  std::filesystem::path directory = ".";
};
// How to reach a running host.
struct OperatorOptions {
  std::string control;  // its socket; empty: the only one there is
  bool json = false;
};
struct StatusCommand {
  OperatorOptions options;
};
struct OperateCommand {
  OperatorOptions options;
  std::string command;  // reload, disable or enable
  std::string plugin;   // empty: all
};
// Nothing to do but to exit: --help, --version, or a mistake that has been told.
struct Exit {
  int status;
};

using Command = std::variant<ServeCommand, StdioCommand, InspectCommand, ListCommand, CallCommand, NewCommand,
                             StatusCommand, OperateCommand, Exit>;

Command parse_command_line(int argc, char** argv);

}  // namespace mcph
