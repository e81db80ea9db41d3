// From a file in the components folder to a plugin version that is ready to be served: copied, checked before anything
// of it runs, mapped, described, and its description read. Each step that fails says why; nothing of a failed one is
// left. Owned by Host; any thread, and several files at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "catalog/catalog.hpp"
#include "plugin/data_directory.hpp"
#include "plugin/isolated/workers.hpp"
#include "plugin/library/library_file.hpp"
#include "plugin/library/private_folder.hpp"
#include "plugin/plugin.hpp"
#include "plugin/plugin_setup.hpp"
#include "runtime/executor.hpp"
#include "sources/folder/component_scan.hpp"
#include "sources/folder/file_trust.hpp"
#include "sources/folder/plugin_configuration.hpp"
#include "sources/folder/required_sandboxes.hpp"
#include "sources/reaper.hpp"
#include "telemetry/log.hpp"

namespace mcph {

struct LoadedPlugin {
  ServedPlugin served;
  std::vector<std::string> remarks = {};  // what a person should know and what does not keep it from being served
  bool stays_mapped = false;  // its library cannot be unloaded, so that loading it again takes memory for good
};

// Makes a version of a plugin ready to be served: loaded, described and started.
class VersionLoader {
 public:
  virtual ~VersionLoader() = default;
  // [any] `events` is for that version. An error of another kind is of a library that plugins link, and was never meant
  // as one.
  virtual Result<LoadedPlugin> load_version(const PluginFile& file, PluginEvents events) = 0;
  // [any] What is loaded is of no use any more: what can be left unfinished ends soon, and fails.
  virtual void stop() {}
};

class PluginLoader final : public VersionLoader {
 public:
  struct Options {
    std::filesystem::path data_root;                // each plugin's data directory is below it
    std::filesystem::path components;               // holds the plugins; one that lies elsewhere is only looked at
    std::filesystem::path required_sandboxes = {};  // the folder of RequiredSandboxes; empty: none
    PluginLimits limits;
    Isolation isolation = Isolation::worker;        // of a plugin whose configuration says nothing of it
    ErrorTexts errors = ErrorTexts::shown;          // likewise
    SandboxProfile sandbox = SandboxProfile::none;  // likewise
    FileTrust::Options trust = {};
    std::function<std::string()> server_info;  // JSON, for plugins that ask; may be empty
    PluginStores* stores = nullptr;            // what plugins keep; null: they cannot. Outlives the loader
  };

  // The executor, the workers, the reaper and the log outlive it.
  PluginLoader(PrivateFolder copies, Options options, Executor& executor, Workers& workers, Reaper& reaper, Log& log);

  // As its configuration says.
  Result<LoadedPlugin> load_version(const PluginFile& file, PluginEvents events) override;

  // What the file's configuration says, with this loader's defaults; see read_configuration. Where there is none, and
  // there was one that required a sandbox, an error.
  Result<PluginConfiguration> configuration_of(const PluginFile& file);

  // What plugins that ask are told of the host: JSON.
  std::string server_info() const { return options_.server_info ? options_.server_info() : "{}"; }

  // The plugin is created and described, not started. A file that has changed since it was looked at is refused before
  // anything of it runs, because the configuration may be another version's. `events` is for the instance. One for this
  // process is tried in a worker first, so that a library which cannot be loaded ends that, and one that is refused
  // leaves no mapping behind. There one that can never be unloaded is refused, unless its isolation allows it.
  Result<LoadedPlugin> load(const PluginFile& file, PluginConfiguration configuration, PluginEvents events);

  // Why it would be refused because it can never be unloaded, by its files and by the flags of its table, as far as
  // they are known: nothing of it runs.
  Result<> require_unloading(const PluginFile& file, std::uint32_t flags);

 private:
  using Copy = std::shared_ptr<const PrivateCopy>;
  void remember_sandbox(const std::filesystem::path& file, bool required) REQUIRES(mutex_);
  Result<Copy> copy(const PluginFile& file);
  Result<PrivateCopy> copy_unchecked(const PluginFile& file);
  Result<LoadedPlugin> load_in_worker(Copy copy, PluginSetup setup);
  // A bundle with its own names for its libraries.
  Result<LoadedPlugin> load_in_process(Copy copy, PluginSetup setup, Isolation isolation, const LibraryFacts& facts);
  Result<LoadedPlugin> load_here(Copy copy, PluginSetup setup, Isolation isolation, const LibraryFacts& facts);
  // Whether it can be loaded and described at all, in a process that is ended then.
  Result<> try_in_worker(Copy copy, PluginSetup setup);
  static Result<LoadedPlugin> describe(std::shared_ptr<Plugin> plugin);

  PrivateFolder copies_;
  const Options options_;
  const FileTrust trust_;
  Mutex mutex_;
  RequiredSandboxes required_sandboxes_ GUARDED_BY(mutex_);
  // Those of which that has been logged.
  std::set<std::filesystem::path> sandboxes_not_kept_ GUARDED_BY(mutex_);
  Executor& executor_;
  Workers& workers_;
  Reaper& reaper_;
  Log& log_;
};

// The data directory of a plugin, named for where it lies in `components`, without extension: KIND/NAME, for example
// tools/notes. In a plugin that lies deeper, / is %2F, and % is %25 in all of them: tools/team/notes.so has
// tools/team%2Fnotes. So no two plugins there share one, and none is within another's, where that one could replace it.
// A plugin that lies elsewhere, and so is only looked at, has elsewhere/NAME.
DataDirectory data_directory(const std::filesystem::path& plugin_file, const std::filesystem::path& components,
                             const std::filesystem::path& data_root);

}  // namespace mcph
