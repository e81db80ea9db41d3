// Databases in a data directory, each of one folder: a version of the plugin with another folder, or another host, may
// be running. Whoever uses one holds the FileLock FILE.lock. Free functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace plugins {

// "DATA/KIND-HASH.db"
std::string database_of_folder(const std::string& data, std::string_view kind, const std::string& folder);

// Those of other folders that nobody uses.
void remove_other_databases(const std::string& data, std::string_view kind, const std::string& file);

}  // namespace plugins
