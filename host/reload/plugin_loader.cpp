#include "reload/plugin_loader.hpp"

#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "absolute_path.hpp"
#include "json_text.hpp"
#include "plugin/regular_file.hpp"

namespace mcph {
namespace {

Result<std::string> read_configuration(const std::filesystem::path& plugin_file) {
  constexpr std::size_t most = std::size_t{1} << 20;
  const auto file = configuration_file(plugin_file);
  const auto what = "its configuration " + file.string();
  const auto opened = open_to_read(file);
  if (!opened) {
    if (errno == ENOENT || errno == ENOTDIR) return std::string("{}");
    return fail_for_now(what + " cannot be opened: " + last_error());
  }
  auto text = read_regular_file(opened, most);
  if (text.has_error()) {
    auto error = text.error();
    error.message = what + " cannot be used: " + error.message;
    return error;
  }
  const auto json = parse_json(*text);
  if (json.has_error()) return fail(what + " is " + json.error().message);
  if (!json->is_object()) return fail(what + " is not a JSON object");
  return text;
}

std::vector<std::string> remarks_on(const LibraryFacts& facts) {
  std::vector<std::string> remarks;
  if (facts.unique_symbol_count > 0) {
    remarks.push_back("it defines " + std::to_string(facts.unique_symbol_count) + " GNU-unique symbols (such as " +
                      facts.unique_symbol_examples.front() +
                      "), so it is never unloaded and a new version may share state with it; compile it with "
                      "-fno-gnu-unique, -fvisibility=hidden and a version script, as add_mcp_plugin() does");
  }
  if (facts.never_unloads) remarks.emplace_back("it was linked with -z nodelete, so it is never unloaded");
  if (facts.has_thread_exit_destructors) {
    remarks.emplace_back(
        "it has thread_local objects with destructors, so it stays mapped until every thread that ran it ends");
  }
  return remarks;
}

// With thread-exit destructors it stays until the threads that ran it end, and the control thread, which creates and
// starts it, does not.
bool stays_mapped(const LibraryFacts& facts, const mcp_plugin& table) {
  return facts.never_unloads || facts.unique_symbol_count > 0 || facts.has_thread_exit_destructors ||
         (table.flags & MCP_PLUGIN_NEVER_UNLOAD) != 0;
}

Error maybe_incomplete(Error error) {
  error.may_be_incomplete = true;
  return error;
}

}  // namespace

std::filesystem::path data_directory(const std::filesystem::path& plugin_file, const std::filesystem::path& components,
                                     const std::filesystem::path& data_root) {
  const auto place =
      absolute_path(plugin_file).lexically_normal().lexically_relative(absolute_path(components).lexically_normal());
  const bool lies_elsewhere = place.empty() || *place.begin() == "..";
  return absolute_path(data_root).lexically_normal() /
         (lies_elsewhere ? plugin_file.stem() : std::filesystem::path(place).replace_extension());
}

std::filesystem::path configuration_file(const std::filesystem::path& plugin_file) {
  return std::filesystem::path(plugin_file).replace_extension(".json");
}

PluginLoader::PluginLoader(PrivateFolder copies, Options options, CallRunner& runner, Retirement& retirement, Log& log)
    : copies_(std::move(copies)), options_(std::move(options)), runner_(runner), retirement_(retirement), log_(log) {}

Result<LoadedPlugin> PluginLoader::load(const std::filesystem::path& file, PluginEvents events) {
  auto configuration = read_configuration(file);
  if (configuration.has_error()) return maybe_incomplete(configuration.error());
  auto copy = copies_.copy(file);
  if (copy.has_error()) return copy.error();
  const auto facts = inspect_library(copy->path());
  if (facts.has_error()) return maybe_incomplete(facts.error());
  auto library = PluginLibrary::load(*std::move(copy));
  if (library.has_error()) return library.error();

  PluginSetup setup{.file = file,
                    .configuration = *std::move(configuration),
                    .data_directory = data_directory(file, options_.components, options_.data_root),
                    .limits = options_.limits,
                    .events = std::move(events),
                    .server_info = options_.server_info};
  const bool stays = stays_mapped(*facts, library->table());
  auto loaded = make(*std::move(library), std::move(setup), *facts);
  if (loaded.has_error()) {
    auto error = loaded.error();
    error.may_pass = error.may_pass && !stays;
    return error;
  }
  loaded->stays_mapped = stays;
  return loaded;
}

Result<LoadedPlugin> PluginLoader::make(PluginLibrary library, PluginSetup setup, const LibraryFacts& facts) {
  const auto identity = library.copy().source_identity();
  auto created = InProcessPlugin::create(std::move(library), std::move(setup), runner_, log_);
  if (created.has_error()) return created.error();
  auto plugin = retirement_.lease(*std::move(created));

  const auto description = plugin->describe();
  if (description.has_error()) return description.error();
  auto components = parse_components(*description);
  if (components.has_error()) return components.error();
  auto remarks = remarks_on(facts);
  return LoadedPlugin{
      {std::move(plugin), std::make_shared<const Components>(*std::move(components))}, identity, std::move(remarks)};
}

}  // namespace mcph
