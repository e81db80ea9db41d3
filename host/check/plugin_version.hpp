// The plugin that is checked: loaded as a host loads it, each time anew, with limits of time that are the checker's
// own. Both belong to the checker; one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "check/asked_call.hpp"
#include "check/check.hpp"
#include "protocol/calls/component_calls.hpp"
#include "sources/folder/plugin_loader.hpp"

namespace mcph {

// A call that is right, and what it is made of.
struct ExampleCall {
  PluginMethod method;
  std::string component;  // the name or the URI
  std::string words;      // `tool "add"`
  Json params;
  std::optional<Schema> output_schema = {};
  bool is_of_template = false;  // with values that are only examples, of which there may be nothing
};

// How the client answers what it is asked.
enum class UserReply { accept, decline, cancel };

struct AskOptions {
  UserReply reply = UserReply::accept;
  std::chrono::milliseconds patience{0};  // before the call is cancelled; 0: the timeout
};

// What came of a call, with all that it asked.
struct Asked {
  std::string mistake;                // what is wrong with it, of the plugin; empty: nothing
  bool late = false;                  // it has ended, though only when it was cancelled, or after its own limit
  bool ended = true;                  // false: the plugin does not come back
  bool in_stead = false;              // its process has ended, say
  std::size_t questions = 0;          // that the client was asked
  std::string progress_mistake = {};  // what is wrong with its progress
  Outcome outcome = Outcome::result;  // of its end
  std::string text = {};              // likewise
};

// One version that runs. It ends with this object.
class PluginVersion {
 public:
  PluginVersion(LoadedPlugin loaded, std::chrono::milliseconds timeout);
  ~PluginVersion();
  PluginVersion(const PluginVersion&) = delete;
  PluginVersion& operator=(const PluginVersion&) = delete;

  Plugin& plugin() { return *loaded_.served.plugin; }
  const Components& components() const { return *loaded_.served.components; }
  const Catalog& catalog() const { return catalog_; }
  // Its process cannot be used any more.
  bool is_spoilt() const { return spoilt_; }
  void spoil() { spoilt_ = true; }

  // Gives it a call without any check of the params. `time_limit` is what its tool says of it; nothing where calls may
  // have to wait for each other.
  std::shared_ptr<AskedCall> begin(PluginMethod method, std::string params, std::string component,
                                   std::optional<std::chrono::milliseconds> time_limit = {});
  // Waits; a call that takes too long is cancelled. One that does not heed that, or crashes, spoils this version, which
  // is ended then: the log has all that the host says of it.
  Asked end(AskedCall& call, const std::optional<Schema>& output_schema, std::chrono::milliseconds patience = {});

  // Ends this version, of which a call does not end, and which is spoilt so: the log has where it was then.
  Asked give_up(std::string mistake);

  // The whole of it: planned as for a client, and its questions answered.
  Asked ask(const ExampleCall& call, const AskOptions& options = {});

  // Ends it; how long that took. Nothing: it had to be killed.
  std::optional<std::chrono::milliseconds> stop();

 private:
  void spoil_and_stop();
  // What the host answers where the plugin asks for a resource: of its own, there are no others here.
  Json read_resource(const OrderedJson& request, std::chrono::milliseconds patience);

  const LoadedPlugin loaded_;
  const Catalog catalog_;
  const std::chrono::milliseconds timeout_;
  bool spoilt_ = false;
  bool stopped_ = false;
};

class CheckedPlugin {
 public:
  CheckedPlugin(std::filesystem::path file, PluginLoader& loader, const CheckOptions& options)
      : file_(std::move(file)), loader_(loader), options_(options) {}

  const std::filesystem::path& file() const { return file_; }
  Result<PluginConfiguration> configuration() const;
  // See PluginLoader.
  Result<> require_unloading(std::uint32_t flags) const {
    return loader_.require_unloading(plugin_file_at(file_), flags);
  }
  // What it is told of the host, as JSON.
  std::string server_info() const { return loader_.server_info(); }
  // Of a bundle, those of the library that is loaded.
  Result<LibraryFacts> library_facts() const;

  struct Loaded {
    LoadedPlugin plugin;
    std::chrono::milliseconds time{0};
  };
  // Described, and not started.
  Result<Loaded> look() const;
  Result<std::unique_ptr<PluginVersion>> load() const;

 private:
  const std::filesystem::path file_;
  PluginLoader& loader_;
  const CheckOptions& options_;
};

}  // namespace mcph
