#include "worker/program.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <utility>

#include "plugin/isolated/worker_process.hpp"
#include "worker/resource_limit.hpp"

namespace mcph {
namespace {

// Where temporary files go the sandbox has set, or else the host's own environment, unless it is among them.
void replace_environment(const std::vector<std::string>& variables) {
  const char* const temporary = std::getenv("TMPDIR");
  const std::string kept = temporary == nullptr ? "" : temporary;
  ::clearenv();
  for (const auto& variable : variables) {
    const auto equals = variable.find('=');
    if (equals == std::string::npos) continue;
    ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  }
  if (!kept.empty()) ::setenv("TMPDIR", kept.c_str(), 0);
}

}  // namespace

Error become_program(const WorkerSetup& setup) {
  const auto& command = setup.program.command;
  const auto error = [&command](const char* what) {
    return fail("the program " + command.front() + what + std::strerror(errno));
  };
  keep_to(setup.limits);
  if (::dup2(WorkerProcess::program_input_number, STDIN_FILENO) < 0 ||
      ::dup2(WorkerProcess::program_output_number, STDOUT_FILENO) < 0) {
    return error(" cannot be given its input and output: ");
  }
  ::close(WorkerProcess::program_input_number);
  ::close(WorkerProcess::program_output_number);
  if (!setup.program.folder.empty() && ::chdir(setup.program.folder.c_str()) != 0)
    return error(" cannot be run in its folder: ");
  replace_environment(setup.program.environment);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
  std::vector<char*> arguments;
  auto copies = command;
  arguments.reserve(copies.size() + 1);
  for (auto& each : copies)
    arguments.push_back(each.data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  return error(" cannot be started: ");
}

}  // namespace mcph
