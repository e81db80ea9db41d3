// From NAME.mcp.json to an upstream that is ready to be served: read, trusted, connected to, and what it lists
// described. Owned by who assembles the program; any thread, and several files at once.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "base/mutex.hpp"
#include "runtime/executor.hpp"
#include "sources/folder/plugin_loader.hpp"
#include "sources/upstream/upstream_plugin.hpp"
#include "sources/upstream/upstream_settings.hpp"

namespace mcph {

class UpstreamHttp;

class UpstreamLoader final : public VersionLoader {
 public:
  // Of a server that is reached over HTTP, as HttpUpstreams::make.
  using MakeHttp = std::function<Result<std::shared_ptr<UpstreamTransport>>(const HttpUpstreamSettings& settings,
                                                                            std::shared_ptr<UpstreamHttp>& http)>;

  struct Options {
    std::filesystem::path data_root;
    std::filesystem::path components;
    PluginLimits limits = {};
    ErrorTexts errors = ErrorTexts::shown;
    SandboxProfile sandbox = SandboxProfile::none;
    FileTrust::Options trust = {};
    bool has_one_client = false;
    std::map<std::filesystem::path, std::string> configured = {};  // what is no file: texts of the configuration
    std::map<std::filesystem::path, std::string> places = {};      // and where they are in it
  };

  // The executor, the workers, the reaper and the log outlive it.
  UpstreamLoader(Options options, MakeHttp make_http, Executor& executor, Workers& workers, Reaper& reaper, Log& log);

  Result<LoadedPlugin> load_version(const PluginFile& file, PluginEvents events) override;
  void stop() override { stopping_.request_stop(); }

 private:
  Result<LoadedPlugin> load(const PluginFile& file, PluginEvents events);
  Result<std::string> read(const PluginFile& file, std::string& digest) const;
  UpstreamPlugin::Connect connector(const std::filesystem::path& file, const std::string& name,
                                    const UpstreamSettings& settings);
  Result<std::shared_ptr<UpstreamTransport>> start(const UpstreamCommand& command, const std::filesystem::path& file,
                                                   const std::string& name, const UpstreamSettings& settings,
                                                   UpstreamPlugin::ConnectionEvents events) const;

  const Options options_;
  const FileTrust trust_;
  const MakeHttp make_http_;
  Executor& executor_;
  Workers& workers_;
  Reaper& reaper_;
  Log& log_;
  std::stop_source stopping_;

  Mutex mutex_;
  // Of the last connection to each upstream over HTTP, by its file: a file that is loaded again and again, because its
  // upstream is away, goes on with the token that there is.
  std::map<std::filesystem::path, std::shared_ptr<UpstreamHttp>> last_ GUARDED_BY(mutex_);
};

}  // namespace mcph
