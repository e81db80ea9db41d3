// The two commands that shells need: one says how they are to ask, the other is asked.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "admin/control_sockets.hpp"
#include "base/absolute_path.hpp"
#include "base/own_prefix.hpp"
#include "base/regular_file.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "cli/running_host.hpp"
#include "cli/terminal_text.hpp"
#include "sources/upstream/upstream_settings.hpp"

namespace mcph {
namespace {

// By which an adaptor has its shell complete the names of files.
constexpr auto files_line = ":files\n";

std::string value_or(const Completion& completion, const std::string& option, const char* variable) {
  if (const auto found = completion.options.find(option); found != completion.options.end()) return found->second;
  const auto* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

Result<Config> configuration_of(const Completion& completion) {
  std::vector<Override> overrides;
  if (auto folder = value_or(completion, "--components", "MCP_COMPONENTS"); !folder.empty())
    overrides.push_back({"plugins.components", std::move(folder), "--components"});
  return ConfigSource({}, value_or(completion, "--config", "MCP_CONFIG"), std::move(overrides)).load();
}

// The folder of the running host, and its plugins with the names of their components. Without any: no host answers.
struct HostComponents {
  std::string folder = {};
  OrderedJson plugins = OrderedJson::array();
};

HostComponents ask_for_components(const Completion& completion) {
  constexpr std::chrono::seconds patience{2};
  const auto control = completion.options.find("--control");
  // Of several it would have to be said which one.
  const auto sockets =
      control == completion.options.end() ? control_sockets() : std::vector<std::filesystem::path>{control->second};
  if (sockets.size() != 1) return {};
  auto answer = ask_host(sockets.front(), {{"command", "components"}}, patience);
  if (answer.has_error()) return {};
  return {.folder = answer->json.value("folder", ""), .plugins = answer->json.value("plugins", OrderedJson::array())};
}

std::string name_of_plugin(const OrderedJson& plugin) {
  const auto name = plugin.value("plugin", "");
  return name.empty() ? std::filesystem::path(plugin.value("file", "")).filename().string() : name;
}

std::vector<Candidate> running_plugins(const Completion& completion) {
  std::vector<Candidate> candidates;
  for (const auto& plugin : ask_for_components(completion).plugins)
    candidates.push_back({name_of_plugin(plugin), plugin.value("file", "")});
  return candidates;
}

void add_names_of(const OrderedJson& plugin, const char* kind, std::vector<Candidate>& candidates) {
  for (const auto& name : plugin.value(kind, OrderedJson::array()))
    candidates.push_back({name.get<std::string>(), name_of_plugin(plugin)});
}

std::vector<Candidate> running_components(const Completion& completion) {
  std::vector<Candidate> candidates;
  const auto& arguments = completion.arguments;
  for (const auto& plugin : ask_for_components(completion).plugins) {
    if (!arguments.empty() && name_of_plugin(plugin) != arguments.front()) continue;
    for (const auto* const kind : {"tools", "resources", "resourceTemplates", "prompts", "disabled"})
      add_names_of(plugin, kind, candidates);
  }
  return candidates;
}

// Which of the lists in a host's answer have names that fit.
std::vector<const char*> kinds_of(Names names) {
  if (names == Names::tools) return {"tools"};
  if (names == Names::resources) return {"resources"};
  if (names == Names::prompts) return {"prompts"};
  return {"prompts", "resourceTemplates"};
}

// What the components folder serves, as its host says. Without one there is nothing: to find out would start plugins,
// which nobody expects of a key.
std::vector<Candidate> components_in_folder(const Completion& completion) {
  // Of another server its folder says nothing.
  if (completion.options.contains("--url")) return {};
  const auto config = configuration_of(completion);
  const auto running = ask_for_components(completion);
  if (config.has_error() || running.folder != absolute_path(config->host.components).string()) return {};
  std::vector<Candidate> candidates;
  for (const auto& plugin : running.plugins) {
    for (const auto* const kind : kinds_of(completion.names))
      add_names_of(plugin, kind, candidates);
  }
  return candidates;
}

std::vector<Candidate> upstreams_in_folder(const Completion& completion) {
  const auto config = configuration_of(completion);
  if (config.has_error()) return {};
  std::vector<Candidate> candidates;
  for (const auto* const kind : {"tools", "resources", "prompts"}) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(config->host.components / kind, error), end; !error && entry != end;
         entry.increment(error)) {
      const auto name = entry->path().filename().string();
      if (name.ends_with(upstream_ending) && !name.starts_with('.'))
        candidates.push_back({name.substr(0, name.size() - upstream_ending.size())});
    }
  }
  return candidates;
}

std::vector<Candidate> named_candidates(const Completion& completion) {
  switch (completion.names) {
    case Names::none:
    case Names::files:
      return {};
    case Names::plugins:
      return running_plugins(completion);
    case Names::components:
      return running_components(completion);
    case Names::upstreams:
      return upstreams_in_folder(completion);
    case Names::tools:
    case Names::resources:
    case Names::prompts:
    case Names::completed:
      return components_in_folder(completion);
  }
  return {};
}

}  // namespace

int run(const CompleteWordsCommand& command) {
  const auto& completion = command.completion;
  auto candidates = completion.candidates;
  std::ranges::move(named_candidates(completion), std::back_inserter(candidates));
  for (const auto& [text, description] : candidates) {
    if (!text.starts_with(completion.typed)) continue;
    const auto first_line = description.substr(0, description.find('\n'));
    std::cout << completion.begin << printable(text);
    if (!first_line.empty()) std::cout << "\t" << printable(first_line);
    std::cout << "\n";
  }
  if (completion.names == Names::files) std::cout << files_line;
  return 0;
}

int run(const CompletionCommand& command) {
  constexpr std::size_t max_bytes = std::size_t{64} << 10;
  const auto file = own_prefix() / "share/mcp-plugin-host/completions" / ("mcp-plugin-host." + command.shell);
  const auto opened = open_to_read(file);
  if (!opened) return complain(file.string() + " is missing; install this program anew");
  const auto text = read_regular_file(opened, max_bytes);
  if (text.has_error()) return complain(file.string() + ": " + text.error().message);
  std::cout << *text;
  return 0;
}

}  // namespace mcph
