// The log of a host that checks a plugin: what it says is kept, to become findings, and not written. Owned by the
// command, and outlives the host; any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class RecordedLog final : public Log {
 public:
  struct Entry {
    std::string event;
    std::vector<std::pair<std::string, std::string>> fields;

    // Empty if it has no such field.
    std::string field(std::string_view name) const {
      const auto found = std::ranges::find(fields, name, &std::pair<std::string, std::string>::first);
      return found == fields.end() ? std::string() : found->second;
    }
  };

  void write(Level /*level*/, std::string_view event, Fields fields) override {
    Entry entry{std::string(event), {}};
    for (const auto& field : fields)
      entry.fields.emplace_back(field.name, field.value);
    const MutexLock lock(mutex_);
    if (entries_.size() < max_entries) entries_.push_back(std::move(entry));
  }
  bool writes(Level level) const override { return level >= Level::info; }

  // What has been said since the last time.
  std::vector<Entry> take() {
    const MutexLock lock(mutex_);
    return std::exchange(entries_, {});
  }

 private:
  static constexpr std::size_t max_entries = 10'000;  // of a plugin that says much, between two checks

  Mutex mutex_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_);
};

}  // namespace mcph
