#include "plugin/library/plugin_library.hpp"

#include <cstddef>
#include <dlfcn.h>
#include <exception>
#include <memory>
#include <string>

#include "plugin/library/contract_text.hpp"
#include "plugin/library/linker_refusal.hpp"
#include "plugin/names.hpp"

namespace mcph {
namespace {

Result<> check_table(const mcp_plugin* table) {
  if (table == nullptr) return fail("its entry function returned no plugin");
  constexpr auto least = offsetof(mcp_plugin, stop) + sizeof(mcp_plugin::stop);
  if (table->size < least) {
    return fail("its plugin table has " + std::to_string(table->size) + " bytes, but the contract needs at least " +
                std::to_string(least) + "; set mcp_plugin.size to sizeof(mcp_plugin)");
  }
  if (!is_component_name(view(table->name))) {
    return fail("its plugin name \"" + std::string(view(table->name)) +
                "\" is not 1 to 128 characters of A-Za-z0-9_.-");
  }
  if (!is_version(view(table->version))) return fail("its plugin version is not 1 to 128 bytes of UTF-8 text");
  if (auto about = check(about_of(*table)); about.has_error()) return about;
  if (table->create == nullptr) return fail("its plugin table lacks create");
  if (table->describe == nullptr) return fail("its plugin table lacks describe");
  if (table->invoke == nullptr) return fail("its plugin table lacks invoke");
  if (table->stop == nullptr) return fail("its plugin table lacks stop");
  return {};
}

using Entry = const mcp_plugin*();

// Here and not where the library is loaded: what an entry function throws may be of a type of the library's own, so it
// is read, and destroyed, while the library is mapped.
Result<const mcp_plugin*> call_entry(Entry* entry) {
  try {
    return entry();
  } catch (const std::exception& error) {
    return fail(std::string("its entry function let an exception escape: ") + error.what());
  } catch (...) {
    return fail("its entry function let an exception escape");
  }
}

// Runs the library's constructors. What one of them throws must not come out of the dynamic linker, whose locks it
// would leave held: it ends the process where it is thrown, whose end says what it was. In a function of its own,
// because one that has anything to clean up would be left first.
[[gnu::noinline]] void* open_library(const char* path, int mode) noexcept {
  return ::dlopen(path, mode);
}

}  // namespace

PluginAbout about_of(const mcp_plugin& table) {
  return {.id = std::string(view(table.id)),
          .vendor = std::string(view(table.vendor)),
          .description = std::string(view(table.description)),
          .url = std::string(view(table.url))};
}

Result<PluginLibrary> PluginLibrary::load(std::shared_ptr<const PrivateCopy> copy) {
  auto library = load(copy->path());
  if (library.has_value()) library->copy_ = std::move(copy);
  return library;
}

Result<PluginLibrary> PluginLibrary::load(const std::filesystem::path& copy) {
  // Bound at once, so that a missing symbol is told now and not by a crash in a call; local, so that two versions of a
  // plugin never see each other's symbols.
  void* const opened = open_library(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return linker_refusal(::dlerror(), copy.string());
  boost::dll::shared_library library;
  Entry* entry = nullptr;
  try {
    const std::unique_ptr<void, int (*)(void*)> until_loaded(opened, ::dlclose);
    library.load(copy, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    entry = &library.get<Entry>(MCP_PLUGIN_ENTRY_SYMBOL);
  } catch (const std::exception& error) {
    return linker_refusal(error.what(), copy.string());
  }
  const auto table = call_entry(entry);
  if (table.has_error()) return table.error();
  if (auto checked = check_table(*table); checked.has_error()) return checked.error();
  return PluginLibrary(copy, std::move(library), *table);
}

void PluginLibrary::never_unload() {
  // What Boost.DLL has no name for. The flag stays with the mapping when this second handle on it is closed.
  if (void* const same = ::dlopen(path_.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) ::dlclose(same);
}

}  // namespace mcph
