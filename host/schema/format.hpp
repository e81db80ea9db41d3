// The values of `format` that can be checked (2020-12 validation, section 7.3). A plain function without state.
#pragma once

#include <string>
#include <string_view>

namespace mcph::schema {

// Takes time in proportion to the text, and little stack.
using FormatCheck = bool (*)(const std::string& text);

// Null for an unknown format; idn-hostname is one, because checking it takes the tables of IDNA.
FormatCheck find_format(std::string_view name);

}  // namespace mcph::schema
