// Names with wildcards. A pure function, whose time is at most proportional to the product of both lengths.
#pragma once

#include <string_view>

namespace plugins::files {

// `*` stands for any number of characters, "/" included, `?` for one. Everything else stands for itself.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace plugins::files
