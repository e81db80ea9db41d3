// What a form cannot know of a configuration: what the files say that it names, and whether its settings fit together.
// Free functions; any thread.
#pragma once

#include "config/config.hpp"

namespace mcph {

// Adds what is known by the other settings, and the mistakes.
void settle(Config& config, Mistakes& mistakes);

}  // namespace mcph
