// A text that matches a pattern, for the usual patterns: literal text, classes, groups, alternatives and counts. For
// what it does not know (look-ahead, back references) it gives a text that may not match: whoever asks checks it. A
// free function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace mcph {

std::string text_matching(std::string_view pattern);

}  // namespace mcph
