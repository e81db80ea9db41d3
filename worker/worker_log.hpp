// The log of a worker: the host's, which decides what of it is written. [any]
#pragma once

#include <algorithm>
#include <string>

#include "telemetry/log.hpp"
#include "worker/host_link.hpp"

namespace mcph {

class WorkerLog final : public Log {
 public:
  explicit WorkerLog(HostLink& host) : host_(host) {}

  void write(Level level, std::string_view event, Fields fields) override {
    const auto known = std::find(worker_log_events.begin(), worker_log_events.end(), event);
    if (known == worker_log_events.end()) return;
    // The host knows who speaks.
    std::string text;
    for (const auto& field : fields) {
      if (field.name == "plugin" || field.name == "file") continue;
      text += (text.empty() ? "" : ": ") + field.value;
    }
    const auto place = static_cast<std::uint64_t>(known - worker_log_events.begin());
    host_.send(to_host::Logged{static_cast<std::int32_t>(level), place, text});
  }

 private:
  HostLink& host_;
};

}  // namespace mcph
