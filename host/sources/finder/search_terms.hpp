// Words of a text in the form in which they are compared: in lower case, without their endings, and the parts of names
// such as create_issue and createIssue. For English; a word of another script is taken as it is. Free functions; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mcph {

// In their order, with those that occur twice. Words that say nothing, such as "the", are left out.
std::vector<std::string> search_terms(std::string_view text);

// A number for a word: of the words of all languages hardly two have the same.
std::uint32_t term_number(std::string_view term);

}  // namespace mcph
