// Names of their own for the libraries of a bundle that is loaded into the host's process. There the dynamic linker
// takes a library that is loaded already for every other one of the same name (DT_SONAME), wherever that lies: the
// second of two bundles would get the libraries of the first, and a new version of a bundle those of the old one. So in
// the private copy each gets a name that nobody else has, in its own file and where others in the bundle name it as
// needed; the names are as long as before and are written in their place. (A namespace of the linker for each plugin,
// dlmopen, would bring another C and C++ library with it, of which there can be 15, and exceptions and threads do not
// cross it.) In a worker, which has one plugin, nothing of it is needed. Plain functions without state, callable from
// any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "plugin/library/library_file.hpp"
#include "plugin/library/private_copy.hpp"

namespace mcph {

struct OwnName {
  std::string name;
  std::string before;
};

// Before anything of it is loaded. An error says why it can be loaded by a worker only.
Result<std::vector<OwnName>> give_own_names(const PrivateCopy& bundle);

// What is said of a library, in the words that people know.
std::string with_names_before(std::string text, const std::vector<OwnName>& names);

// What the libraries in the bundle besides the plugin say of themselves.
struct BundledLibrary {
  std::filesystem::path name;  // below the bundle
  LibraryFacts facts;
};
std::vector<BundledLibrary> libraries_in(const PrivateCopy& bundle);

}  // namespace mcph
