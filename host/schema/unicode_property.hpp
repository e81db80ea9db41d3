// The names of Unicode properties in ECMA-262's \p{...}, in the words of PCRE2. A plain function without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mcph::schema {

// What stands in PCRE2's \p{...} for what stands in ECMA-262's: "Lu" for "Uppercase_Letter", "sc:Greek" for
// "Script=Greek". Nothing for what cannot be a property; a name that merely does not exist is left to PCRE2.
std::optional<std::string> pcre_property(std::string_view ecma);

}  // namespace mcph::schema
