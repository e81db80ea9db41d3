// URI references as the identifiers of schemas are built from (RFC 3986). Plain functions without state; nothing is
// ever fetched.
#pragma once

#include <string>
#include <string_view>

namespace mcph::schema {

struct SplitUri {
  std::string_view uri;       // all before the "#"
  std::string_view fragment;  // all after it
};
SplitUri split_fragment(std::string_view uri);

// RFC 3986 section 5.2. `base` has no fragment and may be empty, the result has the reference's.
std::string resolve_uri(std::string_view base, std::string_view reference);

}  // namespace mcph::schema
