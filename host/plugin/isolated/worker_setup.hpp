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
