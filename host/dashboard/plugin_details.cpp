#include "dashboard/plugin_details.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/ascii.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "catalog/component_remarks.hpp"
#include "sources/folder/component_scan.hpp"
#include "sources/folder/plugin_configuration.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_configuration_bytes = std::size_t{1} << 20;
constexpr auto hidden_value = "•••";

// Parts of the names of members that hold secrets, in small letters.
constexpr std::array<std::string_view, 13> secret_names{
    "secret", "token",         "password", "passwd", "pwd",       "passphrase", "credential",
    "apikey", "authorization", "private",  "cookie", "accesskey", "signature"};
// Members all of whose values may be some.
constexpr std::array<std::string_view, 3> secret_holders{"env", "environment", "headers"};

bool is_secret(std::string_view name) {
  auto plain = lower_case(std::string(name));
  std::erase_if(plain, [](char c) { return c == '_' || c == '-'; });
  return std::ranges::any_of(secret_names,
                             [&](std::string_view part) { return plain.find(part) != std::string::npos; });
}

// Of each URL with a user and a password.
std::string without_passwords(std::string text) {
  for (auto scheme = text.find("://"); scheme != std::string::npos; scheme = text.find("://", scheme + 3)) {
    const auto user = scheme + 3;
    const auto end = std::min(text.find_first_of("/?#", user), text.size());
    const auto at = text.rfind('@', end);
    if (at != std::string::npos && at >= user) text.replace(user, at - user, hidden_value);
  }
  return text;
}

// Behind a secret's name nothing is shown: "--token=abc", "?api_key=abc", "Authorization: Bearer abc".
std::string without_assigned_secret(const std::string& text) {
  constexpr auto of_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  for (auto at = text.find_first_of("=:"); at != std::string::npos; at = text.find_first_of("=:", at + 1)) {
    const auto before = std::string_view(text).substr(0, at);
    const auto name = before.substr(before.find_last_not_of(of_names) + 1);  // npos + 1 is 0
    if (is_secret(name)) return text.substr(0, at + 1) + hidden_value;
  }
  return text;
}

// "--token": the secret is the next argument.
bool is_secret_option(const OrderedJson& argument) {
  if (!argument.is_string()) return false;
  const auto& text = argument.get_ref<const std::string&>();
  return text.starts_with('-') && text.find_first_of("=:") == std::string::npos && is_secret(text);
}

OrderedJson hidden(const OrderedJson& value) {
  if (!value.is_object()) return hidden_value;
  auto object = OrderedJson::object();
  for (const auto& [name, member] : value.items())
    object[name] = hidden_value;
  return object;
}

// 0: there is none.
OrderedJson limits_json(const PluginLimits& limits) {
  return {{"concurrentCalls", limits.concurrent_calls},
          {"callsInFlight", limits.calls_in_flight},
          {"callMs", limits.call_time.count()},
          {"resultBytes", limits.result_bytes},
          {"memoryBytes", limits.memory_bytes},
          {"openFiles", limits.open_files},
          {"cpuPercent", limits.cpu_percent}};
}

// What lies there now, which is what counts unless it has just been changed.
void add_configuration(const fs::path& plugin, bool is_shown, OrderedJson& details) {
  const bool is_upstream = is_upstream_name(plugin);
  const auto file = is_upstream ? plugin : configuration_file(plugin);
  std::string text = "{}";
  if (auto read = read_regular_file(open_to_read(file), max_configuration_bytes); read.has_value()) {
    text = *std::move(read);
    const auto json = parse_ordered_json(text);
    if (is_shown && json.has_value()) details["configuration"] = without_secrets(*json);
  }
  if (is_upstream) return;
  if (const auto read = parse_configuration(text, {}); read.has_value()) details["limits"] = limits_json(read->limits);
}

// Up to the longest.
OrderedJson times_json(const RecentCalls::Histogram& times) {
  auto counts = OrderedJson::array();
  const auto last = std::find_if(times.rbegin(), times.rend(), [](std::uint64_t count) { return count > 0; });
  for (auto each = times.begin(); each != last.base(); ++each)
    counts.push_back(*each);
  return counts;
}

// The number after a name in /proc/PID/status, in KiB.
std::uint64_t kibibytes(const std::string& line) {
  const auto digit = line.find_first_of("0123456789");
  return digit == std::string::npos ? 0 : std::stoull(line.substr(digit, 18));
}

// Of a process of its own; what cannot be found out is left out.
OrderedJson usage_of(int pid) {
  auto usage = OrderedJson::object();
  const auto process = fs::path("/proc") / std::to_string(pid);
  std::ifstream status(process / "status");
  std::uint64_t written = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmData:") || line.starts_with("VmStk:")) written += kibibytes(line);
  }
  if (written > 0) usage["memoryBytes"] = written << 10;
  std::error_code error;
  const auto files = std::distance(fs::directory_iterator(process / "fd", error), fs::directory_iterator());
  if (!error) usage["openFiles"] = files;
  std::string stat;
  std::getline(std::ifstream(process / "stat"), stat);
  // proc_pid_stat(5): the name ends with the last ")", utime is the twelfth field after it.
  auto rest = stat.substr(std::min(stat.rfind(')') + 1, stat.size()));
  std::uint64_t ticks = 0;
  for (int field = 1; field <= 13 && !rest.empty(); ++field) {
    rest.erase(0, rest.find_first_not_of(' '));
    const auto end = std::min(rest.find(' '), rest.size());
    if (field >= 12) ticks += kibibytes(rest.substr(0, end));
    rest.erase(0, end);
  }
  usage["cpuSeconds"] = static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return usage;
}

template <class All>
OrderedJson components_json(const All& all) {
  auto list = OrderedJson::array();
  for (const auto& each : all) {
    const auto described = parse_ordered_json(each.json);
    OrderedJson row{{"key", component_name(each)}};
    if (described.has_value() && described->is_object()) {
      if (const auto found = described->find("description"); found != described->end()) row["description"] = *found;
    }
    list.push_back(std::move(row));
  }
  return list;
}

// Texts that are JSON objects, as they are.
OrderedJson parsed(const std::vector<std::string>& texts) {
  auto list = OrderedJson::array();
  for (const auto& text : texts)
    list.push_back(read_ordered_json(text));
  return list;
}

}  // namespace

OrderedJson without_secrets(const OrderedJson& configuration) {
  if (configuration.is_string()) return without_assigned_secret(without_passwords(configuration.get<std::string>()));
  if (configuration.is_array()) {
    auto list = OrderedJson::array();
    bool is_next = false;
    for (const auto& each : configuration) {
      list.push_back(is_next ? hidden(each) : without_secrets(each));
      is_next = is_secret_option(each);
    }
    return list;
  }
  if (!configuration.is_object()) return configuration;
  auto object = OrderedJson::object();
  for (const auto& [name, value] : configuration.items()) {
    const bool holds = std::ranges::find(secret_holders, lower_case(name)) != secret_holders.end();
    object[name] = holds || is_secret(name) ? hidden(value) : without_secrets(value);
  }
  return object;
}

std::optional<std::string> plugin_details(const FolderReport& report, const std::string& file,
                                          const PluginHistory& past, const RecentCalls& calls,
                                          bool with_configuration) {
  const auto is_it = [&](const PluginReport& each) { return each.file.string() == file; };
  auto found = std::ranges::find_if(
      report.plugins, [&](const PluginReport& each) { return is_it(each) && each.state != ReportedState::draining; });
  if (found == report.plugins.end()) found = std::ranges::find_if(report.plugins, is_it);
  if (found == report.plugins.end()) return std::nullopt;
  auto details = OrderedJson::object();
  if (const auto& components = found->components; components != nullptr) {
    details["components"] = {{"tools", components_json(components->tools)},
                             {"resources", components_json(components->resources)},
                             {"templates", components_json(components->resource_templates)},
                             {"prompts", components_json(components->prompts)}};
    details["remarks"] = component_remarks(*components);
  }
  if (found->status.pid != 0 && !found->status.in_process) details["usage"] = usage_of(found->status.pid);
  add_configuration(found->file, with_configuration, details);
  if (found->identity) {
    details["times"] = times_json(calls.times_of(found->identity->name));
    details["backtrace"] = past.backtrace_of(found->identity->name);
  }
  details["history"] = parsed(past.events_of(file));
  return dump(details);
}

}  // namespace mcph
