// The objects that serve plugins, in the order in which they need each other. Made by a command, which adds what it
// needs on top; ended by finish, or by the destructor where nothing can be in flight. As many members as there are
// parts, because this is where they are put together.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalog/published_catalog.hpp"
#include "catalog/subscription_routes.hpp"
#include "catalog/update_thread.hpp"
#include "config/host_options.hpp"
#include "plugin/isolated/workers.hpp"
#include "protocol/server/server_info.hpp"
#include "runtime/event_loops.hpp"
#include "sources/drainer.hpp"
#include "sources/folder/folder_source.hpp"
#include "sources/folder/load_threads.hpp"
#include "sources/folder/plugin_loader.hpp"
#include "sources/publisher.hpp"
#include "sources/reaper.hpp"
#include "sources/upstream/configured_upstreams.hpp"
#include "sources/upstream/http_upstream.hpp"
#include "sources/upstream/upstream_loader.hpp"
#include "stores/file_stores.hpp"
#include "telemetry/log.hpp"

namespace mcph {

// Whose file it is decides who loads it.
class FileLoaders final : public VersionLoader {
 public:
  // Both outlive it.
  FileLoaders(VersionLoader& plugins, VersionLoader& upstreams) : plugins_(plugins), upstreams_(upstreams) {}

  Result<LoadedPlugin> load_version(const PluginFile& file, PluginEvents events) override {
    return (is_upstream_name(file.file) ? upstreams_ : plugins_).load_version(file, std::move(events));
  }
  void stop() override {
    plugins_.stop();
    upstreams_.stop();
  }

 private:
  VersionLoader& plugins_;
  VersionLoader& upstreams_;
};

// Fails with what to do if the folder of the components is not there.
Result<> find_components(const HostOptions& options);

class Host {
 public:
  // Fails if no private folder for the plugins' copies can be made. The log outlives it. `limits` and `features` are
  // what the command adds to those that the host tells plugins of.
  static Result<std::unique_ptr<Host>> create(const HostOptions& options, Log& log, NamedLimits limits = {},
                                              NamedFeatures features = {});
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  EventLoops& threads() { return threads_; }
  PluginLoader& loader() { return loader_; }
  VersionLoader& upstream_loader() { return upstreams_; }
  PublishedCatalog& catalog() { return catalog_; }
  // Another one of the same components, for a server that serves some of them, with the operator's instructions for it.
  // Before any are loaded. Lives as long as the host.
  PublishedCatalog& add_catalog(std::string instructions);
  FolderSource& folder() { return folder_; }
  Drainer& drainer() { return drainer_; }

  // Returns once all of them serve or are refused; what hangs for a second comes later.
  void load_components();

  // Stops reloading, and waits until no call is in flight and `quiet` says that nothing else is; whoever makes it so
  // tells the drainer. After `grace` calls are cancelled; what does not heed that is answered in its plugin's stead.
  void end_calls(std::chrono::milliseconds grace, const std::function<bool()>& quiet);

  // Stops reloading, serving and every plugin, and returns the status; must be called before the destructor if plugins
  // have been loaded. Where code of a plugin does not come to rest, leaves the process with the status, because then
  // nothing can be unwound. Calls `last` when the plugins have stopped, or have had their time for it.
  int finish(int status, const std::function<void()>& last = {});

 private:
  Host(const HostOptions& options, PrivateFolder copies, NamedLimits limits, NamedFeatures features, Log& log);

  // False: something does not come to rest.
  bool end();

  Log& log_;
  const std::filesystem::path root_;  // of the components, absolute
  EventLoops threads_;
  Workers workers_;
  Reaper reaper_;
  PublishedCatalog catalog_;
  std::vector<std::unique_ptr<PublishedCatalog>> more_catalogs_;
  SubscriptionRoutes routes_{catalog_};
  UpdateThread updates_{catalog_.resource_updates(), [this] { routes_.attend(); }};
  Publisher publisher_;
  Drainer drainer_;
  FileStores stores_;
  PluginLoader loader_;
  HttpUpstreams http_upstreams_;
  const ConfiguredUpstreams configured_upstreams_;
  UpstreamLoader upstreams_;
  FileLoaders loaders_{loader_, upstreams_};
  DiskFolder plugin_files_;
  FolderWithUpstreams components_{plugin_files_, configured_upstreams_};
  const std::unique_ptr<FolderWatch> watch_;
  LoadThreads load_threads_;
  FolderSource folder_;
  bool threads_are_stuck_ = false;  // in calls that were cut off
};

}  // namespace mcph
