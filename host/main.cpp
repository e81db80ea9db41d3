#include <csignal>
#include <exception>
#include <iostream>
#include <variant>

#include "cli/commands.hpp"
#include "cli/options.hpp"

int main(int argc, char** argv) {
  constexpr int cannot_run = 2;
  // Whoever started this may ignore it, and then nobody could learn how a worker has ended.
  std::signal(SIGCHLD, SIG_DFL);
  try {
    return std::visit([](const auto& command) { return mcph::run(command); }, mcph::parse_command_line(argc, argv));
  } catch (const std::exception& error) {
    // What nobody could do anything about: no threads, memory or descriptors are left.
    std::cerr << "mcp-plugin-host: " << error.what() << "\n";
    return cannot_run;
  }
}
