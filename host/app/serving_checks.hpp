// What keeps a host from serving by a configuration that is right by itself. Free functions; any thread.
#pragma once

#include "config/config.hpp"

namespace mcph {

// Whom it would serve without knowing who they are.
Mistakes check_reachability(const Config& config);

// Which of the files that it names cannot be used. Reads them.
Mistakes check_files(const Config& config);

}  // namespace mcph
