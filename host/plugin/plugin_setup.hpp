// What a plugin version is given besides its library, in whatever process it runs.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "plugin/data_directory.hpp"
#include "plugin/plugin.hpp"
#include "plugin/restart_policy.hpp"
#include "plugin/sandbox.hpp"

namespace mcph {

struct PluginSetup {
  std::filesystem::path file;         // where it lies in the components folder, for messages
  std::string digest;                 // of its library, or of its bundle
  std::filesystem::path bundle = {};  // where it can read that; empty: it is none
  std::string configuration = "{}";   // a JSON object
  DataDirectory data_directory = {};  // made when the plugin first asks for it
  PluginLimits limits = {};
  RestartPolicy::Limits restarts = {};  // of a worker that crashes
  Sandbox sandbox = {};                 // of a worker
  ErrorTexts errors = ErrorTexts::shown;
  PluginEvents events = {};
  std::function<std::string()> server_info = {};  // what mcp/server_info.h offers; empty: this host does not
};

}  // namespace mcph
