#include <algorithm>
#include <array>

#include <mcp/plugin/metrics.hpp>

#include "host_text.hpp"

namespace mcp::detail {

void Metric::record(Record mcp_metrics::*function, double value, const Labels& labels) const {
  // One more than there may be, so that the host says so.
  std::array<mcp_label, 9> table{};
  const std::size_t count = std::min(labels.size(), table.size());
  std::transform(labels.begin(), labels.begin() + count, table.begin(), [](const auto& label) {
    return mcp_label{borrowed(label.first), borrowed(label.second)};
  });
  (metrics_->*function)(host_, number_, table.data(), static_cast<std::uint32_t>(count), value);
}

}  // namespace mcp::detail
