#include "cli/program.hpp"

#include <variant>

#include "cli/commands.hpp"
#include "cli/options.hpp"

namespace mcph {

int run_program(int argc, char** argv) {
  return std::visit([](const auto& command) { return run(command); }, parse_command_line(argc, argv));
}

}  // namespace mcph
