// What lies in the components folder: every plugin library below ROOT/{tools,resources,prompts}, with the state it is
// in. A scan looks at names and states only and opens no file; comparing it with the one before tells what was added,
// replaced and removed. Plain functions without state, callable from any thread; the control thread scans.
//
// A file is a plugin by its name: NAME.so, and so is a folder NAME.plugin, a bundle (plugin/library/bundle.hpp), whose
// files are no plugins of their own; NAME.json beside either is its configuration. NAME.mcp.json says of a server
// elsewhere what a plugin says of itself, and is taken like one; it has no configuration besides. Passed over are
// hidden names (.NAME), backups (NAME~) and NAME.tmp, folders included. Symbolic links are followed: a linked plugin
// has its target's identity. A folder that can be reached in several ways is scanned once, under its real path if that
// lies in the components folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_identity.hpp"

namespace mcph {

// NAME.json beside a plugin. There may be none; what is there and cannot be one is never taken for none.
struct ConfigurationState {
  std::optional<FileIdentity> identity = {};  // of the regular file that the name leads to
  std::string unusable = {};                  // why the name leads to none, although it is there; and what to do

  bool is_absent() const { return !identity && unusable.empty(); }
  bool operator==(const ConfigurationState&) const = default;
};

struct PluginFile {
  std::filesystem::path file;
  FileIdentity identity = {};
  ConfigurationState configuration = {};
  std::uint64_t passed_over = 0;  // BundleListing::passed_over: not part of the plugin, and not compared
  bool is_configured = false;     // an upstream of the configuration: there is no such file

  bool operator==(const PluginFile& other) const {
    return file == other.file && identity == other.identity && configuration == other.configuration;
  }
};

// What the name of a file ends with that is an upstream server's.
inline constexpr std::string_view upstream_ending = ".mcp.json";
bool is_upstream_name(const std::filesystem::path& file);

// The file NAME.json that configures NAME.so or NAME.plugin.
std::filesystem::path configuration_file(const std::filesystem::path& plugin_file);

// As a scan would find it, wherever it lies. What is neither a file nor a bundle has the identity of none.
PluginFile plugin_file_at(const std::filesystem::path& file);

// What has changed since a file was in the state `before`, of which there is none if it was not there.
std::string_view words_for_change(const std::optional<PluginFile>& before, const PluginFile& now);

// Something that a person expected to be served and that is not: a folder that cannot be read, a plugin that is a
// dangling link or no regular file, a plugin outside of the three folders or with a name like NAME.so.1, a limit that
// was reached.
struct ScanProblem {
  std::filesystem::path path;
  std::string reason;
  bool hides_content = false;  // plugins that were at or below the path before may still be there

  bool operator==(const ScanProblem&) const = default;
};

// What people may want to know of files that are served all the same.
using FileRemarks = std::map<std::filesystem::path, std::vector<std::string>>;

struct ScanResult {
  std::vector<PluginFile> plugins;    // sorted by path
  std::vector<ScanProblem> problems;  // sorted by path
  FileRemarks remarks;                // on plugins whose configuration seems to have a mistyped name

  // Where a change can show: the root, the three folders (even absent ones), all below them, and the folders in which
  // the targets of linked plugins and configurations lie. Sorted.
  std::vector<std::filesystem::path> folders;

  // True if a plugin that is missing here has not been shown to be gone, because a problem hides it.
  bool may_be_hidden(const std::filesystem::path& file) const;
};

struct ScanLimits {
  std::size_t entries = 10'000;  // files and folders looked at
  std::size_t depth = 16;        // folders below one of the three
};

// Never fails as a whole: what cannot be read is a problem, and the rest is found. An absent root or folder is empty.
ScanResult scan_components(const std::filesystem::path& root, const ScanLimits& limits = {});

}  // namespace mcph
