// What an author has probably forgotten to say of a component, in words for a person. Nothing of it keeps a plugin from
// being served. A plain function without state.
#pragma once

#include <string>
#include <vector>

#include "catalog/components.hpp"

namespace mcph {

// Components without a description, icons whose source is no URI, and tools that name an app (MCP Apps'
// _meta.ui.resourceUri) for which the plugin has neither a resource nor a resource template. Another plugin may have
// it, or this one may add it while it runs.
std::vector<std::string> component_remarks(const Components& components);

}  // namespace mcph
