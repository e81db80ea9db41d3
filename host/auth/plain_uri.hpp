// What of a normalized URI (base/uri.hpp) rules can be compared with: whoever serves it may take several ways to write
// it for one. Free functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mcph {

// Whether nobody takes it for another one: neither its path nor its query has a part "." or "..", its path has no empty
// part, nothing hides in either, and where it is of the web or of files, it is told in one way which host it is of.
bool is_plain_uri(std::string_view uri);

// Without what whoever serves it may take for nothing: a query, a fragment, and slashes and spaces at the end.
std::string_view without_empty_end(std::string_view uri);

// All that whoever serves a plain one may take it for: also one of a file without its host, which some do not look at.
// Views into it and into `storage`.
std::vector<std::string_view> readings_of(std::string_view uri, std::string& storage);

}  // namespace mcph
