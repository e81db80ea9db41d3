// The log of a worker: the host's, which decides what of it is written. [any]
#pragma once

#include "log.hpp"
#include "worker/host_link.hpp"

namespace mcph {

class WorkerLog final : public Log {
 public:
  explicit WorkerLog(const HostLink& host) : host_(host) {}

  void write(Level level, std::string_view event, Fields fields) override {
    // The last field is what there is to say; the host knows the others.
    const std::string_view text = fields.size() == 0 ? std::string_view() : std::prev(fields.end())->value;
    host_.send({.kind = Frame::Kind::noted, .number = static_cast<std::int32_t>(level), .text = text, .more = event});
  }

 private:
  const HostLink& host_;
};

}  // namespace mcph
