// ECMA-262 regular expressions, the kind that JSON Schema's pattern is written in, in the words of PCRE2. A plain
// function without state.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace mcph::schema {

// The same expression for PCRE2 in UTF mode without further options but PCRE2_MATCH_UNSET_BACKREF. Read as with the
// flag `u`, except that brackets and braces which begin nothing stand for themselves, as do escaped punctuation marks:
// many schemas rely on it. What PCRE2 has and ECMA-262 has not (possessive quantifiers, inline options, verbs, \A) is
// refused. The error says what is wrong and at which byte.
Result<std::string> to_pcre(std::string_view ecma);

}  // namespace mcph::schema
