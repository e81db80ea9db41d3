// What an operator says of the audit log. Values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace mcph {

// What a line says of a call's arguments.
enum class AuditedArguments {
  off,       // nothing
  hash,      // their SHA-256, by which two calls can be compared
  redacted,  // the names of their members, and of what type each value is
  full       // all of them, or the SHA-256 of long ones
};

// By patterns of components, "tool:deploy*", "prompt:*" or "*", where * stands for any characters.
using AuditedArgumentRules = std::map<std::string, AuditedArguments>;

struct AuditOptions {
  enum class Mode {
    strict,  // an answer leaves when its line is on the disk
    async    // when its line waits to be written; where too many wait, when it is written
  };

  std::filesystem::path file;  // empty: there is no audit log
  Mode mode = Mode::strict;
  std::filesystem::path key;  // that signs checkpoints; empty: there are none
  std::uint64_t rotate_bytes = std::uint64_t{256} << 20;
  std::chrono::seconds rotate_time{0};  // 0: whatever its age
  unsigned keep = 0;                    // files besides the one that is being written; 0: all
  AuditedArgumentRules arguments;

  // Lines that may wait in mode async, and their bytes; of those that nobody waits for twice as many, in both modes.
  std::size_t max_waiting = 10'000;
  std::size_t max_waiting_bytes = std::size_t{16} << 20;
  // From the first line that no checkpoint covers to the next one, and between two syncs in mode async.
  std::chrono::milliseconds checkpoint_time{1000};
};

}  // namespace mcph
