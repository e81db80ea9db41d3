// What every command that loads plugins takes. A value.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/version.hpp"
#include "protocol/server_identity.hpp"
#include "protocol/state/serving.hpp"
#include "sources/folder/plugin_configuration.hpp"
#include "telemetry/stderr_log.hpp"

namespace mcph {

// How clients find their way where there are many tools.
struct CatalogOptions {
  bool find_tools = false;          // they can search, by a tool of this name
  std::size_t list_at_most = 0;     // tools; 0: all of them
  std::vector<std::string> pinned;  // patterns of those that are listed first, "tool:deploy*"
};

struct HostOptions {
  ServerIdentity identity{"mcp-plugin-host", "MCP Plugin Host", host_version};  // that clients and plugins are told
  std::filesystem::path components = "mcp_components";
  std::filesystem::path data_root;  // of the plugins' data directories
  std::string instructions;         // for the model
  CatalogOptions catalog;
  ServingOptions serving;
  Isolation isolation = Isolation::worker;        // of a plugin that does not say
  ErrorTexts errors = ErrorTexts::shown;          // likewise
  SandboxProfile sandbox = SandboxProfile::none;  // likewise
  FileTrust::Options trust;                       // which files are loaded
  // By their names, each what NAME.mcp.json would say, as JSON; and the folder where their paths begin.
  std::map<std::string, std::string> upstreams = {};
  std::filesystem::path upstreams_folder = {};
  std::map<std::string, std::string> upstream_places = {};  // in the configuration: "team.toml:7:12"
  bool tell_crash_places = false;                           // to clients, not to the log alone
  bool has_one_client = false;                              // as over stdio
  unsigned threads = 0;  // that do I/O; 0: as many as there are processors, at most 4
  std::chrono::seconds shutdown_grace{10};
  std::string control;  // where the operator reaches the host; empty: by itself, "none": nowhere
  Log::Level log_level = Log::Level::info;
  StderrLog::Format log_format = StderrLog::Format::text;
};

}  // namespace mcph
