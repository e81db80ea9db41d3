#include <variant>

#include "cli/commands.hpp"
#include "cli/options.hpp"

int main(int argc, char** argv) {
  return std::visit([](const auto& command) { return mcph::run(command); }, mcph::parse_command_line(argc, argv));
}
