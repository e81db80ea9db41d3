// TOML (1.0) as JSON, and where each value stands in the text, so that what is wrong with one can be told with its
// line. Functions without state; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace mcph {

// Of a character in a text. Both begin with 1; columns are code points.
struct TextPosition {
  std::size_t line = 0;
  std::size_t column = 0;
};

struct TomlDocument {
  struct Place {
    TextPosition key;  // of an element of an array the element's own
    TextPosition value;
  };

  OrderedJson json = OrderedJson::object();  // keys are in the order of the alphabet
  std::map<std::string, Place> places = {};  // by JSON Pointer
};

// An error begins with line and column: "3:7: ...". Dates, times, and numbers that JSON does not have, are refused,
// because no setting is one.
Result<TomlDocument> read_toml(std::string_view text);

// The text of a TOML file that says the same. `json` is an object; members that are null are left out, because TOML has
// no such value.
std::string to_toml(const OrderedJson& json);

}  // namespace mcph
