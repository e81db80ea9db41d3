// What a worker is told of its plugin, and what it says of it in return. Values, written as JSON where they cross.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "plugin/data_directory.hpp"
#include "plugin/plugin.hpp"
#include "plugin/sandbox.hpp"

namespace mcph {

// A program that a worker becomes, instead of loading a library: it speaks on its standard input and output.
struct WorkerProgram {
  std::vector<std::string> command;  // the program, found as a shell finds it, and its arguments; empty: there is none
  std::vector<std::string> environment = {};  // all of it, as NAME=VALUE
  std::filesystem::path folder = {};          // that it runs in; empty: the host's
};

struct WorkerSetup {
  std::filesystem::path library;  // the private copy, which has been checked
  std::filesystem::path file;     // where it lies in the components folder, for messages
  std::string digest;
  std::filesystem::path bundle = {};  // the private copy of it that the library lies in; empty: it lies alone
  std::string configuration;
  DataDirectory data_directory;
  PluginLimits limits;
  Sandbox sandbox = {};
  bool has_server_info = false;
  bool has_store = false;
  bool starts = false;  // it is to be started at once, too
  WorkerProgram program = {};

  std::string json() const;
  static Result<WorkerSetup> read(std::string_view json);
};

struct WorkerIdentity {
  std::string name;
  std::string version;
  PluginAbout about = {};
  std::vector<std::string> sandbox_lacks = {};

  std::string json() const;
  static Result<WorkerIdentity> read(std::string_view json);
};

}  // namespace mcph
