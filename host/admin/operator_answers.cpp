#include "admin/operator_answers.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <unistd.h>
#include <utility>

#include "base/absolute_path.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/similar_name.hpp"
#include "base/time_text.hpp"
#include "telemetry/log_text.hpp"

namespace mcph {
namespace {

const char* isolation_name(const PluginReport& report) {
  if (report.identity->is_upstream) return "upstream";
  return report.status.in_process ? "in-process" : "worker";
}

// Without what is told of the sandbox by itself.
std::vector<std::string> remarks_on(const PluginReport& report) {
  auto remarks = report.remarks;
  std::erase(remarks, words_for_lacks(report.status.sandbox_lacks));
  return remarks;
}

OrderedJson plugin_json(const PluginReport& report) {
  const auto& status = report.status;
  const auto& calls = status.calls;
  OrderedJson json{{"file", report.file.string()}, {"state", name_of(report.state)}};
  if (report.is_configured) json["upstream"] = name_of_file(report.file);
  if (report.identity) {
    json["plugin"] = report.identity->name;
    json["version"] = report.identity->version;
    json["digest"] = report.identity->digest;
    json["isolation"] = isolation_name(report);
    json["sandbox"] = {{"profile", name_of(status.sandbox)}, {"lacks", status.sandbox_lacks}};
    json["pid"] = status.pid == 0 ? OrderedJson(nullptr) : OrderedJson(status.pid);
    json["components"] = report.components == nullptr ? 0 : report.components->size();
    if (report.components != nullptr) {
      if (const auto aliases = aliases_in(*report.components); !aliases.empty()) json["aliases"] = aliases;
    }
    if (!report.disabled_components.empty()) json["disabledComponents"] = report.disabled_components;
    if (const auto remarks = remarks_on(report); !remarks.empty()) json["remarks"] = remarks;
    json["restarts"] = status.restarts;
    json["calls"] = calls.calls;
    json["errors"] = calls.errors;
    json["inFlight"] = calls.in_flight;
    json["latencyUs"] = {{"p50", calls.p50.count()}, {"p99", calls.p99.count()}};
    if (calls.last_error) {
      json["lastError"] = {{"message", calls.last_error->what}, {"at", time_text(calls.last_error->at)}};
    }
  }
  if (!report.refusal.empty()) json["reason"] = report.refusal;
  return json;
}

OrderedJson configuration_json(const ConfigurationReport& report) {
  OrderedJson json{{"taken", report.refusal.empty()}, {"needRestart", report.need_restart}};
  if (!report.refusal.empty()) json["reason"] = report.refusal;
  return json;
}

const Log::Field* find_field(Log::Fields fields, std::string_view name) {
  const auto* const found = std::ranges::find(fields, name, &Log::Field::name);
  return found == fields.end() ? nullptr : found;
}

std::string outcome_of(const std::vector<OperatorOutcome>& outcomes) {
  return std::ranges::all_of(outcomes, &OperatorOutcome::good) ? "ok" : "not for all";
}

std::string outcomes_json(const std::vector<OperatorOutcome>& outcomes) {
  bool all_good = true;
  auto list = OrderedJson::array();
  for (const auto& [file, good, text, is_configured] : outcomes) {
    all_good = all_good && good;
    OrderedJson json{{"file", absolute_path(file).string()}, {"ok", good}, {"outcome", text}};
    if (is_configured) json["upstream"] = name_of_file(file);
    list.push_back(std::move(json));
  }
  return dump(OrderedJson{{"ok", all_good}, {"plugins", std::move(list)}});
}

void append_names(std::vector<std::string>& names, const Components& components) {
  const auto append = [&names](const auto& all) {
    for (const auto& each : all)
      names.push_back(component_name(each));
  };
  append(components.tools);
  append(components.resources);
  append(components.resource_templates);
  append(components.prompts);
}

template <class All>
std::vector<std::string> names_of(const All& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& each : all)
    names.push_back(component_name(each));
  return names;
}

Result<LogRequest> read_log_request(const Json& json) {
  LogRequest request{.plugin = json.value("plugin", ""), .follows = json.value("follow", true)};
  const auto level = log_level_named(json.value("level", "info"));
  if (!level) return fail("\"level\" is not one of trace, debug, info, warning, error");
  request.level = *level;
  request.last = json.value("last", std::size_t{0});
  return request;
}

// Whether a line of the log is about that plugin, by its name or its file, which also a refused one has.
bool is_about(const std::string& wanted, std::string_view plugin, std::string_view file) {
  if (wanted.empty() || plugin == wanted || file == wanted) return true;
  return !file.empty() && is_file_called(file, wanted);
}

// Which lines of the log are of interest to somebody who names a plugin, or its file: most of them have only one of the
// two.
struct LogSubject {
  std::string wanted = {};  // as he names it; empty: all are
  std::vector<std::string> names = {};
  std::vector<std::string> files = {};  // absolute

  bool is_in(std::string_view plugin, std::string_view file) const {
    if (is_about(wanted, plugin, file) || std::ranges::find(names, plugin) != names.end()) return true;
    return !file.empty() && std::ranges::find(files, absolute_path(file).string()) != files.end();
  }
};

LogSubject subject_of(const std::string& wanted, const FolderReport& report) {
  LogSubject subject{.wanted = wanted};
  for (const auto& each : report.plugins) {
    const auto name = each.identity ? each.identity->name : std::string();
    if (wanted.empty() || !is_about(wanted, name, each.file.string())) continue;
    if (!name.empty()) subject.names.push_back(name);
    subject.files.push_back(each.file.string());
  }
  return subject;
}

// A version that drains has the name of the one that is served in its place.
void add_known(const PluginReport& report, std::vector<KnownPlugin>& known) {
  if (report.state == ReportedState::draining) return;
  known.push_back({report.identity ? report.identity->name : std::string(), report.file});
}

// The last of those lines that are wanted.
std::vector<std::string> last_of(const std::vector<std::string>& lines, const LogRequest& request,
                                 const LogSubject& subject) {
  std::vector<std::string> last;
  for (auto line = lines.rbegin(); line != lines.rend() && last.size() < request.last; ++line) {
    const auto json = parse_json(*line);
    if (json.has_error() || log_level_named(json->value("level", "")) < request.level) continue;
    const auto text = [&](const char* key) {
      return json->contains(key) && json->at(key).is_string() ? json->at(key).get<std::string>() : std::string();
    };
    if (subject.is_in(text("plugin"), text("file"))) last.push_back(*line);
  }
  std::ranges::reverse(last);
  return last;
}

// Until nobody waits for more.
void tell_of(WatchedLog::Watcher& watcher, ControlServer::Asker& asker) {
  constexpr std::chrono::milliseconds between_looks{100};
  Result<> told = {};
  while (told.has_value() && asker.waits()) {
    if (auto line = watcher.next(between_looks)) told = asker.tell(*std::move(line));
  }
  // Those that came before the end. More may come all the time.
  for (std::size_t left = WatchedLog::max_lines; told.has_value() && left > 0; --left) {
    auto line = watcher.next({});
    if (!line) return;
    told = asker.tell(*std::move(line));
  }
}

std::string too_many() {
  return control_error("there are " + std::to_string(WatchedLog::max_watchers) +
                       " who trace or read the log already; end one of them");
}

// Calls of a template's resources have their URIs.
bool has_match(const Components& components, const std::string& uri) {
  return std::ranges::any_of(components.resource_templates,
                             [&uri](const ResourceTemplate& each) { return each.uri_template.match(uri).has_value(); });
}

}  // namespace

std::string OperatorAnswers::answer(std::string_view request, ControlServer::Asker& asker, const Principal& by) const {
  const auto json = parse_json(request, default_json_depth, DuplicateKeys::refuse);
  if (json.has_error()) return control_error("the request is no JSON: " + json.error().message);
  const auto text = [&](const char* key) -> std::string {
    if (!json->is_object() || !json->contains(key) || !json->at(key).is_string()) return {};
    return json->at(key).get<std::string>();
  };
  using Kind = OperatorRequest::Kind;
  static const std::map<std::string, Kind> kinds{
      {"reload", Kind::reload}, {"disable", Kind::disable}, {"enable", Kind::enable}};
  const auto command = text("command");
  if (command == "status") return status();
  if (command == "components") return components();
  if (command == "dashboard") return open_dashboard();
  if (command == "trace") return trace(text("plugin"), text("component"), asker);
  if (command == "log") {
    const auto wanted = read_log_request(*json);
    return wanted.has_error() ? control_error(wanted.error().message) : show_log(*wanted, asker);
  }
  const auto kind = kinds.find(command);
  if (kind == kinds.end())
    return control_error(
        "\"command\" is not one of status, components, trace, log, reload, disable, enable, dashboard");
  const auto plugin = text("plugin");
  if (plugin.empty() && (kind->second != Kind::reload || json->contains("plugin"))) {
    return control_error("\"plugin\" is not the name of one");
  }
  const auto component = text("component");
  // What names no component must not be about the whole plugin instead.
  if (component.empty() && json->contains("component")) return control_error("\"component\" is not the name of one");
  if (!component.empty() && kind->second == Kind::reload) return control_error("a component alone cannot be reloaded");
  const auto outcomes = service_.ask({kind->second, plugin, component});
  if (listener_)
    listener_({.command = command,
               .plugin = component.empty() ? plugin : plugin + ", " + component,
               .outcome = outcomes.has_error() ? outcomes.error().message : outcome_of(*outcomes),
               .by = by});
  return outcomes.has_error() ? control_error(outcomes.error().message) : outcomes_json(*outcomes);
}

std::string OperatorAnswers::open_dashboard() const {
  const auto url = dashboard_
                       ? dashboard_()
                       : Result<std::string>(fail("this host has no dashboard; serve with --dashboard 127.0.0.1:8081"));
  if (listener_) listener_({.command = "dashboard", .outcome = url.has_error() ? url.error().message : "ok"});
  return url.has_error() ? control_error(url.error().message) : dump(OrderedJson{{"ok", true}, {"url", *url}});
}

Result<std::string> OperatorAnswers::name_of_served(const std::string& plugin) const {
  std::vector<KnownPlugin> known;
  for (const auto& each : service_.report().plugins) {
    if (!each.identity) continue;
    if (is_about(plugin, each.identity->name, each.file.string())) return each.identity->name;
    if (each.state <= ReportedState::backoff) add_known(each, known);
  }
  return fail("no plugin or upstream that is served " + words_for_unknown_name(plugin, known));
}

std::string OperatorAnswers::remark_on(const std::string& component) const {
  std::vector<std::string> names;
  for (const auto& plugin : service_.report().plugins) {
    if (plugin.components == nullptr) continue;
    if (has_match(*plugin.components, component)) return {};
    append_names(names, *plugin.components);
  }
  if (component.empty() || std::ranges::find(names, component) != names.end()) return {};
  const auto nearest = similar_name(component, names);
  return "nothing that is served is called \"" + component + "\"" +
         (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?");
}

std::string OperatorAnswers::trace(const std::string& wanted, const std::string& component,
                                   ControlServer::Asker& asker) const {
  const auto named = wanted.empty() ? Result<std::string>(std::string()) : name_of_served(wanted);
  if (named.has_error()) return control_error(named.error().message);
  const auto& plugin = *named;
  const auto watcher = log_.watch([plugin, component](std::string_view, Log::Fields fields) {
    const auto is = [&fields](std::string_view name, const std::string& value) {
      const auto* const field = find_field(fields, name);
      return field != nullptr && (value.empty() || field->value == value);
    };
    // What is refused before it comes to a plugin has a component alone.
    return component.empty() ? is("plugin", plugin) || (plugin.empty() && is("component", {}))
                             : is("component", component) && (plugin.empty() || is("plugin", plugin));
  });
  if (watcher == nullptr) return too_many();
  if (listener_) listener_({.command = "trace", .plugin = plugin, .outcome = "ok"});
  // From now on nothing is missed.
  Json begun{{"tracing", true}};
  if (auto remark = remark_on(component); !remark.empty()) begun["remark"] = std::move(remark);
  if (asker.tell(dump(begun)).has_value()) tell_of(*watcher, asker);
  return R"({"ok":true})";
}

std::string OperatorAnswers::remark_on_plugin(const std::string& plugin) const {
  if (plugin.empty()) return {};
  std::vector<KnownPlugin> known;
  for (const auto& each : service_.report().plugins) {
    const auto name = each.identity ? each.identity->name : name_of_file(each.file);
    if (is_about(plugin, name, each.file.string())) return {};
    add_known(each, known);
  }
  return "no plugin or upstream " + words_for_unknown_name(plugin, known);
}

std::string OperatorAnswers::show_log(const LogRequest& request, ControlServer::Asker& asker) const {
  std::vector<std::string> kept;
  const auto subject = subject_of(request.plugin, service_.report());
  auto watcher = log_.watch(
      [subject](std::string_view, Log::Fields fields) {
        const auto value = [&fields](std::string_view name) -> std::string_view {
          const auto* const field = find_field(fields, name);
          return field == nullptr ? std::string_view() : field->value;
        };
        return subject.is_in(value("plugin"), value("file"));
      },
      request.level, &kept);
  if (watcher == nullptr) return too_many();
  if (listener_) listener_({.command = "log", .plugin = request.plugin, .outcome = "ok"});
  Json begun{{"logging", true}};
  if (auto remark = remark_on_plugin(request.plugin); !remark.empty()) begun["remark"] = std::move(remark);
  auto told = asker.tell(dump(begun));
  for (auto& line : last_of(kept, request, subject)) {
    if (told.has_value()) told = asker.tell(std::move(line));
  }
  if (told.has_value() && request.follows) tell_of(*watcher, asker);
  return R"({"ok":true})";
}

std::string OperatorAnswers::components() const {
  OrderedJson json{
      {"ok", true}, {"folder", absolute_path(host_.components).string()}, {"plugins", OrderedJson::array()}};
  for (const auto& plugin : service_.report().plugins) {
    const Components none;
    const auto& listed = plugin.components == nullptr ? none : *plugin.components;
    json["plugins"].push_back({{"plugin", plugin.identity ? plugin.identity->name : ""},
                               {"file", plugin.file.string()},
                               {"tools", names_of(listed.tools)},
                               {"resources", names_of(listed.resources)},
                               {"resourceTemplates", names_of(listed.resource_templates)},
                               {"prompts", names_of(listed.prompts)},
                               {"disabled", plugin.disabled_components}});
  }
  return dump(json);
}

std::string OperatorAnswers::status() const {
  return dump(status_json());
}

OrderedJson OperatorAnswers::status_json() const {
  auto report = service_.report();
  if (auto problem = host_.problem ? host_.problem() : std::string(); !problem.empty())
    report.problems.push_back({absolute_path(host_.components), std::move(problem)});
  const auto up = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began_);
  const auto not_ready = host_.not_ready ? host_.not_ready() : std::nullopt;
  OrderedJson host{{"pid", ::getpid()},
                   {"version", host_.version},
                   {"command", host_.command},
                   {"components", absolute_path(host_.components).string()},
                   {"state", not_ready ? not_ready->why : "ready"},
                   {"upSeconds", up.count()}};
  if (!host_.url.empty()) host["url"] = host_.url;
  if (!host_.also.empty()) host["also"] = host_.also;
  const auto configuration = configuration_ ? configuration_() : ConfigurationReport();
  const bool has_fault = not_ready && not_ready->is_fault;
  const bool all_is_well = report.all_is_well() && configuration.refusal.empty() && !has_fault;
  OrderedJson json{{"ok", all_is_well}, {"host", std::move(host)}};
  if (configuration_) json["configuration"] = configuration_json(configuration);
  json["plugins"] = OrderedJson::array();
  json["problems"] = OrderedJson::array();
  for (const auto& plugin : report.plugins)
    json["plugins"].push_back(plugin_json(plugin));
  for (const auto& problem : report.problems)
    json["problems"].push_back({{"path", problem.path.string()}, {"reason", problem.reason}});
  return json;
}

}  // namespace mcph
