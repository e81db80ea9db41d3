// The server about itself, as JSON: what mcp/server_info.h offers to plugins. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/mutex.hpp"
#include "catalog/catalog.hpp"
#include "protocol/server_identity.hpp"

namespace mcph {

// Bounds by name; the unit is part of the name.
using NamedLimits = std::map<std::string, std::uint64_t>;
// Whether something is switched on, by its name.
using NamedFeatures = std::map<std::string, bool>;

// The object that mcp_server_info.describe promises. Files are told relative to `root`.
std::string server_info_json(const ServerIdentity& identity, const Catalog& catalog, const std::filesystem::path& root,
                             const NamedLimits& limits, const NamedFeatures& features, std::chrono::seconds uptime);

// The text that was made last, for as long as it may be told: a plugin may ask all the time.
class KeptServerInfo {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // What it tells of calls changes without another catalog.
  static constexpr std::chrono::milliseconds max_age{100};

  // `make` gives what there is now, of the catalog of this generation.
  std::string text(std::uint64_t generation, Time now, const std::function<std::string()>& make);

 private:
  Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
  std::optional<std::uint64_t> generation_ GUARDED_BY(mutex_);  // that it is of; nothing: there is none yet
  Time made_ GUARDED_BY(mutex_);
};

}  // namespace mcph
