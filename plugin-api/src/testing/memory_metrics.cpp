#include "memory_metrics.hpp"

#include <cmath>
#include <string_view>

#include <mcp/host_rules.h>
#include <mcp/plugin/json.hpp>
#include <nlohmann/json.hpp>

#include "../host_text.hpp"

namespace mcp::testing::detail {
namespace {

using mcp::detail::answer_of_host;
using mcp::detail::MutexLock;
using mcp::detail::view;
using mcp::detail::write;

constexpr std::size_t max_metrics = 64;

std::string series_of(std::string_view name, const mcp_label* labels, std::uint32_t count) {
  std::map<std::string, std::string> sorted;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (labels[i].value.size > 0) sorted.emplace(view(labels[i].name), view(labels[i].value));
  }
  std::string text(name);
  for (const auto& [label, value] : sorted)
    text.append(text.size() == name.size() ? "{" : ",").append(label).append("=\"").append(value).append("\"");
  return sorted.empty() ? text : text + "}";
}

}  // namespace

std::uint32_t MemoryMetrics::declare(std::int32_t kind, mcp_string name, mcp_string help, const double* bounds,
                                     std::uint32_t bound_count, const mcp_sink* error) {
  const auto refuse = [error](const std::string& why) -> std::uint32_t {
    write(error, why);
    return 0;
  };
  bool taken = false;
  const std::string text = answer_of_host(
      [&](const mcp_sink* sink) { taken = mcp_host_rules_metric(kind, name, help, bounds, bound_count, sink) != 0; });
  if (!taken) return refuse(text);
  const Json kept = Json::parse(text);
  Metric metric{kind, kept.at("name").get<std::string>(), kept.at("bounds").get<std::vector<double>>()};
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    const Metric& known = metrics_[i];
    if (known.name != metric.name) continue;
    if (known.kind == kind && known.bounds == metric.bounds) return static_cast<std::uint32_t>(i + 1);
    return refuse("the metric \"" + known.name + "\" has been declared with another kind or other bounds");
  }
  if (metrics_.size() >= max_metrics)
    return refuse("the metric \"" + metric.name + "\" is one more than the 64 that a plugin may have");
  metrics_.push_back(std::move(metric));
  return static_cast<std::uint32_t>(metrics_.size());
}

bool MemoryMetrics::record(std::uint32_t metric, std::int32_t kind, bool adds, const mcp_label* labels,
                           std::uint32_t count, double value) {
  const MutexLock lock(mutex_);
  if (metric == 0 || metric > metrics_.size() || !std::isfinite(value)) return false;
  const Metric& known = metrics_[metric - 1];
  const bool fits = known.kind == kind || (known.kind == MCP_METRIC_GAUGE && kind == MCP_METRIC_COUNTER);
  if (!fits || count > 8 || (known.kind == MCP_METRIC_COUNTER && value < 0)) return false;
  double& kept = values_[series_of(known.name, labels, count)];
  kept = known.kind == MCP_METRIC_HISTOGRAM ? kept + 1 : adds ? kept + value : value;
  return true;
}

std::map<std::string, double> MemoryMetrics::all() const {
  const MutexLock lock(mutex_);
  return values_;
}

}  // namespace mcp::testing::detail
