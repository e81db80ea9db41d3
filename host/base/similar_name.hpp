// What somebody meant who mistyped a name. Free functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mcph {

// The one of `names` that differs least from `name`, by two letters at most that are added, dropped or exchanged; of
// several the first. Empty: there is none.
std::string similar_name(std::string_view name, const std::vector<std::string>& names);

}  // namespace mcph
