#include "sources/folder/plugin_loader.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/absolute_path.hpp"
#include "base/regular_file.hpp"
#include "plugin/in_process/in_process_plugin.hpp"
#include "plugin/isolated/worker_plugin.hpp"
#include "plugin/library/bundle.hpp"
#include "plugin/library/crash_report.hpp"
#include "plugin/library/elf_library.hpp"
#include "plugin/library/own_names.hpp"
#include "plugin/library/plugin_code.hpp"

namespace mcph {
namespace {

// Why the library cannot be unloaded; `who` is the plugin, or a library that it brings. With thread-exit destructors it
// stays until the threads that ran it end, and those that serve clients do not.
std::vector<std::string> why_it_stays(const LibraryFacts& facts, std::uint32_t flags, const std::string& who = "it") {
  std::vector<std::string> reasons;
  if (facts.unique_symbol_count > 0) {
    reasons.push_back(who + " defines " + std::to_string(facts.unique_symbol_count) + " GNU-unique symbols (such as " +
                      facts.unique_symbol_examples.front() +
                      "), so it is never unloaded and a new version may share state with it; compile it with "
                      "-fno-gnu-unique, -fvisibility=hidden and a version script, as add_mcp_plugin() does");
  }
  if (facts.never_unloads) reasons.push_back(who + " was linked with -z nodelete, so it is never unloaded");
  if (facts.has_thread_exit_destructors) {
    reasons.push_back(
        who + " has thread_local objects with destructors, so it stays mapped until every thread that ran it ends");
  }
  if ((flags & MCP_PLUGIN_NEVER_UNLOAD) != 0)
    reasons.push_back(who + " says MCP_PLUGIN_NEVER_UNLOAD, so it is never unloaded");
  return reasons;
}

// The same of what a bundle brings besides its library.
std::vector<std::string> why_its_libraries_stay(const PrivateCopy& bundle) {
  std::vector<std::string> reasons;
  for (const auto& [name, facts] : libraries_in(bundle))
    std::ranges::move(why_it_stays(facts, 0, "its library " + name.string()), std::back_inserter(reasons));
  return reasons;
}

// Each version of it would take memory for good, and run what it has left running beside the next ones.
Result<> require_unloadable(Isolation isolation, const std::vector<std::string>& why_not) {
  if (isolation != Isolation::in_process || why_not.empty()) return {};
  return fail(
      "it is to run in the host's own process, and " + why_not.front() +
      ": set \"isolation\" to \"worker\" in its configuration, or to \"in-process-resident\" if each version of "
      "it may stay in memory until the host ends");
}

// With what separates names written as in a URI, and what introduces that.
std::string as_one_name(const std::filesystem::path& path) {
  std::string name;
  for (const char c : path.native()) {
    if (c == '/') {
      name += "%2F";
    } else if (c == '%') {
      name += "%25";
    } else {
      name += c;
    }
  }
  return name;
}

// Into this process. What the plugin is called only its table says, which comes later.
Result<PluginLibrary> load_library(std::shared_ptr<const PrivateCopy> copy, const PluginSetup& setup) {
  const PluginIdentity identity{
      .file = setup.file, .name = setup.file.stem().string(), .version = {}, .digest = setup.digest};
  report_crashes_of_this_thread();
  const PluginCode code(identity, "load");
  return PluginLibrary::load(std::move(copy));
}

// Whether it is a library that plugins link, and was never meant as one: it exports no entry, and is called as
// libraries are.
bool is_library_of_others(const std::filesystem::path& file, const PrivateCopy& copy) {
  if (is_bundle_name(file) || !file.filename().native().starts_with("lib")) return false;
  std::ifstream stream(copy.path(), std::ios::binary | std::ios::ate);
  const auto size = stream.tellg();
  if (size < 0) return false;
  const auto facts = read_elf_library(stream, static_cast<std::uint64_t>(size), default_entry_symbol_prefix);
  return facts.has_value() && facts->entry_symbols.empty();
}

// Who has subscribed to a resource by another name hears of it, too.
PluginEvents with_aliases(PluginEvents events, const std::shared_ptr<const ComponentSettings>& settings) {
  if (!events.resource_updated) return events;
  events.resource_updated = [told = std::move(events.resource_updated), settings](const std::string& uri) {
    told(uri);
    for (const auto& other : settings->other_uris(uri))
      told(other);
  };
  return events;
}

Result<> apply_settings(LoadedPlugin& loaded, const std::shared_ptr<const ComponentSettings>& settings) {
  if (settings == nullptr) return {};
  auto remarks = check_settings(*settings, *loaded.served.components);
  if (remarks.has_error()) return remarks.error();
  std::ranges::move(*remarks, std::back_inserter(loaded.remarks));
  loaded.served.components = std::make_shared<const Components>(with_settings(*loaded.served.components, settings));
  return {};
}

Error maybe_incomplete(Error error) {
  if (!error.may_pass()) error.code = ErrorCode::incomplete;
  return error;
}

}  // namespace

DataDirectory data_directory(const std::filesystem::path& plugin_file, const std::filesystem::path& components,
                             const std::filesystem::path& data_root) {
  const auto place = absolute_path(plugin_file)
                         .lexically_normal()
                         .lexically_relative(absolute_path(components).lexically_normal())
                         .replace_extension();
  const bool lies_elsewhere = !place.has_parent_path() || *place.begin() == "..";
  const std::filesystem::path kind = lies_elsewhere ? "elsewhere" : *place.begin();
  const auto name = lies_elsewhere ? plugin_file.stem() : place.lexically_relative(kind);
  return {.root = absolute_path(data_root).lexically_normal(), .place = kind / as_one_name(name)};
}

PluginLoader::PluginLoader(PrivateFolder copies, Options options, Executor& executor, Workers& workers, Reaper& reaper,
                           Log& log)
    : copies_(std::move(copies)),
      options_(std::move(options)),
      trust_(options_.components, options_.trust),
      required_sandboxes_(options_.required_sandboxes),
      executor_(executor),
      workers_(workers),
      reaper_(reaper),
      log_(log) {}

Result<LoadedPlugin> PluginLoader::load_version(const PluginFile& file, PluginEvents events) {
  auto configuration = configuration_of(file);
  if (configuration.has_error()) return configuration.error();
  auto loaded = load(file, *std::move(configuration), std::move(events));
  if (loaded.has_error()) return loaded;
  if (const auto started = loaded->served.plugin->start(); started.has_error()) {
    auto error = started.error();
    if (loaded->stays_mapped) error.code = ErrorCode::invalid;
    return error;
  }
  return loaded;
}

Result<PluginConfiguration> PluginLoader::configuration_of(const PluginFile& file) {
  auto configuration = read_configuration(file, trust_,
                                          {.isolation = options_.isolation,
                                           .limits = options_.limits,
                                           .sandbox = {.profile = options_.sandbox},
                                           .errors = options_.errors});
  if (configuration.has_error()) return maybe_incomplete(configuration.error());
  const MutexLock lock(mutex_);
  if (!file.configuration.is_absent()) {
    // A later one may have been read on another thread, and what that says of the sandbox stands.
    if (!configuration->sandbox.required && plugin_file_at(file.file).configuration != file.configuration) {
      return fail_for_now("its configuration has changed since it was looked at; it will be tried again");
    }
    remember_sandbox(file.file, configuration->sandbox.required);
    return configuration;
  }
  const auto required = required_sandboxes_.contains(file.file);
  if (required.has_error()) return required.error();
  if (!*required) return configuration;
  return fail("its configuration " + configuration_file(file.file).string() +
              " is gone, which said that its sandbox is \"required\"; put it back, or write {} into it to run the "
              "plugin without that");
}

void PluginLoader::remember_sandbox(const std::filesystem::path& file, bool required) {
  const auto kept = required_sandboxes_.set(file, required);
  if (kept.has_value()) {
    sandboxes_not_kept_.erase(file);
  } else if (sandboxes_not_kept_.insert(file).second) {
    log_.warning("sandbox not remembered",
                 {{"file", file.string()},
                  {"reason", kept.error().message},
                  {"next",
                   "make --data a folder that can be written, and reload the plugin; until then it is known to this "
                   "host alone"}});
  }
}

Result<LoadedPlugin> PluginLoader::load(const PluginFile& file, PluginConfiguration configuration,
                                        PluginEvents events) {
  auto made = copy(file);
  if (made.has_error()) return made.error();
  auto copy = *std::move(made);
  const auto facts = inspect_library(copy->path());
  if (facts.has_error()) {
    if (!is_library_of_others(file.file, *copy)) return maybe_incomplete(facts.error());
    auto error = facts.error();
    error.code = ErrorCode::other_kind;
    return error;
  }
  const auto isolation = configuration.isolation;
  const auto settings = configuration.components;
  if (settings != nullptr) events = with_aliases(std::move(events), settings);
  // Before anything of it runs, where the file tells.
  if (auto unloadable = require_unloadable(isolation, why_it_stays(*facts, 0)); unloadable.has_error())
    return unloadable.error();

  PluginSetup setup{.file = file.file,
                    .digest = copy->digest(),
                    .bundle = copy->bundle(),
                    .configuration = std::move(configuration.own),
                    .data_directory = data_directory(file.file, options_.components, options_.data_root),
                    .limits = configuration.limits,
                    .restarts = configuration.restarts,
                    .sandbox = std::move(configuration.sandbox),
                    .errors = configuration.errors,
                    .events = std::move(events),
                    .server_info = options_.server_info};
  if (options_.stores != nullptr) {
    setup.store = options_.stores->open(as_one_name(setup.data_directory.place),
                                        {.keys = setup.limits.store_keys, .bytes = setup.limits.store_bytes});
  }
  const auto remarks = copy->remarks();
  auto loaded = isolation == Isolation::worker ? load_in_worker(std::move(copy), std::move(setup))
                                               : load_in_process(std::move(copy), std::move(setup), isolation, *facts);
  if (loaded.has_error()) return loaded;
  loaded->remarks.insert(loaded->remarks.begin(), remarks.begin(), remarks.end());
  if (auto set = apply_settings(*loaded, settings); set.has_error()) {
    auto error = set.error();
    error.message = "its configuration " + configuration_file(file.file).string() + " " + error.message;
    return error;
  }
  return loaded;
}

Result<> PluginLoader::require_unloading(const PluginFile& file, std::uint32_t flags) {
  const auto configuration = configuration_of(file);
  if (configuration.has_error()) return configuration.error();
  if (configuration->isolation != Isolation::in_process) return {};
  const auto copied = copy(file);
  if (copied.has_error()) return copied.error();
  const PrivateCopy& plugin = **copied;
  const auto facts = inspect_library(plugin.path());
  if (facts.has_error()) return facts.error();
  auto why_not = why_it_stays(*facts, flags);
  if (!plugin.bundle().empty()) std::ranges::move(why_its_libraries_stay(plugin), std::back_inserter(why_not));
  return require_unloadable(configuration->isolation, why_not);
}

// Not whether its digest is allowed, nor whether it is what was looked at.
Result<PrivateCopy> PluginLoader::copy_unchecked(const PluginFile& file) {
  std::error_code ignored;
  if (is_bundle_name(file.file) && std::filesystem::is_directory(file.file, ignored)) {
    auto copy = copies_.copy_bundle(
        file.file, [this](const auto& each, const auto& opened) { return trust_.check(each, opened); });
    // What is missing may be about to come.
    if (copy.has_error()) return maybe_incomplete(copy.error());
    return copy;
  }
  const auto source = open_to_read(file.file);
  if (!source) return fail_for_now("it cannot be opened: " + last_error());
  // Whose folder it lies in does not matter where it is nothing that could be loaded.
  if (const auto regular = identity_of_regular_file(source); regular.has_error()) return regular.error();
  if (const auto trusted = trust_.check(file.file, source); trusted.has_error()) return trusted.error();
  return copies_.copy(file.file, source);
}

Result<PluginLoader::Copy> PluginLoader::copy(const PluginFile& file) {
  auto copy = copy_unchecked(file);
  if (copy.has_error()) return copy.error();
  if (copy->source_identity() != file.identity) {
    return fail_for_now("it has changed since it was looked at; it will be tried again");
  }
  if (const auto allowed = trust_.check_digest(copy->digest()); allowed.has_error()) return allowed.error();
  return std::make_shared<const PrivateCopy>(*std::move(copy));
}

Result<LoadedPlugin> PluginLoader::load_in_worker(Copy copy, PluginSetup setup) {
  auto created = WorkerPlugin::create(std::move(copy), std::move(setup), workers_, log_);
  if (created.has_error()) return created.error();
  const auto lacks = (*created)->status().sandbox_lacks;
  auto loaded = describe(reaper_.lease(*std::move(created)));
  if (loaded.has_value() && !lacks.empty()) loaded->remarks.push_back(words_for_lacks(lacks));
  return loaded;
}

Result<LoadedPlugin> PluginLoader::load_in_process(Copy copy, PluginSetup setup, Isolation isolation,
                                                   const LibraryFacts& facts) {
  if (copy->bundle().empty()) return load_here(std::move(copy), std::move(setup), isolation, facts);
  const auto names = give_own_names(*copy);
  if (names.has_error()) return names.error();
  auto why_libraries_stay = why_its_libraries_stay(*copy);
  if (auto unloadable = require_unloadable(isolation, why_libraries_stay); unloadable.has_error())
    return unloadable.error();
  auto loaded = load_here(std::move(copy), std::move(setup), isolation, facts);
  if (loaded.has_error()) {
    auto error = loaded.error();
    error.message = with_names_before(std::move(error.message), *names);
    return error;
  }
  loaded->stays_mapped |= !why_libraries_stay.empty();
  std::ranges::move(why_libraries_stay, std::back_inserter(loaded->remarks));
  return loaded;
}

Result<LoadedPlugin> PluginLoader::load_here(Copy copy, PluginSetup setup, Isolation isolation,
                                             const LibraryFacts& facts) {
  if (auto tried = try_in_worker(copy, setup); tried.has_error()) return tried.error();
  auto library = load_library(std::move(copy), setup);
  if (library.has_error()) return library.error();
  auto why_not = why_it_stays(facts, library->table().flags);
  // Its code has run already: what it says counts also where it is refused for it.
  if ((library->table().flags & MCP_PLUGIN_NEVER_UNLOAD) != 0) library->never_unload();
  if (auto unloadable = require_unloadable(isolation, why_not); unloadable.has_error()) return unloadable.error();
  const bool stays = !why_not.empty();
  auto created = InProcessPlugin::create(*std::move(library), std::move(setup), executor_, log_, &workers_.timers());
  auto loaded =
      created.has_error() ? Result<LoadedPlugin>(created.error()) : describe(reaper_.lease(*std::move(created)));
  if (loaded.has_error()) {
    auto error = loaded.error();
    if (stays) error.code = ErrorCode::invalid;
    return error;
  }
  loaded->remarks = std::move(why_not);
  loaded->stays_mapped = stays;
  return loaded;
}

Result<> PluginLoader::try_in_worker(Copy copy, PluginSetup setup) {
  setup.events = {};
  auto created = WorkerPlugin::create(std::move(copy), std::move(setup), workers_, log_);
  if (created.has_error()) return created.error();
  const auto described = (*created)->describe();
  return described.has_error() ? Result<>(described.error()) : Result<>();
}

Result<LoadedPlugin> PluginLoader::describe(std::shared_ptr<Plugin> plugin) {
  const auto description = plugin->describe();
  if (description.has_error()) return description.error();
  auto components = parse_components(*description);
  if (components.has_error()) return components.error();
  return LoadedPlugin{.served = {std::move(plugin), std::make_shared<const Components>(*std::move(components))}};
}

}  // namespace mcph
