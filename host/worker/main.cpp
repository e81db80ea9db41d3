// The program of a worker, which the host starts: usage: mcp-plugin-worker HOST_PID, with a socket to the host as
// descriptor 3.
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <sys/prctl.h>
#include <unistd.h>

#include "worker/crash_report.hpp"
#include "worker/worker.hpp"

int main(int argc, char** argv) {
  constexpr int host_socket = 3;
  int host = 0;
  if (argc != 2 || std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), host).ec != std::errc{}) {
    std::cerr << "mcp-plugin-worker is started by mcp-plugin-host and by nothing else\n";
    return EXIT_FAILURE;
  }
  // Asked after the wish, so that a host that died before it is seen.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != host) return EXIT_FAILURE;
  std::signal(SIGPIPE, SIG_IGN);
  mcph::report_crashes();
  try {
    mcph::Worker worker(host_socket);
    worker.run();
    // Threads of the plugin's and of ours may still run; nothing of them is needed.
    std::_Exit(EXIT_SUCCESS);
  } catch (const std::exception& error) {
    std::cerr << "mcp-plugin-worker: " << error.what() << "\n";
    std::_Exit(EXIT_FAILURE);
  }
}
