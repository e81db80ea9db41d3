#include "memory_metrics.hpp"

#include <cmath>

#include "../host_text.hpp"

namespace mcp::testing::detail {
namespace {

using mcp::detail::MutexLock;
using mcp::detail::view;

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

std::uint32_t MemoryMetrics::declare(std::int32_t kind, std::string_view name) {
  std::string whole(name);
  if (kind == MCP_METRIC_COUNTER && !name.ends_with("_total")) whole += "_total";
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (metrics_[i].name == whole) return metrics_[i].kind == kind ? static_cast<std::uint32_t>(i + 1) : 0;
  }
  metrics_.push_back({kind, std::move(whole)});
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
