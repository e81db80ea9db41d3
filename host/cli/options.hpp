// The command line, read into values. Nothing else of the program knows CLI11.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "app/host_options.hpp"
#include "protocol/state/session.hpp"
#include "transport/stdio/stdio_transport.hpp"
#include "transport/streamable_http/options.hpp"

namespace mcph {

struct ServeCommand {
  HostOptions host;
  HttpOptions http;
  StreamableHttpOptions mcp;
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
