// LoadedPlugin: a plugin's library, loaded the way a host does it. Owned by a test; unloads at its end.
#pragma once

#include <dlfcn.h>
#include <string>

#include <gtest/gtest.h>
#include <mcp/plugin.h>

class LoadedPlugin {
 public:
  explicit LoadedPlugin(const std::string& path) : path_(path), library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!library_) {
      ADD_FAILURE() << dlerror();
      return;
    }
    const auto entry = reinterpret_cast<mcp_plugin_entry_v1_fn>(dlsym(library_, MCP_PLUGIN_ENTRY_SYMBOL));
    if (entry) plugin_ = entry();
  }
  ~LoadedPlugin() { unload(); }
  LoadedPlugin(const LoadedPlugin&) = delete;
  LoadedPlugin& operator=(const LoadedPlugin&) = delete;

  /// Null if the library could not be loaded or is no plugin.
  const mcp_plugin* plugin() const { return plugin_; }

  void unload() {
    if (library_) dlclose(library_);
    library_ = nullptr;
    plugin_ = nullptr;
  }

  /// Whether any of it is still in memory after unload.
  bool is_mapped() const {
    void* library = dlopen(path_.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (library) dlclose(library);
    return library != nullptr;
  }

 private:
  std::string path_;
  void* library_;
  const mcp_plugin* plugin_ = nullptr;
};
