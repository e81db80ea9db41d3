// MemoryStore: the values that a plugin keeps with the host that a Harness plays. The host's own code decides what can
// be kept (mcp/host_rules.h), and there may be as much as a host allows where nobody says otherwise. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <mcp/store.h>

#include "../mutex.hpp"

namespace mcp::testing::detail {

class MemoryStore {
 public:
  std::int32_t get(std::string_view key, const mcp_sink* value, std::uint64_t* revision, const mcp_sink* error);
  std::int32_t put(std::string_view key, std::string_view value, std::uint64_t if_revision, std::uint64_t* revision,
                   const mcp_sink* error);
  std::int32_t erase(std::string_view key, std::uint64_t if_revision, const mcp_sink* error);
  std::int32_t list(std::string_view prefix, const mcp_sink* keys, const mcp_sink* error);

  std::map<std::string, std::string> all() const;

 private:
  struct Entry {
    std::string value;
    std::uint64_t revision;
  };

  mutable mcp::detail::Mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t last_revision_ GUARDED_BY(mutex_) = 0;
};

}  // namespace mcp::testing::detail
