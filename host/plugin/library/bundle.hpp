// A bundle: a folder NAME.plugin that is one plugin, its library with what that needs beside it, other libraries and
// data. Here is what lies in one: which files belong to it, in which state, and why it cannot be taken as it is. Looks
// at names and states only, as a scan of the components folder does, and opens nothing but plugin.json. Plain functions
// without state, callable from any thread.
//
// Passed over are hidden names, backups and temporary files, as everywhere in the components folder. A link counts as
// the file that it leads to, which must lie in the bundle, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_identity.hpp"
#include "base/result.hpp"
#include "plugin/library/library_file.hpp"

namespace mcph {

// Of a plugin's library.
inline constexpr std::string_view library_extension = ".so";

// By its name alone.
bool is_bundle_name(const std::filesystem::path& path);

// .NAME, NAME~ and NAME.tmp: what editors and programs that copy leave for a moment.
bool is_passed_over(std::string_view name);

struct BundleLimits {
  std::size_t entries = 1000;              // files and folders
  std::size_t depth = 8;                   // folders in each other
  std::uint64_t bytes = max_library_size;  // of all files together
};

struct BundleFile {
  std::filesystem::path name;  // below the bundle
  FileIdentity identity;
};

struct BundleListing {
  FileIdentity identity;          // of all that belongs to it
  std::uint64_t passed_over = 0;  // a hash of the state of what does not, which shows that somebody is copying
  std::size_t entries = 0;        // looked at
  std::vector<BundleFile> files;  // sorted by the bytes of their names
  std::vector<std::filesystem::path> folders;  // its own first; where a change can show
  std::optional<Error> refusal;  // why it cannot be taken, and what to do; the rest is what was seen until then
};

// The folder is there, or a link to it.
BundleListing list_bundle(const std::filesystem::path& folder, const BundleLimits& limits = {});

// What is to be loaded of a bundle, and what its author should know.
struct BundleLibrary {
  std::filesystem::path file;  // below the bundle
  std::vector<std::string> remarks = {};
};

// NAME.so, or what plugin.json in it says: {"library": "lib/other.so"}. It must not change meanwhile: give the private
// copy, and the NAME that people gave it.
Result<BundleLibrary> library_of_bundle(const std::filesystem::path& folder, const std::string& name);

}  // namespace mcph
