// The log of a worker: the host's, which decides what of it is written. [any]
#pragma once

#include <string>

#include "telemetry/log.hpp"
#include "worker/host_link.hpp"

namespace mcph {

class WorkerLog final : public Log {
 public:
  explicit WorkerLog(const HostLink& host) : host_(host) {}

  void write(Level level, std::string_view event, Fields fields) override {
    // The host knows who speaks.
    std::string text;
    for (const auto& field : fields) {
      if (field.name == "plugin" || field.name == "file") continue;
      text += (text.empty() ? "" : ": ") + field.value;
    }
    host_.send({.kind = Frame::Kind::noted, .number = static_cast<std::int32_t>(level), .text = text, .more = event});
  }

 private:
  const HostLink& host_;
};

}  // namespace mcph
