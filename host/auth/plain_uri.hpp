// What of a normalized URI (base/uri.hpp) rules can be compared with: whoever serves it may take several ways to write
// it for one. Free functions; any thread.
#pragma once

#include <string_view>

namespace mcph {

// Whether nobody takes it for another one: neither its path nor its query has a part "." or "..", its path has no empty
// part, nothing hides in either, and where it is of the web or of files, it is told in one way which host it is of.
bool is_plain_uri(std::string_view uri);

// Without what whoever serves it may take for nothing: a query, a fragment, and slashes and spaces at the end.
std::string_view without_empty_end(std::string_view uri);

}  // namespace mcph
