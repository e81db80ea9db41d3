// A plugin's shared library, mapped into this process from a private copy, and the table of functions it exports.
// Loading runs the library's constructors and its entry function, nothing else. Owned by the plugin that uses it;
// destroying it unmaps the library, unless it asked never to be unloaded, and deletes the copy if it was given that.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include <boost/dll/shared_library.hpp>
#include <mcp/plugin.h>

#include "base/result.hpp"
#include "plugin/library/private_copy.hpp"
#include "plugin/plugin_about.hpp"

namespace mcph {

// What a table that has been checked says of its plugin. A value of its own.
PluginAbout about_of(const mcp_plugin& table);

class PluginLibrary {
 public:
  // The copy has been checked before: see library_file.hpp.
  static Result<PluginLibrary> load(std::shared_ptr<const PrivateCopy> copy);
  // From a copy that somebody else keeps.
  static Result<PluginLibrary> load(const std::filesystem::path& copy);

  const mcp_plugin& table() const { return *table_; }
  // What was mapped.
  const std::filesystem::path& path() const { return path_; }

  // Runs the library's destructors. Nothing of it may be used then, the table included.
  void unload() { library_.unload(); }

  // From now on the library stays mapped for the life of the process.
  void never_unload();

 private:
  PluginLibrary(std::filesystem::path path, boost::dll::shared_library library, const mcp_plugin* table)
      : path_(std::move(path)), library_(std::move(library)), table_(table) {}

  std::shared_ptr<const PrivateCopy> copy_;  // declared first so that it is deleted last
  std::filesystem::path path_;
  boost::dll::shared_library library_;
  const mcp_plugin* table_;
};

}  // namespace mcph
