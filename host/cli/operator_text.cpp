#include "cli/operator_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "cli/terminal_text.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_error_bytes = 200;   // of one line of the table
constexpr std::size_t max_digest_digits = 12;  // enough to tell builds apart by eye

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

// Its file, but of an upstream of the configuration, for which there is none, its table.
std::string place_of(const OrderedJson& plugin) {
  return plugin.contains("upstream") ? "[upstreams." + text_of(plugin, "upstream") + "]" : text_of(plugin, "file");
}

// "tools/clock.so"
std::string short_place_of(const OrderedJson& plugin, const std::string& components) {
  auto place = place_of(plugin);
  if (plugin.contains("upstream")) return place;
  return std::filesystem::path(place).lexically_proximate(components).string();
}

// A refused file has a line of its own below the table. Without one it is there, too, if the operator has disabled it.
bool has_row(const OrderedJson& plugin) {
  return plugin.contains("plugin") || text_of(plugin, "state") == "disabled";
}

Cell name_cell(const OrderedJson& plugin) {
  return plugin.contains("plugin") ? text_of(plugin, "plugin") : "-";
}

Cell pid_cell(const OrderedJson& plugin) {
  const auto pid = plugin.find("pid");
  return pid != plugin.end() && pid->is_number() ? std::to_string(pid->get<int>()) : "-";
}

Cell state_cell(const OrderedJson& plugin) {
  static const std::map<std::string, Style, std::less<>> styles{
      {"serving", Style::good},     {"starting", Style::warning}, {"backoff", Style::warning},
      {"draining", Style::warning}, {"quarantined", Style::bad},  {"refused", Style::bad},
      {"disabled", Style::faint}};
  auto state = text_of(plugin, "state");
  const auto style = styles.find(state);
  return {std::move(state), style == styles.end() ? Style::plain : style->second};
}

// Of what should be none.
Cell fault_cell(const OrderedJson& plugin, const char* key) {
  const auto count = plugin.value(key, std::uint64_t{0});
  return {std::to_string(count), count == 0 ? Style::plain : Style::warning};
}

// A server elsewhere is not the host's to start.
Cell restarts_cell(const OrderedJson& plugin) {
  return plugin.contains("restarts") ? fault_cell(plugin, "restarts") : "-";
}

Cell rate_cell(const OrderedJson& plugin) {
  if (!plugin.contains("callsPerSecond")) return "-";
  std::ostringstream text;
  const auto rate = plugin.value("callsPerSecond", 0.0);
  constexpr double precise_below = 10;
  text << std::fixed << std::setprecision(rate < precise_below ? 1 : 0) << rate;
  return text.str();
}

struct Column {
  const char* title;
  Cell (*cell)(const OrderedJson& plugin);
};

constexpr Column plugin_column{"PLUGIN", name_cell};
constexpr Column version_column{"VERSION",
                                [](const OrderedJson& plugin) -> Cell { return text_of(plugin, "version"); }};
constexpr Column digest_column{
    "DIGEST", [](const OrderedJson& plugin) -> Cell { return text_of(plugin, "digest").substr(0, max_digest_digits); }};
constexpr Column file_column{"FILE", [](const OrderedJson& plugin) -> Cell { return text_of(plugin, "shownFile"); }};
constexpr Column isolation_column{"ISOLATION", [](const OrderedJson& plugin) -> Cell { return isolation_of(plugin); }};
constexpr Column pid_column{"PID", pid_cell};
constexpr Column state_column{"STATE", state_cell};
constexpr Column restarts_column{"RESTARTS", restarts_cell};
constexpr Column rate_column{"CALLS/S", rate_cell};
constexpr Column calls_column{"CALLS", [](const OrderedJson& plugin) -> Cell { return count_of(plugin, "calls"); }};
constexpr Column errors_column{"ERRORS", [](const OrderedJson& plugin) { return fault_cell(plugin, "errors"); }};
constexpr Column in_flight_column{"IN FLIGHT",
                                  [](const OrderedJson& plugin) -> Cell { return count_of(plugin, "inFlight"); }};
constexpr Column p50_column{"P50", [](const OrderedJson& plugin) -> Cell { return time_of(plugin, "p50"); }};
constexpr Column p99_column{"P99", [](const OrderedJson& plugin) -> Cell { return time_of(plugin, "p99"); }};
constexpr Column last_error_column{"LAST ERROR",
                                   [](const OrderedJson& plugin) -> Cell { return last_error_of(plugin); }};

// All of them, and those that are worth being watched, the most telling first, because a narrow terminal cuts them off.
constexpr std::array all_columns{plugin_column,    file_column,  version_column,  digest_column,    isolation_column,
                                 pid_column,       state_column, restarts_column, calls_column,     errors_column,
                                 in_flight_column, p50_column,   p99_column,      last_error_column};
constexpr std::array live_columns{plugin_column,   state_column,     rate_column, calls_column,
                                  errors_column,   in_flight_column, p50_column,  p99_column,
                                  restarts_column, isolation_column, pid_column,  last_error_column};

void print_plugins(std::ostream& out, const OrderedJson& status, std::span<const Column> columns, const Paint& paint) {
  std::vector<TableRow> rows(1);
  for (const auto& column : columns)
    rows.front().emplace_back(column.title, Style::heading);
  for (auto plugin : status.at("plugins")) {
    if (!has_row(plugin)) continue;
    plugin["shownFile"] = short_place_of(plugin, text_of(status.at("host"), "components"));
    auto& row = rows.emplace_back();
    for (const auto& column : columns)
      row.push_back(column.cell(plugin));
  }
  if (rows.size() == 1) {
    out << "No plugin is served.\n";
  } else {
    print_table(out, rows, paint);
  }
}

// What is amiss, and what is worth knowing, a line each.
class Lines {
 public:
  Lines(std::ostream& out, const Paint& paint) : out_(out), paint_(paint) {}

  void about(const OrderedJson& plugin, Style style, const std::string& text) const {
    line(style, place_of(plugin) + ": " + text);
  }
  void line(Style style, const std::string& text) const { out_ << paint_(style, text) << "\n"; }

 private:
  std::ostream& out_;
  const Paint& paint_;
};

void print_refusals(const Lines& lines, const OrderedJson& plugins) {
  for (const auto& plugin : plugins) {
    if (!plugin.contains("reason")) continue;
    const bool is_refused = text_of(plugin, "state") != "quarantined";
    lines.about(plugin, Style::bad, (is_refused ? "refused: " : "") + text_of(plugin, "reason"));
  }
}

void print_remarks(const Lines& lines, const OrderedJson& plugins) {
  for (const auto& plugin : plugins) {
    for (const auto& name : plugin.value("disabledComponents", OrderedJson::array()))
      lines.about(plugin, Style::faint, printable(name.get<std::string>()) + " is disabled");
    const auto aliases = plugin.value("aliases", OrderedJson::object());
    for (const auto& [name, own_name] : aliases.items())
      lines.about(plugin, Style::faint, printable(name + " is an alias of " + own_name.get<std::string>()));
    for (const auto& lack : sandbox_of(plugin).value("lacks", OrderedJson::array()))
      lines.about(plugin, Style::warning, "its sandbox is incomplete: " + printable(lack.get<std::string>()));
    for (const auto& remark : plugin.value("remarks", OrderedJson::array()))
      lines.about(plugin, Style::warning, "remark: " + printable(remark.get<std::string>()));
  }
}

void print_configuration(const Lines& lines, const OrderedJson& configuration) {
  if (!configuration.value("taken", true))
    lines.line(Style::bad, "The configuration was not taken: " + text_of(configuration, "reason"));
  std::string settings;
  for (const auto& each : configuration.value("needRestart", OrderedJson::array()))
    settings.append(settings.empty() ? "" : ", ").append(printable(each.get<std::string>()));
  if (!settings.empty()) lines.line(Style::warning, "The configuration needs a restart: " + settings);
}

// What plugins are put in order by: the most of a number first.
double number_for(const PluginOrder& order, const OrderedJson& plugin) {
  const OrderedJson::json_pointer at(order.member);
  return plugin.contains(at) && plugin.at(at).is_number() ? plugin.at(at).get<double>() : 0;
}

constexpr std::array orders{PluginOrder{.name = "name", .member = "/plugin", .is_number = false, .key = 'n'},
                            PluginOrder{.name = "state", .member = "/state", .is_number = false, .key = 's'},
                            PluginOrder{.name = "rate", .member = "/callsPerSecond", .key = 'r'},
                            PluginOrder{.name = "calls", .member = "/calls", .key = 'c'},
                            PluginOrder{.name = "errors", .member = "/errors", .key = 'e'},
                            PluginOrder{.name = "inflight", .member = "/inFlight", .key = 'i'},
                            PluginOrder{.name = "p50", .member = "/latencyUs/p50", .key = '5'},
                            PluginOrder{.name = "p99", .member = "/latencyUs/p99", .key = '9'},
                            PluginOrder{.name = "restarts", .member = "/restarts", .key = 't'}};

}  // namespace

const std::span<const PluginOrder> plugin_orders = orders;

void put_in_order(OrderedJson& status, const PluginOrder& order) {
  auto& plugins = status.at("plugins").get_ref<OrderedJson::array_t&>();
  std::ranges::stable_sort(plugins, [&order](const OrderedJson& a, const OrderedJson& b) {
    if (order.is_number) return number_for(order, a) > number_for(order, b);
    const auto* const member = order.member + 1;
    return a.value(member, "") < b.value(member, "");
  });
}

void print_host(std::ostream& out, const OrderedJson& host) {
  out << "pid " << count_of(host, "pid") << ", " << text_of(host, "command");
  if (host.contains("url")) out << ", " << text_of(host, "url");
  if (host.contains("also")) out << " and " << text_of(host, "also");
  out << ", " << text_of(host, "components");
}

void print_status(std::ostream& out, const OrderedJson& status, StatusView view) {
  const auto& host = status.at("host");
  std::ostringstream first;
  first << "mcp-plugin-host " << text_of(host, "version") << ", ";
  print_host(first, host);
  first << ", up " << count_of(host, "upSeconds") << " s";
  if (const auto state = host.value("state", "ready"); state != "ready") first << ", " << printable(state);
  out << view.paint(Style::heading, first.str()) << "\n";
  print_plugins(out, status, view.is_live ? std::span<const Column>(live_columns) : all_columns, view.paint);
  const Lines lines(out, view.paint);
  print_refusals(lines, status.at("plugins"));
  print_remarks(lines, status.at("plugins"));
  for (const auto& problem : status.at("problems"))
    lines.line(Style::bad, text_of(problem, "path") + ": " + text_of(problem, "reason"));
  print_configuration(lines, status.value("configuration", OrderedJson::object()));
}

void print_outcomes(std::ostream& out, const OrderedJson& answer) {
  for (const auto& plugin : answer.at("plugins")) {
    out << place_of(plugin) << ": " << text_of(plugin, "outcome") << "\n";
  }
  if (answer.at("plugins").empty()) out << "No plugins\n";
}

}  // namespace mcph
