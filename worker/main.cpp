// The program of a worker, which the host starts: usage: mcp-plugin-worker HOST_PID HOST_VERSION PLUGIN, with a socket
// to the host as descriptor 3. PLUGIN, the name of the plugin's file, is for people who list processes.
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/version.hpp"
#include "plugin/library/crash_report.hpp"
#include "worker/confinement.hpp"
#include "worker/worker.hpp"

namespace {

// The host's, which it could take over. Who has none in its session gets none by opening one.
void leave_terminal() {
  const int terminal = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return;
  ::ioctl(terminal, TIOCNOTTY);
  ::close(terminal);
}

// The first frame is waited for before any thread begins, because a sandbox holds for the threads that begin in it.
std::string first_frame(int socket) {
  mcph::FrameReader reader;
  for (;;) {
    pollfd readable{socket, POLLIN, 0};
    ::poll(&readable, 1, -1);
    const auto outcome = reader.receive_whole(socket);
    if (outcome == mcph::FrameReader::Outcome::none) continue;
    if (outcome == mcph::FrameReader::Outcome::frame && reader.frame().kind == mcph::Frame::Kind::load) {
      return std::string(reader.frame().text);
    }
    std::_Exit(mcph::lost_connection_status);
  }
}

int serve(int socket) {
  const auto refuse = [socket](const mcph::Error& error) {
    mcph::HostLink(socket).send(
        {.kind = mcph::Frame::Kind::failed, .number = error.may_pass ? 1 : 0, .text = error.message});
    return EXIT_FAILURE;
  };
  auto setup = mcph::WorkerSetup::read(first_frame(socket));
  if (setup.has_error()) return refuse(setup.error());
  auto lacks = mcph::confine(*setup);
  if (lacks.has_error()) return refuse(lacks.error());
  mcph::Worker worker(socket, *std::move(setup), *std::move(lacks));
  worker.run();
  // Threads of the plugin's and of ours may still run; nothing of them is needed.
  std::fflush(stdout);
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int host_socket = 3;
  int host = 0;
  if (argc != 4 || std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), host).ec != std::errc{}) {
    std::cerr << "mcp-plugin-worker is started by mcp-plugin-host and by nothing else\n";
    return EXIT_FAILURE;
  }
  if (std::string_view(argv[2]) != mcph::host_version) {
    std::cerr << "this is mcp-plugin-worker " << mcph::host_version << ", and the host is " << argv[2]
              << ": start the host again after an update\n";
    return EXIT_FAILURE;
  }
  // Asked after the wish, so that a host that died before it is seen.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != host) return EXIT_FAILURE;
  leave_terminal();
  std::signal(SIGPIPE, SIG_IGN);
  ::fcntl(host_socket, F_SETFD, FD_CLOEXEC);
  // What the plugin prints is to be in the log when it prints it, not when a block is full.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  mcph::report_crashes();
  try {
    return serve(host_socket);
  } catch (const std::exception& error) {
    std::cerr << "mcp-plugin-worker: " << error.what() << "\n";
    std::_Exit(EXIT_FAILURE);
  }
}
