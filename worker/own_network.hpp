// A network of the process's own, in which there is nothing but its loopback.
#pragma once

#include "base/result.hpp"

namespace mcph {

// Before any other thread begins, and while the process still has the privileges that it was started with. An error
// says what the system does not permit.
Result<> enter_own_network();

}  // namespace mcph
