#include "check/inspection.hpp"

namespace mcph {

std::span<const Check> growth_checks() {
  return {};
}

}  // namespace mcph
