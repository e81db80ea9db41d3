// What was refused to those who have no line of their own: how often, by source and minute, so that whoever sends
// nonsense fills no disk. Of so many sources a minute; what comes from others is counted together. Owned by the audit
// log, under whose lock it is used.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/event.hpp"

namespace mcph {

class RefusalSums {
 public:
  using Time = std::chrono::system_clock::time_point;

  static constexpr std::size_t max_sources = 1000;
  static constexpr std::size_t max_outcomes = 20;  // of one source
  // Sums that nobody has taken. With more, those that come are of more than a minute.
  static constexpr std::size_t max_closed = 10 * max_sources;

  // Who was refused what.
  struct Refused {
    std::string source;          // an address
    std::string principal = {};  // JSON; empty: nobody has proven anything
    std::string outcome;         // a status of HTTP or a code of JSON-RPC, with its word: "http 401", "error -32602"
  };
  void add(const Refused& refusal, Time now);

  // Those of minutes that are over; at the end all.
  std::vector<AuditEvent> take(Time now, bool is_end = false);
  // When there will be something to take. Nothing: not before something is added.
  std::optional<Time> due() const;

 private:
  using Who = std::pair<std::string, std::string>;  // source, principal
  struct Sum {
    std::uint64_t count = 0;
    std::map<std::string, std::uint64_t> outcomes;
  };

  void close_minute();

  Time minute_{};
  std::map<Who, Sum> sums_;         // of this minute
  std::vector<AuditEvent> closed_;  // of those before
};

}  // namespace mcph
