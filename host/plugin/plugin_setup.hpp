// What a plugin version is given besides its library, in whatever process it runs.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "plugin/data_directory.hpp"
#include "plugin/plugin.hpp"
#include "plugin/plugin_metrics.hpp"
#include "plugin/plugin_store.hpp"
#include "plugin/restart_policy.hpp"
#include "plugin/sandbox.hpp"
#include "plugin/subscribed_resources.hpp"

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
  // What mcp/subscriptions.h tells. Whoever made the setup changes it; null: the plugin that is made has its own.
  std::shared_ptr<SubscribedResources> subscriptions = {};
  // Before they are asked for: has them be followed, where they are known elsewhere, and waits until they are there.
  std::function<void()> follow_subscriptions = {};
  std::shared_ptr<PluginStore> store = {};  // what mcp/store.h offers; null: this host does not
  // What the plugin records by mcp/metrics.h; null: the plugin that is made has its own.
  std::shared_ptr<PluginMetrics> metrics = {};
};

}  // namespace mcph
