// The commands that look at plugins without serving them: inspect and list.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "app/host.hpp"
#include "base/absolute_path.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "catalog/component_remarks.hpp"
#include "cli/command_log.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "cli/component_table.hpp"
#include "cli/own_output.hpp"
#include "cli/remote_call.hpp"
#include "cli/terminal_text.hpp"
#include "plugin/library/bundle.hpp"
#include "sources/folder/file_trust.hpp"

namespace mcph {
namespace {

// The folder is order for people; something else in it than its name says is worth a remark.
std::optional<std::string> folder_remark(const std::filesystem::path& file, const Components& components) {
  std::filesystem::path kind;  // the last part that is one; folders above may be called anything
  for (const auto& part : absolute_path(file).parent_path()) {
    if (part == "tools" || part == "prompts" || part == "resources") kind = part;
  }
  const auto remark = [](const std::string& folder, const std::string& what) {
    return "it lies in " + folder + "/ but exports no " + what + "; it is served all the same";
  };
  if (kind == "tools" && components.tools.empty()) return remark("tools", "tool");
  if (kind == "prompts" && components.prompts.empty()) return remark("prompts", "prompt");
  if (kind == "resources" && components.resources.empty() && components.resource_templates.empty()) {
    return remark("resources", "resource");
  }
  return std::nullopt;
}

// A file that a person names may lie anywhere, and so is loaded whoever can write it. A host that serves it refuses it.
std::optional<std::string> trust_remark(const std::filesystem::path& file, FileTrust::Options options) {
  const auto path = absolute_path(file).lexically_normal();
  options.outside_links = true;  // which components folder it belongs to is not known
  const FileTrust trust(path.parent_path(), std::move(options));
  std::vector<std::filesystem::path> files{path, configuration_file(path)};
  if (is_bundle_name(path)) {
    for (const auto& each : list_bundle(path).files)
      files.push_back(path / each.name);
  }
  for (const auto& each : files) {
    const auto opened = open_to_read(each);
    if (!opened) continue;
    const auto trusted = trust.check(each, opened);
    if (trusted.has_error()) {
      const auto whose = each == path ? std::string() : ", of " + each.lexically_relative(path.parent_path()).string();
      return "a host that serves it refuses it" + whose + ": " + trusted.error().message;
    }
  }
  return std::nullopt;
}

void print_refusal(const std::filesystem::path& file, const std::string& reason, bool json) {
  if (json) {
    own_output() << dump(OrderedJson{{"file", file.string()}, {"refused", reason}}) << "\n";
  } else {
    own_output() << printable(file.string() + ": refused: " + reason) << "\n";
  }
}

void print_loaded(const LoadedPlugin& loaded, const FileTrust::Options& trust, bool json) {
  const auto& identity = loaded.served.plugin->identity();
  const auto& components = *loaded.served.components;
  auto remarks = loaded.remarks;
  if (auto remark = folder_remark(identity.file, components); remark && !identity.is_upstream)
    remarks.push_back(*std::move(remark));
  std::ranges::move(component_remarks(components), std::back_inserter(remarks));
  if (auto remark = trust_remark(identity.file, trust)) remarks.push_back(*std::move(remark));
  if (json) {
    auto object = components_json(identity, components);
    if (identity.is_upstream) object["upstream"] = true;
    object["remarks"] = remarks;
    own_output() << dump(object) << "\n";
    return;
  }
  own_output() << printable(identity.file.string() + ": " + identity.name + " " + identity.version) << " ("
               << (identity.is_upstream ? "upstream, " : "") << identity.digest << ")\n";
  print_about(own_output(), identity.about);
  print_components(own_output(), components);
  for (const auto& remark : remarks)
    own_output() << "  remark: " << printable(remark) << "\n";
}

// A plugin is not started. Of another server only a connection to it tells what it has.
Result<LoadedPlugin> load(Host& host, const std::filesystem::path& path) {
  const auto file = plugin_file_at(path);
  std::error_code ignored;
  if (!is_bundle_name(file.file) && std::filesystem::is_directory(file.file, ignored)) {
    return fail("it is a folder; mcp-plugin-host list --components " + file.file.string() +
                " says what would be served of it");
  }
  if (is_upstream_name(file.file)) return host.upstream_loader().load_version(file, {});
  auto configuration = host.loader().configuration_of(file);
  if (configuration.has_error()) return configuration.error();
  return host.loader().load(file, *std::move(configuration), {});
}

void print_catalog_json(const Catalog& catalog, const FolderSource& source) {
  OrderedJson object{{"plugins", OrderedJson::array()},
                     {"refused", OrderedJson::array()},
                     {"hidden", OrderedJson::array()},
                     {"problems", OrderedJson::array()}};
  for (const auto& [plugin, components] : catalog.plugins())
    object["plugins"].push_back(components_json(plugin->identity(), *components));
  for (const auto& [file, reason] : source.refused())
    object["refused"].push_back({{"file", file.string()}, {"reason", reason}});
  for (const auto& problem : source.problems())
    object["problems"].push_back({{"path", problem.path.string()}, {"reason", problem.reason}});
  for (const auto& conflict : catalog.conflicts()) {
    object["hidden"].push_back(
        {{conflict.kind, conflict.key}, {"file", conflict.hidden.string()}, {"served", conflict.served.string()}});
  }
  own_output() << dump(object) << "\n";
}

void print_catalog(const Catalog& catalog, const FolderSource& source, const std::filesystem::path& folder) {
  for (const auto& [plugin, components] : catalog.plugins()) {
    const auto& identity = plugin->identity();
    own_output() << printable(identity.file.string() + ": " + identity.name + " " + identity.version) << "\n";
    print_components(own_output(), *components);
  }
  for (const auto& conflict : catalog.conflicts()) {
    own_output() << printable(conflict.hidden.string() + ": " + conflict.kind + " " + conflict.key + " is hidden by " +
                              conflict.served.string())
                 << "; to have both, rename it in one of the two\n";
  }
  for (const auto& [file, reason] : source.refused())
    print_refusal(file, reason, false);
  for (const auto& problem : source.problems())
    own_output() << printable(problem.path.string() + ": " + problem.reason) << "\n";
  if (catalog.plugins().empty() && source.refused().empty()) {
    own_output() << "No plugins below " << absolute_path(folder).string()
                 << "; put one into its folder tools, resources or prompts\n";
  }
}

}  // namespace

int run(const InspectCommand& command) {
  CommandLog log(command.config.host);
  keep_output_from_plugins();
  auto host = Host::create(command.config.host, log);
  if (host.has_error()) return complain(host.error().message);
  bool all_good = true;
  for (const auto& file : command.files) {
    const auto loaded = load(**host, file);
    if (loaded.has_error()) {
      all_good = false;
      print_refusal(file, loaded.error().message, command.json);
    } else {
      print_loaded(*loaded, command.config.host.trust, command.json);
    }
  }
  return (*host)->finish(all_good ? 0 : 1);
}

int run(const ListCommand& command) {
  if (!command.server.url.empty()) return list_server(command);
  CommandLog log(command.config.host, {.refusals = true, .conflicts = !command.json});
  if (const auto found = find_components(command.config.host); found.has_error())
    return complain(found.error().message);
  keep_output_from_plugins();
  auto host = Host::create(command.config.host, log);
  if (host.has_error()) return complain(host.error().message);
  auto& source = (*host)->folder();
  source.load_all(std::chrono::hours(24));
  if (command.json) {
    print_catalog_json(*(*host)->catalog().current(), source);
  } else {
    print_catalog(*(*host)->catalog().current(), source, command.config.host.components);
  }
  return (*host)->finish(source.refused().empty() && source.problems().empty() ? 0 : 1);
}

}  // namespace mcph
