// MemoryMetrics: what a plugin counts and measures with the host that a Harness plays. What a host does not let be
// declared is refused with its words. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <mcp/metrics.h>

#include "../mutex.hpp"

namespace mcp::testing::detail {

class MemoryMetrics {
 public:
  /// 0: it is refused, and why is written to `error`.
  std::uint32_t declare(std::int32_t kind, mcp_string name, mcp_string help, const double* bounds,
                        std::uint32_t bound_count, const mcp_sink* error);
  /// False: it is left out.
  bool record(std::uint32_t metric, std::int32_t kind, bool adds, const mcp_label* labels, std::uint32_t count,
              double value);

  /// By `name{label="value"}`, with labels by their names: of a histogram how often something was observed.
  std::map<std::string, double> all() const;

 private:
  struct Metric {
    std::int32_t kind;
    std::string name;
    std::vector<double> bounds;
  };

  mutable mcp::detail::Mutex mutex_;
  std::vector<Metric> metrics_ GUARDED_BY(mutex_);
  std::map<std::string, double> values_ GUARDED_BY(mutex_);
};

}  // namespace mcp::testing::detail
