#include "memory_store.hpp"

#include <mcp/host_rules.h>
#include <mcp/plugin/json.hpp>
#include <nlohmann/json.hpp>

#include "../host_text.hpp"

namespace mcp::testing::detail {
namespace {

using mcp::detail::answer_of_host;
using mcp::detail::borrowed;
using mcp::detail::MutexLock;
using mcp::detail::write;

constexpr std::size_t max_keys = 1000;
constexpr std::size_t max_bytes = std::size_t{1} << 20;

/// Empty: it can be kept.
std::string why_invalid(std::string_view key, std::string_view value = {}) {
  return answer_of_host([&](const mcp_sink* error) { mcp_host_rules_store(borrowed(key), borrowed(value), error); });
}

std::int32_t refuse(std::int32_t status, const mcp_sink* error, std::string_view why) {
  write(error, why);
  return status;
}

}  // namespace

std::int32_t MemoryStore::get(std::string_view key, const mcp_sink* value, std::uint64_t* revision,
                              const mcp_sink* error) {
  if (const auto why = why_invalid(key); !why.empty()) return refuse(MCP_STORE_INVALID, error, why);
  const MutexLock lock(mutex_);
  const auto found = entries_.find(key);
  const bool is_there = found != entries_.end();
  if (revision) *revision = is_there ? found->second.revision : 0;
  if (!is_there) return MCP_STORE_ABSENT;
  write(value, found->second.value);
  return MCP_STORE_DONE;
}

std::int32_t MemoryStore::put(std::string_view key, std::string_view value, std::uint64_t if_revision,
                              std::uint64_t* revision, const mcp_sink* error) {
  if (const auto why = why_invalid(key, value); !why.empty()) return refuse(MCP_STORE_INVALID, error, why);
  const MutexLock lock(mutex_);
  const auto found = entries_.find(key);
  const bool is_there = found != entries_.end();
  const std::uint64_t before = is_there ? found->second.revision : 0;
  if (revision) *revision = before;
  if (if_revision != MCP_STORE_ANY && if_revision != before) return MCP_STORE_CHANGED;
  if (!is_there && entries_.size() >= max_keys)
    return refuse(MCP_STORE_FULL, error, "there are 1000 keys, as many as limits.storeKeys allows");
  const std::size_t old_bytes = is_there ? key.size() + found->second.value.size() : 0;
  const std::size_t new_bytes = key.size() + value.size();
  if (new_bytes > old_bytes && bytes_ - old_bytes + new_bytes > max_bytes)
    return refuse(MCP_STORE_FULL, error,
                  "keys and values would have more than the bytes that limits.storeBytes allows");
  bytes_ += new_bytes - old_bytes;
  entries_.insert_or_assign(std::string(key), Entry{std::string(value), ++last_revision_});
  if (revision) *revision = last_revision_;
  return MCP_STORE_DONE;
}

std::int32_t MemoryStore::erase(std::string_view key, std::uint64_t if_revision, const mcp_sink* error) {
  if (const auto why = why_invalid(key); !why.empty()) return refuse(MCP_STORE_INVALID, error, why);
  const MutexLock lock(mutex_);
  const auto found = entries_.find(key);
  const std::uint64_t before = found == entries_.end() ? 0 : found->second.revision;
  if (if_revision != MCP_STORE_ANY && if_revision != before) return MCP_STORE_CHANGED;
  if (before == 0) return MCP_STORE_ABSENT;
  bytes_ -= key.size() + found->second.value.size();
  entries_.erase(found);
  ++last_revision_;
  return MCP_STORE_DONE;
}

std::int32_t MemoryStore::list(std::string_view prefix, const mcp_sink* keys, const mcp_sink* error) {
  if (const auto why = prefix.empty() ? std::string() : why_invalid(prefix); !why.empty())
    return refuse(MCP_STORE_INVALID, error, why);
  Json list = Json::array();
  const MutexLock lock(mutex_);
  for (const auto& [key, entry] : entries_) {
    if (std::string_view(key).starts_with(prefix)) list.push_back(key);
  }
  write(keys, list.dump());
  return MCP_STORE_DONE;
}

std::map<std::string, std::string> MemoryStore::all() const {
  std::map<std::string, std::string> values;
  const MutexLock lock(mutex_);
  for (const auto& [key, entry] : entries_)
    values.emplace(key, entry.value);
  return values;
}

}  // namespace mcp::testing::detail
