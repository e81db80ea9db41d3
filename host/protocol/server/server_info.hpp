// The server about itself, as JSON: what mcp/server_info.h offers to plugins. Free functions; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

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

}  // namespace mcph
