// MemoryMetrics: what a plugin counts and measures with the host that a Harness plays. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/metrics.h>

#include "../mutex.hpp"

namespace mcp::testing::detail {

class MemoryMetrics {
 public:
  std::uint32_t declare(std::int32_t kind, std::string_view name);
  /// False: it is left out.
  bool record(std::uint32_t metric, std::int32_t kind, bool adds, const mcp_label* labels, std::uint32_t count,
              double value);

  /// By `name{label="value"}`, with labels by their names: of a histogram how often something was observed.
  std::map<std::string, double> all() const;

 private:
  struct Metric {
    std::int32_t kind;
    std::string name;
  };

  mutable mcp::detail::Mutex mutex_;
  std::vector<Metric> metrics_ GUARDED_BY(mutex_);
  std::map<std::string, double> values_ GUARDED_BY(mutex_);
};

}  // namespace mcp::testing::detail
