#include "check/inspection.hpp"

namespace mcph {

std::span<const Check> life_checks() {
  return {};
}

}  // namespace mcph
