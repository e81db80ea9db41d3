// Makes a plugin project.
#include "cli/commands.hpp"

namespace mcph {
int run(const NewCommand&) {
  return 2;
}
}  // namespace mcph
