// A plugin's shared library, mapped into this process from a private copy, and the table of functions it exports.
// Loading runs the library's constructors and its entry function, nothing else. Owned by the plugin that uses it;
// destroying it unmaps the library, and deletes the copy, unless it asked never to be unloaded.
#pragma once

#include <boost/dll/shared_library.hpp>
#include <mcp/plugin.h>

#include "plugin/private_copy.hpp"
#include "result.hpp"

namespace mcph {

class PluginLibrary {
 public:
  // The copy has been checked before: see library_file.hpp.
  static Result<PluginLibrary> load(PrivateCopy copy);

  const mcp_plugin& table() const { return *table_; }
  const PrivateCopy& copy() const { return copy_; }

  // From now on the library stays mapped for the life of the process.
  void never_unload();

 private:
  PluginLibrary(PrivateCopy copy, boost::dll::shared_library library, const mcp_plugin* table)
      : copy_(std::move(copy)), library_(std::move(library)), table_(table) {}

  // The copy is declared first so that it is deleted last.
  PrivateCopy copy_;
  boost::dll::shared_library library_;
  const mcp_plugin* table_;
};

}  // namespace mcph
