// JSON Pointers (RFC 6901), which say where in a document a value is.
#pragma once

#include <string>
#include <string_view>

#include "base/json_document.hpp"

namespace mcph {

// To the member of that key, or to the element of that index, in what `pointer` leads to.
std::string append_to_pointer(std::string pointer, std::string_view key);

// The key or the index that is the last step of `pointer`; empty if it has none.
std::string last_of_pointer(std::string_view pointer);

// What `pointer` leads to; no value where it leads nowhere. An empty one leads to the value itself.
JsonValue value_at(JsonValue value, std::string_view pointer);

}  // namespace mcph
