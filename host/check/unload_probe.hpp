// A child of the checker that loads the plugin into its own process, uses it, stops it and unloads it, which a worker
// never does: what still runs then shows there, and if that ends the child, that is a finding. It is forked before this
// process has threads, and waits for its task. Owned by the command; one thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/result.hpp"
#include "plugin/library/private_folder.hpp"
#include "plugin/plugin_method.hpp"
#include "plugin/plugin_store.hpp"

namespace mcph {

// Of a plugin that the loader has taken: its library, or all of its bundle.
Result<PrivateCopy> private_copy(PrivateFolder& copies, const std::filesystem::path& file);

struct ProbeTask {
  struct Call {
    PluginMethod method;
    std::string params;
  };
  std::filesystem::path file;
  std::string configuration = "{}";
  std::filesystem::path data;  // the root of data directories
  StoreLimits store_limits = {};
  std::string server_info = {};  // what the plugin is told of the host, as JSON
  std::vector<Call> calls = {};  // that have been found to end
  std::chrono::milliseconds timeout{5000};
};

struct ProbeReport {
  std::string step;                    // that it came to: "load", "start", "call", "stop", "unload", "done"
  std::string refused = {};            // why it could not be loaded, set up or started there; empty: it was
  std::string end;                     // how its process ended, continues "its process "; empty: well
  std::size_t threads_left = 0;        // after stop
  std::size_t descriptors_left = 0;    // likewise
  std::vector<std::string> said = {};  // to the host, after stop
  bool stays_mapped = false;           // after dlclose
  bool never_unloads = false;          // as it asks for
};

class UnloadProbe {
 public:
  // While this process has one thread. In the stores the child keeps what the plugin does.
  static Result<UnloadProbe> fork(PluginStores& stores);
  UnloadProbe(UnloadProbe&& other) noexcept;
  UnloadProbe& operator=(UnloadProbe&&) = delete;
  // Ends it.
  ~UnloadProbe();

  // Once.
  ProbeReport run(const ProbeTask& task);

 private:
  UnloadProbe(int process, FileDescriptor socket) : process_(process), socket_(std::move(socket)) {}

  std::string wait_for_end();

  int process_;
  FileDescriptor socket_;
};

}  // namespace mcph
