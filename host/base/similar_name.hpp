// What somebody meant who mistyped a name. Free functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mcph {

// The one of `names` that differs least from `name`: by two mistakes at most, or by one where `name` has four letters
// or fewer. A mistake is a letter that is added, dropped or exchanged, or two neighbours that have changed places. Of
// several the first; empty: there is none.
std::string similar_name(std::string_view name, const std::vector<std::string>& names);

}  // namespace mcph
