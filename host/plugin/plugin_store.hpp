// The small values that a plugin keeps: what mcp/store.h promises, as one operation and one answer, which is also how
// they go from a worker to its host. Implemented where values are kept (stores/), and by a worker, which asks its host.
// All versions of a plugin share the values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mcph {

// The values are those of MCP_STORE_* in mcp/store.h.
enum class StoreStatus : std::int32_t { done = 0, absent = 1, changed = 2, invalid = 3, full = 4, failed = 5 };

inline constexpr std::uint64_t any_revision = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::size_t max_store_key = 256;
inline constexpr std::size_t max_store_value = 32'768;

struct StoreOperation {
  enum class Kind : std::int32_t { get, put, erase, list };

  Kind kind = Kind::get;
  std::string key;  // of a list the prefix
  std::string value = {};
  std::uint64_t if_revision = any_revision;
};

struct StoreAnswer {
  StoreStatus status = StoreStatus::done;
  std::string text = {};  // the value, the keys as a JSON array, or why it could not be
  std::uint64_t revision = 0;
};

// Of what can never be kept, or asked for, the answer.
std::optional<StoreAnswer> check(const StoreOperation& operation);

class PluginStore {
 public:
  virtual ~PluginStore() = default;

  // Waits for the disk, and for whoever else uses it: not on an event loop.
  virtual StoreAnswer perform(const StoreOperation& operation) = 0;
};

// What there may be of one plugin's.
struct StoreLimits {
  std::size_t keys = 1000;
  std::size_t bytes = std::size_t{1} << 20;  // of all keys and values
};

// Where values are kept.
class PluginStores {
 public:
  virtual ~PluginStores() = default;

  // Of the plugin whose file has this place below the components folder, for one version, whose limits are its own.
  virtual std::shared_ptr<PluginStore> open(const std::string& plugin, const StoreLimits& limits) = 0;
};

}  // namespace mcph
