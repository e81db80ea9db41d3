// What keeps a host from serving by a configuration that is right by itself. Free functions; any thread.
#pragma once

#include <string>

#include "config/config.hpp"

namespace mcph {

// Where it would serve people without knowing who they are, or in the clear.
Mistakes check_reachability(const Config& config);

// What is not refused, but worth a warning: credentials that others could read along. Empty: nothing.
std::string remark_on_clear_text(const Config& config);

// The same of roles that no client over HTTP can have, so that each sees nothing; those of stdio may be meant alone.
std::string remark_on_roles(const Config& config);

// Which of the files and programs that it names cannot be used. Reads them.
Mistakes check_files(const Config& config);

}  // namespace mcph
