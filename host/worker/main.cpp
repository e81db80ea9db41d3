// The program of a worker, which the host starts: usage: mcp-plugin-worker HOST_PID HOST_VERSION, with a socket to the
// host as descriptor 3.
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>

#include "version.hpp"
#include "worker/crash_report.hpp"
#include "worker/worker.hpp"

int main(int argc, char** argv) {
  constexpr int host_socket = 3;
  int host = 0;
  if (argc != 3 || std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), host).ec != std::errc{}) {
    std::cerr << "mcp-plugin-worker is started by mcp-plugin-host and by nothing else\n";
    return EXIT_FAILURE;
  }
  if (std::string_view(argv[2]) != mcph::version) {
    std::cerr << "this is mcp-plugin-worker " << mcph::version << ", and the host is " << argv[2]
              << ": start the host again after an update\n";
    return EXIT_FAILURE;
  }
  // Asked after the wish, so that a host that died before it is seen.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != host) return EXIT_FAILURE;
  std::signal(SIGPIPE, SIG_IGN);
  ::fcntl(host_socket, F_SETFD, FD_CLOEXEC);
  // What the plugin prints is to be in the log when it prints it, not when a block is full.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  mcph::report_crashes();
  try {
    mcph::Worker worker(host_socket);
    worker.run();
    // Threads of the plugin's and of ours may still run; nothing of them is needed.
    std::fflush(stdout);
    std::_Exit(EXIT_SUCCESS);
  } catch (const std::exception& error) {
    std::cerr << "mcp-plugin-worker: " << error.what() << "\n";
    std::_Exit(EXIT_FAILURE);
  }
}
