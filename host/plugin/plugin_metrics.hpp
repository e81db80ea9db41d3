// What a plugin version counts and measures: what mcp/metrics.h promises. In a worker, what has been recorded is taken
// now and then and added to the same in its host, so that no message is sent for a count. Bounded: a host takes no more
// from a worker than it would of a plugin of its own. Held by the plugin and by who shows it; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"

namespace mcph {

// The values are those of MCP_METRIC_* in mcp/metrics.h.
enum class MetricKind : std::int32_t { counter = 0, gauge = 1, histogram = 2 };

struct MetricDefinition {
  MetricKind kind = MetricKind::counter;
  std::string name = {};  // of a counter with _total
  std::string help = {};
  std::vector<double> bounds = {};  // of a histogram

  friend bool operator==(const MetricDefinition&, const MetricDefinition&) = default;
};

class PluginMetrics {
 public:
  static constexpr std::size_t max_metrics = 64;
  static constexpr std::size_t max_series = 1000;
  static constexpr std::size_t max_labels = 8;
  static constexpr std::size_t max_bounds = 32;
  static constexpr std::size_t max_name = 64;
  static constexpr std::size_t max_value = 128;  // of a label
  static constexpr std::size_t max_help = 512;

  // By their names; without those that have no value.
  using Labels = std::vector<std::pair<std::string, std::string>>;
  struct Series {
    double value = 0;                        // of a histogram the sum of what was observed
    std::vector<std::uint64_t> counts = {};  // of a histogram, for each bound and for what is above
  };
  struct Metric {
    MetricDefinition definition;
    std::map<Labels, Series> series = {};
  };

  // `changed` is called when there is something to take for the first time since it was taken.
  explicit PluginMetrics(std::function<void()> changed = {}) : changed_(std::move(changed)) {}

  // Its number, from 1 on; that of one that has been declared already.
  Result<std::uint32_t> declare(MetricDefinition definition);

  enum class Operation { add, set, observe };
  // Fails where it is left out.
  Result<> record(std::uint32_t metric, Operation operation, Labels labels, double value);

  std::vector<Metric> all() const;

  // What has been recorded since the last time, in texts of at most about 40 KiB.
  std::vector<std::string> take_changes();
  // What take_changes has given elsewhere. Fails where it is none of it. What is beyond a bound is left out, as it may
  // be where an earlier process has counted, too: why, or nothing.
  Result<std::string> add_changes(std::string_view changes);
  // Of a process that has ended, which are not so any more. What it has counted stays.
  void forget_gauges();

 private:
  struct Kept {
    Metric metric;
    std::map<Labels, Series> untaken = {};  // of a gauge the values, of the others what has been added
  };

  Result<std::uint32_t> declare_checked(MetricDefinition definition) REQUIRES(mutex_);
  // Null: there are too many.
  Series* series_of(Kept& kept, const Labels& labels) REQUIRES(mutex_);
  static Json json_of(const Labels& labels, const Series& series);
  Result<std::string> add_series(Kept& kept, const Json& changes) REQUIRES(mutex_);

  const std::function<void()> changed_;
  mutable Mutex mutex_;
  std::vector<Kept> metrics_ GUARDED_BY(mutex_);  // by their numbers less 1
  std::size_t series_ GUARDED_BY(mutex_) = 0;     // of all
  bool has_changed_ GUARDED_BY(mutex_) = false;
};

// What mcp_metrics.declare is given, as far as it is looked at.
MetricDefinition declared_metric(std::int32_t kind, std::string_view name, std::string_view help,
                                 std::span<const double> bounds);

// That the name, the help and the bounds are ones that can be shown; a counter's name gets its end.
Result<MetricDefinition> checked(MetricDefinition definition);

}  // namespace mcph
