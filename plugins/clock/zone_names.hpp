// Names of the time zone database: which are well-formed, and which are meant by one that is not there. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plugins::clock {

// Words of letters, digits, "_", "+" and "-" with "/" between them: never a path that leaves a folder.
bool is_zone_name(std::string_view text);

// At most five of `names`, the likeliest first: "berlin" and "Europe/Brelin" mean Europe/Berlin.
std::vector<std::string> similar_names(std::string_view meant, const std::vector<std::string>& names);

}  // namespace plugins::clock
