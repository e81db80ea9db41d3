// What those who start, stop and balance servers ask them: whether the process is alive, and whether it should get
// requests. Nobody has to prove who he is to ask, nothing is logged of it, and the answers say nothing of what is
// served. Any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/router.hpp"

namespace mcph {

struct Readiness {
  std::string_view why_not = {};           // "starting", say; empty: it is ready
  std::vector<std::string> degraded = {};  // what fails although it is ready, in words; not for strangers
};

// /livez, 200 whenever anything is answered at all, and /readyz, 200 or 503. The function is called for each request of
// the latter, and is quick.
std::vector<HttpResource> health_resources(std::function<Readiness()> readiness);

}  // namespace mcph
