// How deep a JSON text is nested, before it is read: what reads it, copies it or writes it calls itself for each level.
// A free function; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace plugins {

// Whether arrays and objects lie in one another more than `levels` deep. Of what is no JSON, anything.
inline bool is_nested_deeper_than(int levels, std::string_view json) {
  int depth = 0;
  bool is_in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (is_in_text && json[i] == '\\') {
      ++i;
    } else if (json[i] == '"') {
      is_in_text = !is_in_text;
    } else if (!is_in_text && (json[i] == '{' || json[i] == '[')) {
      if (++depth > levels) return true;
    } else if (!is_in_text && (json[i] == '}' || json[i] == ']')) {
      --depth;
    }
  }
  return false;
}

}  // namespace plugins
