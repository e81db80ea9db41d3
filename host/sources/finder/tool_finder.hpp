// The tool find_tools, which the host itself has where its configuration says so: a plugin without a library, so that
// it is listed, permitted, called and recorded as every other tool is. Made by who assembles the program. [any]
#pragma once

#include "catalog/catalog.hpp"
#include "runtime/executor.hpp"

namespace mcph {

// To be published as a source of its own. It searches on the executor, which outlives it.
ServedPlugin make_tool_finder(Executor& executor);

}  // namespace mcph
