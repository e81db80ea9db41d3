#include "check/inspection.hpp"

namespace mcph {

std::span<const Check> argument_checks() {
  return {};
}

}  // namespace mcph
