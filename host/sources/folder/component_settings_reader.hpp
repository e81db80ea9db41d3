// The members of NAME.json that say something of a plugin's components: "aliases" and "payment". A free function; any
// thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "catalog/component_settings.hpp"

namespace mcph {

// Takes them out of the object. An error continues the name of the file, and says which member and what to write.
Result<ComponentSettings> take_component_settings(nlohmann::json& object);

}  // namespace mcph
