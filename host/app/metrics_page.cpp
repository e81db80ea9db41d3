// All metrics of a host that serves, gathered when they are asked for. docs/observability.md has a table of them, which
// a test compares.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/admin_listener.hpp"
#include "app/process_figures.hpp"
#include "base/relative_path.hpp"
#include "base/version.hpp"
#include "plugin/plugin_metrics.hpp"
#include "sources/folder/operator_service.hpp"
#include "telemetry/metric_text.hpp"

namespace mcph {
namespace {

double in_seconds_since_1970(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// Of all versions of one file.
struct PluginFigures {
  bool serves = false;
  std::uint64_t calls = 0;
  std::uint64_t errors = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t restarts = 0;
};

// As `status` shows it.
std::string label_of(const PluginReport& plugin, const std::filesystem::path& root) {
  return plugin.is_configured ? table_of_upstream(plugin.file) : path_within(root, plugin.file);
}

void write_plugins(MetricText& text, const FolderReport& report, const std::filesystem::path& root) {
  std::map<std::string, PluginFigures> plugins;
  std::map<ReportedState, std::uint64_t> states;
  std::uint64_t refused_files = 0;
  for (const auto& each : report.plugins) {
    ++states[each.state];
    if (!each.refusal.empty()) ++refused_files;
    auto& figures = plugins[label_of(each, root)];
    const auto& calls = each.status.calls;
    const bool drains = each.state == ReportedState::draining;
    figures.in_flight += calls.in_flight;
    if (drains) continue;
    figures.serves = each.state == ReportedState::serving;
    figures.calls = calls.calls;
    figures.errors = calls.errors;
    figures.restarts = each.status.restarts;
  }
  const auto each_plugin = [&](const char* name, const char* type, const char* help, auto value) {
    text.begin(name, type, help);
    for (const auto& [label, figures] : plugins)
      text.sample({{"plugin", label}}, static_cast<std::uint64_t>(value(figures)));
  };
  each_plugin("mcph_plugin_serving", "gauge", "1 where the plugin's process takes calls, else 0.",
              [](const auto& plugin) { return plugin.serves; });
  each_plugin("mcph_plugin_calls_in_flight", "gauge", "Calls that the plugin has been given and has not completed.",
              [](const auto& plugin) { return plugin.in_flight; });
  each_plugin("mcph_plugin_calls_total", "counter", "Calls that the version that is served has been given.",
              [](const auto& plugin) { return plugin.calls; });
  each_plugin("mcph_plugin_call_errors_total", "counter", "Of these, those that ended with an error.",
              [](const auto& plugin) { return plugin.errors; });
  each_plugin("mcph_plugin_restarts_total", "counter",
              "Times that the process of the version that is served has been started anew after a crash.",
              [](const auto& plugin) { return plugin.restarts; });
  text.begin("mcph_plugins", "gauge", "Plugins and versions that drain, by state.");
  for (const auto state :
       {ReportedState::serving, ReportedState::starting, ReportedState::backoff, ReportedState::quarantined,
        ReportedState::refused, ReportedState::disabled, ReportedState::draining})
    text.sample({{"state", name_of(state)}}, states[state]);
  text.one("mcph_plugin_files_refused", "gauge", "Files that are not served as they are now.", refused_files);
  text.one("mcph_components_folder_problems", "gauge", "What is amiss in the components folder besides.",
           std::uint64_t{report.problems.size()});
}

void write_catalog(MetricText& text, Host& host) {
  const auto catalog = host.catalog().current();
  text.begin("mcph_components", "gauge", "Components that are served, by kind.");
  text.sample({{"kind", "tool"}}, std::uint64_t{catalog->served_tools().size()});
  text.sample({{"kind", "resource"}}, std::uint64_t{catalog->resources().size()});
  text.sample({{"kind", "resource_template"}}, std::uint64_t{catalog->resource_templates().size()});
  text.sample({{"kind", "prompt"}}, std::uint64_t{catalog->prompts().size()});
  text.one("mcph_component_conflicts", "gauge", "Components that are hidden by others of the same name.",
           std::uint64_t{catalog->conflicts().size()});
  text.one("mcph_catalog_publications_total", "counter", "Catalogs that have been published.", catalog->generation());
  const auto loads = host.folder().loads();
  text.begin("mcph_plugin_loads_total", "counter",
             "Plugin files that have been loaded, by whether they are served; and versions that crashed too often.");
  text.sample({{"outcome", "served"}}, loads.served);
  text.sample({{"outcome", "refused"}}, loads.refused);
  text.sample({{"outcome", "quarantined"}}, loads.given_up);
}

void write_clients(MetricText& text, const ObservedHost& observed) {
  const auto figures = observed.servers();
  text.one("mcph_sessions", "gauge", "Sessions of revisions up to 2025-11-25 over streamable HTTP.",
           std::uint64_t{figures.sessions});
  text.one("mcph_subscriptions", "gauge", "Requests subscriptions/listen that are open.",
           std::uint64_t{figures.subscriptions});
  text.one("mcph_tasks", "gauge", "Tasks, with those that have ended and are kept.", std::uint64_t{figures.tasks});
  text.one("mcph_http_connections", "gauge", "Open connections of clients.",
           std::uint64_t{observed.http.connections()});
  text.one("mcph_http_event_streams", "gauge", "Event streams that are open.",
           std::uint64_t{observed.http.event_streams()});
  text.one("mcph_http_buffered_bytes", "gauge", "Memory that large messages of clients take.",
           std::uint64_t{observed.http.budget()->taken()});
  text.one("mcph_http_buffered_limit_bytes", "gauge", "Memory that they may take.",
           std::uint64_t{observed.http.budget()->limit()});
}

void write_access(MetricText& text, const ObservedHost& observed) {
  text.begin("mcph_authentications_total", "counter", "Requests over HTTP, by what their credentials have proven.");
  for (std::size_t i = 0; i < AuthenticationCounts::names.size(); ++i)
    text.sample({{"outcome", AuthenticationCounts::names.at(i)}}, observed.authentications.of(i));
  const auto issuers = observed.configuration.access().get()->issuers();
  const auto fetches = issuers == nullptr ? std::vector<Issuer::Fetches>() : issuers->fetches();
  text.begin("mcph_issuer_key_fetches_total", "counter", "Fetches of an issuer's keys.");
  for (const auto& each : fetches) {
    text.sample({{"issuer", each.issuer}, {"outcome", "fetched"}}, each.good);
    text.sample({{"issuer", each.issuer}, {"outcome", "failed"}}, each.failed);
  }
  const auto reloads = observed.configuration.reloads();
  text.begin("mcph_configuration_reloads_total", "counter", "Changes of the configuration's files.");
  text.sample({{"outcome", "taken"}}, reloads.taken);
  text.sample({{"outcome", "refused"}}, reloads.refused);
  text.one("mcph_configuration_last_refused", "gauge", "1 where the files as they are now cannot be used, else 0.",
           std::uint64_t{!reloads.refusal.empty()});
  text.one("mcph_configuration_last_taken_timestamp_seconds", "gauge",
           "When the configuration that counts has been read.", in_seconds_since_1970(reloads.last_taken));
}

void write_traces(MetricText& text, const ObservedHost& observed) {
  const auto* const exporter = observed.calls.exporter();
  const auto figures = exporter == nullptr ? SpanExporter::Figures() : exporter->figures();
  text.begin("mcph_trace_spans_total", "counter", "Spans that the collector has taken, and that it has not.");
  text.sample({{"outcome", "sent"}}, figures.sent);
  text.sample({{"outcome", "dropped"}}, figures.dropped);
  text.one("mcph_trace_requests_failed_total", "counter", "Requests to the collector that failed.",
           figures.failed_requests);
  text.one("mcph_trace_queue_bytes", "gauge", "Spans that wait to be sent.", std::uint64_t{figures.queued_bytes});
}

std::string_view name_of(MetricKind kind) {
  return kind == MetricKind::counter ? "counter" : kind == MetricKind::gauge ? "gauge" : "histogram";
}

void write_series(MetricText& text, const std::string& file, const PluginMetrics::Metric& metric) {
  for (const auto& [names, series] : metric.series) {
    MetricLabels labels{{"plugin", file}};
    for (const auto& [name, value] : names)
      labels.add(name, value);
    if (metric.definition.kind == MetricKind::histogram) {
      text.sample(labels, metric.definition.bounds, series.counts, series.value);
    } else {
      text.sample(labels, series.value);
    }
  }
}

// What plugins record themselves. A name means one thing on a page: where two plugins mean different kinds by it, that
// of the first by path is shown.
void write_recorded(MetricText& text, const ObservedHost& observed) {
  std::map<std::string, std::vector<std::pair<std::string, PluginMetrics::Metric>>> by_name;
  const auto catalog = observed.host.catalog().current();
  for (const auto& served : catalog->plugins()) {
    const auto metrics = served.plugin->metrics();
    if (metrics == nullptr) continue;
    const auto file = path_within(observed.root, served.plugin->identity().file);
    for (auto& metric : metrics->all()) {
      auto& all = by_name[metric.definition.name];
      if (all.empty() || all.front().second.definition.kind == metric.definition.kind)
        all.emplace_back(file, std::move(metric));
    }
  }
  for (const auto& [name, all] : by_name) {
    const auto& first = all.front().second.definition;
    text.begin("mcp_plugin_" + name, name_of(first.kind), first.help);
    for (const auto& [file, metric] : all)
      write_series(text, file, metric);
  }
}

void write_process(MetricText& text) {
  const auto process = process_figures();
  text.one("process_cpu_seconds_total", "counter", "Processor time of the host, without its workers.",
           process.cpu_seconds);
  text.one("process_resident_memory_bytes", "gauge", "Resident memory of the host, without its workers.",
           process.resident_bytes);
  text.one("process_virtual_memory_bytes", "gauge", "Virtual memory of the host.", process.virtual_bytes);
  text.one("process_open_fds", "gauge", "Open file descriptors of the host.", process.open_descriptors);
  text.one("process_max_fds", "gauge", "File descriptors that it may have open.", process.max_descriptors);
  text.one("process_start_time_seconds", "gauge", "When the host was started, in seconds since 1970.",
           process.start_seconds);
}

void write_certificate(MetricText& text, const LiveCertificates& certificates) {
  const auto expiry = std::chrono::duration_cast<std::chrono::seconds>(certificates.expiry().time_since_epoch());
  text.one("mcph_certificate_expiry_seconds", "gauge", "When the certificate ends, in seconds since 1970.",
           static_cast<std::uint64_t>(std::max<std::int64_t>(expiry.count(), 0)));
  text.one("mcph_certificate_last_refused", "gauge",
           "1 where what the files of the certificate hold now cannot be used, else 0.",
           std::uint64_t{!certificates.refusal().empty()});
}

}  // namespace

std::string metrics_of(const ObservedHost& observed) {
  MetricText text;
  text.begin("mcph_build_info", "gauge", "1; the version is a label.");
  text.sample({{"version", host_version}}, std::uint64_t{1});
  text.one("mcph_ready", "gauge", "1 where /readyz says so, else 0.", std::uint64_t{observed.why_not_ready().empty()});
  if (observed.certificates != nullptr) write_certificate(text, *observed.certificates);
  write_plugins(text, observed.host.folder().operator_service().report(), observed.root);
  write_catalog(text, observed.host);
  write_clients(text, observed);
  write_access(text, observed);
  write_traces(text, observed);
  write_recorded(text, observed);
  write_process(text);
  observed.calls.requests().write(text);
  return std::move(text).text();
}

}  // namespace mcph
