// The lines of StderrLog for a process that is about to die of a signal: written by nothing but what is safe in a
// handler, without memory and without locks. Immutable; any thread.
#pragma once

#include <initializer_list>
#include <string_view>

#include "telemetry/stderr_log.hpp"

namespace mcph {

class LastWords {
 public:
  struct Field {
    std::string_view name;
    std::string_view value;
  };

  explicit LastWords(StderrLog::Format format) : format_(format) {}

  // At level error. A value is cut off after 1 KiB; there are six at most.
  void write(std::string_view event, std::initializer_list<Field> fields) const;

 private:
  const StderrLog::Format format_;
};

}  // namespace mcph
