#include "cli/program.hpp"

#include <cerrno>
#include <variant>

#include "base/regular_file.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "cli/options.hpp"
#include "cli/own_output.hpp"

namespace mcph {

int run_program(int argc, char** argv) {
  const int status = std::visit([](const auto& command) { return run(command); }, parse_command_line(argc, argv));
  const int error = write_printed();
  // Who has closed the pipe, as head does, has seen enough.
  if (error == 0 || error == EPIPE) return status;
  return complain("the output cannot be written: " + error_words(error));
}

}  // namespace mcph
