#include "cli/operator_text.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "cli/terminal_text.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_error_bytes = 200;   // of one line of the table
constexpr std::size_t max_digest_digits = 12;  // enough to tell builds apart by eye
constexpr std::array titles{"PLUGIN",   "FILE",  "VERSION", "DIGEST",    "ISOLATION", "PID", "STATE",
                            "RESTARTS", "CALLS", "ERRORS",  "IN FLIGHT", "P50",       "P99", "LAST ERROR"};
using Row = std::vector<std::string>;

std::string text_of(const OrderedJson& object, const char* key) {
  return printable(object.value(key, ""));
}

std::string count_of(const OrderedJson& object, const char* key) {
  return std::to_string(object.value(key, std::uint64_t{0}));
}

std::string time_of(const OrderedJson& plugin, const char* quantile) {
  const auto us = plugin.value("latencyUs", OrderedJson::object()).value(quantile, std::uint64_t{0});
  constexpr std::uint64_t ms = 1000;
  constexpr std::uint64_t s = 1'000'000;
  if (us == 0) return "-";
  if (us < ms) return std::to_string(us) + " us";
  std::ostringstream text;
  text << std::fixed << std::setprecision(1);
  if (us < s) {
    text << static_cast<double>(us) / static_cast<double>(ms) << " ms";
  } else {
    text << static_cast<double>(us) / static_cast<double>(s) << " s";
  }
  return text.str();
}

OrderedJson sandbox_of(const OrderedJson& plugin) {
  return plugin.value("sandbox", OrderedJson::object());
}

// "worker", or with its sandbox "worker, strict", to which "*" is added where the system lacks some of it.
std::string isolation_of(const OrderedJson& plugin) {
  const auto sandbox = sandbox_of(plugin);
  const auto profile = text_of(sandbox, "profile");
  auto text = text_of(plugin, "isolation");
  if (profile.empty() || profile == "none") return text;
  return text + ", " + profile + (sandbox.value("lacks", OrderedJson::array()).empty() ? "" : "*");
}

std::string last_error_of(const OrderedJson& plugin) {
  const auto error = plugin.find("lastError");
  if (error == plugin.end()) return "-";
  auto text = text_of(*error, "at") + " " + text_of(*error, "message");
  if (text.size() <= max_error_bytes) return text;
  std::size_t end = max_error_bytes;
  constexpr auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (end > 0 && is_continuation(text[end]))
    --end;
  return text.substr(0, end) + "...";
}

// "tools/clock.so"
std::string file_of(const OrderedJson& plugin, const std::string& components) {
  return std::filesystem::path(text_of(plugin, "file")).lexically_proximate(components).string();
}

// A refused file has a line of its own below the table. Without one it is there, too, if the operator has disabled it.
bool has_row(const OrderedJson& plugin) {
  return plugin.contains("plugin") || text_of(plugin, "state") == "disabled";
}

Row row_of(const OrderedJson& plugin, const std::string& components) {
  const auto pid = plugin.find("pid");
  return {plugin.contains("plugin") ? text_of(plugin, "plugin") : "-",
          file_of(plugin, components),
          text_of(plugin, "version"),
          text_of(plugin, "digest").substr(0, max_digest_digits),
          isolation_of(plugin),
          pid != plugin.end() && pid->is_number() ? std::to_string(pid->get<int>()) : "-",
          text_of(plugin, "state"),
          count_of(plugin, "restarts"),
          count_of(plugin, "calls"),
          count_of(plugin, "errors"),
          count_of(plugin, "inFlight"),
          time_of(plugin, "p50"),
          time_of(plugin, "p99"),
          last_error_of(plugin)};
}

void print_configuration(std::ostream& out, const OrderedJson& configuration) {
  if (!configuration.value("taken", true))
    out << "The configuration was not taken: " << text_of(configuration, "reason") << "\n";
  std::string settings;
  for (const auto& each : configuration.value("needRestart", OrderedJson::array()))
    settings.append(settings.empty() ? "" : ", ").append(printable(each.get<std::string>()));
  if (!settings.empty()) out << "The configuration needs a restart: " << settings << "\n";
}

}  // namespace

void print_host(std::ostream& out, const OrderedJson& host) {
  out << "pid " << count_of(host, "pid") << ", " << text_of(host, "command");
  if (host.contains("url")) out << ", " << text_of(host, "url");
  out << ", " << text_of(host, "components");
}

void print_status(std::ostream& out, const OrderedJson& status) {
  const auto& host = status.at("host");
  out << "mcp-plugin-host " << text_of(host, "version") << ", ";
  print_host(out, host);
  out << ", up " << count_of(host, "upSeconds") << " s\n";

  std::vector<Row> rows{Row(titles.begin(), titles.end())};
  for (const auto& plugin : status.at("plugins")) {
    if (has_row(plugin)) rows.push_back(row_of(plugin, text_of(host, "components")));
  }
  if (rows.size() > 1) {
    print_table(out, rows);
  } else {
    out << "No plugin is served.\n";
  }
  for (const auto& plugin : status.at("plugins")) {
    if (!plugin.contains("reason")) continue;
    out << text_of(plugin, "file") << ": " << (text_of(plugin, "state") == "quarantined" ? "" : "refused: ")
        << text_of(plugin, "reason") << "\n";
  }
  for (const auto& plugin : status.at("plugins")) {
    for (const auto& name : plugin.value("disabledComponents", OrderedJson::array()))
      out << text_of(plugin, "file") << ": " << printable(name.get<std::string>()) << " is disabled\n";
    const auto aliases = plugin.value("aliases", OrderedJson::object());
    for (const auto& [name, own_name] : aliases.items()) {
      out << text_of(plugin, "file") << ": " << printable(name + " is an alias of " + own_name.get<std::string>())
          << "\n";
    }
    for (const auto& lack : sandbox_of(plugin).value("lacks", OrderedJson::array()))
      out << text_of(plugin, "file") << ": its sandbox is incomplete: " << printable(lack.get<std::string>()) << "\n";
  }
  for (const auto& problem : status.at("problems"))
    out << text_of(problem, "path") << ": " << text_of(problem, "reason") << "\n";
  print_configuration(out, status.value("configuration", OrderedJson::object()));
}

void print_outcomes(std::ostream& out, const OrderedJson& answer) {
  for (const auto& plugin : answer.at("plugins"))
    out << text_of(plugin, "file") << ": " << text_of(plugin, "outcome") << "\n";
  if (answer.at("plugins").empty()) out << "No plugins\n";
}

}  // namespace mcph
