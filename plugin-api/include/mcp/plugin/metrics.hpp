// Counter, Gauge and MetricHistogram: what a plugin counts and measures, shown beside the host's own metrics as
// mcp_plugin_NAME. Made by Plugin::counter, Plugin::gauge and Plugin::histogram. Values that refer to the host, so they
// live no longer than the Plugin; any thread. To record costs about as much as a lock.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <mcp/metrics.h>
#include <mcp/plugin.h>

namespace mcp {

/// {{"kind", "a"}}: names with values, 8 at most. Few values each: every combination is a series that is kept.
using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

namespace detail {

class Metric {
 public:
  Metric(const mcp_host& host, const mcp_metrics& metrics, std::uint32_t number)
      : host_(&host), metrics_(&metrics), number_(number) {}

 protected:
  using Record = decltype(mcp_metrics::add);
  void record(Record mcp_metrics::*function, double value, const Labels& labels) const;

 private:
  const mcp_host* host_;
  const mcp_metrics* metrics_;
  std::uint32_t number_;
};

}  // namespace detail

class Counter : public detail::Metric {
 public:
  using Metric::Metric;
  void add(double amount = 1, const Labels& labels = {}) const { record(&mcp_metrics::add, amount, labels); }
};

class Gauge : public detail::Metric {
 public:
  using Metric::Metric;
  void set(double value, const Labels& labels = {}) const { record(&mcp_metrics::set, value, labels); }
  void add(double amount, const Labels& labels = {}) const { record(&mcp_metrics::add, amount, labels); }
};

class MetricHistogram : public detail::Metric {
 public:
  using Metric::Metric;
  void observe(double value, const Labels& labels = {}) const { record(&mcp_metrics::observe, value, labels); }
};

}  // namespace mcp
