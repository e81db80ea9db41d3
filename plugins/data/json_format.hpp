// JSON that people can read. Numbers stay as they are written, and so does what a name that stands twice means. A pure
// function.
#pragma once

#include <string>
#include <string_view>

namespace plugins::data {

// `indent` is spaces a level; with 0 everything is in one line. Throws std::invalid_argument that says where it is no
// JSON, that it is nested too deeply or has too many values, or that the indent makes too much of it.
std::string format_json(std::string_view json, int indent, bool sort_keys);

}  // namespace plugins::data
