// The program of a worker, which the host starts: usage: mcp-plugin-worker HOST_PID HOST_VERSION PLUGIN, with a socket
// to the host as descriptor 3. PLUGIN, the name of the plugin's file, is for people who list processes. It becomes
// another program where the host says so, whose standard input and output are the descriptors 4 and 5. Where PLUGIN
// begins with "fork-server" and is no file's name, it becomes workers (plugin/isolated/fork_server.hpp).
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <optional>
#include <poll.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/version.hpp"
#include "plugin/isolated/fork_server.hpp"
#include "plugin/library/crash_report.hpp"
#include "worker/confinement.hpp"
#include "worker/fork_server.hpp"
#include "worker/program.hpp"
#include "worker/worker.hpp"

namespace {

// The host's, which it could take over. Who has none in its session gets none by opening one.
void leave_terminal() {
  const int terminal = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return;
  ::ioctl(terminal, TIOCNOTTY);
  ::close(terminal);
}

constexpr int host_socket = 3;

// On the socket, which the plugin does not print to. The host may be behind, and is waited for within a second in all:
// what does not go out by then is left out, because the process is to die of its own signal.
void tell_host(mcph::CrashNews news, std::string_view text) {
  constexpr int wait_ms = 20;
  static int waits_left = 50;
  const auto send = [](const auto& message) {
    while (mcph::send_frame(host_socket, mcph::to_host::frame_of(message), false) == mcph::Sent::no_room) {
      if (waits_left-- <= 0) return;
      pollfd writable{host_socket, POLLOUT, 0};
      ::poll(&writable, 1, wait_ms);
    }
  };
  switch (news) {
    case mcph::CrashNews::crashed:
      return send(mcph::to_host::Crashed{text});
    case mcph::CrashNews::place_follows:
      return send(mcph::to_host::PlaceFollows{});
    case mcph::CrashNews::stack_line:
      return send(mcph::to_host::StackLine{text});
    case mcph::CrashNews::lacks_memory:
      return send(mcph::to_host::LacksMemory{});
  }
}

struct Load {
  mcph::QueryId query;
  std::string setup;
};

// From here on what is said goes through the memory that the host shares.
void share(mcph::HostConnection& host) {
  using Direction = mcph::SharedRings::Direction;
  const auto rings = mcph::SharedRings::map(host.reader.take_rings());
  if (rings == nullptr) std::_Exit(mcph::out_of_memory_status);
  host.reader.use(mcph::RingReader(rings, Direction::to_worker));
  host.writer.use(mcph::RingWriter(rings, Direction::to_host));
  host.writer.use(mcph::LongTextWriter(rings));
}

// The first message is waited for before any thread begins, because a sandbox holds for the threads that begin in it.
Load first_message(mcph::HostConnection& host) {
  for (;;) {
    const auto outcome = host.reader.receive_whole(host_socket);
    if (outcome == mcph::FrameReader::Outcome::none) {
      pollfd readable{host_socket, POLLIN, 0};
      if (host.reader.prepare_to_sleep()) ::poll(&readable, 1, -1);
      continue;
    }
    if (outcome != mcph::FrameReader::Outcome::frame) std::_Exit(mcph::lost_connection_status);
    if (host.reader.frame().kind == mcph::Frame::Kind::rings) {
      share(host);
      continue;
    }
    const auto message = mcph::to_worker::read(host.reader.frame());
    if (!message || !std::holds_alternative<mcph::to_worker::Load>(*message)) std::_Exit(mcph::lost_connection_status);
    const auto& load = std::get<mcph::to_worker::Load>(*message);
    return {load.query, std::string(load.setup)};
  }
}

[[noreturn]] void give_up(const std::exception& error) {
  std::cerr << "mcp-plugin-worker: " << error.what() << "\n";
  std::_Exit(EXIT_FAILURE);
}

// Threads of the plugin's and of ours may still run at its end; nothing of them is needed.
[[noreturn]] void run(mcph::Worker& worker) {
  try {
    worker.run();
  } catch (const std::exception& error) {
    give_up(error);
  }
  std::fflush(stdout);
  std::_Exit(EXIT_SUCCESS);
}

int serve() {
  mcph::HostConnection host{.socket = host_socket, .reader = {}, .writer = mcph::FrameWriter(host_socket)};
  const auto load = first_message(host);
  std::optional<mcph::HostLink> link;  // of who needs no worker
  const auto say = [&](const auto& message) {
    if (!link) link.emplace(std::move(host.writer));
    link->send(message);
  };
  const auto refuse = [&](const mcph::Error& error) {
    say(mcph::to_host::Failed{load.query, error.may_pass(), error.message});
    return EXIT_SUCCESS;  // it has said all
  };
  auto setup = mcph::WorkerSetup::read(load.setup);
  if (setup.has_error()) return refuse(setup.error());
  auto lacks = mcph::confine(*setup);
  if (lacks.has_error()) return refuse(lacks.error());
  if (!setup->program.command.empty()) {
    say(mcph::to_host::Ready{load.query, {}, mcph::WorkerIdentity{"program", "1", {}, *std::move(lacks)}.json()});
    return refuse(mcph::become_program(*setup));
  }
  mcph::Worker worker(std::move(host), load.query, *std::move(setup), *std::move(lacks));
  run(worker);
}

// Which ends with the host, or was too late for that.
void belong_to(int host) {
  // Asked after the wish, so that a host that died before it is seen.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != host) std::_Exit(EXIT_FAILURE);
  ::fcntl(host_socket, F_SETFD, FD_CLOEXEC);
}

// Whether this has been a fork server, and is one of its workers now.
bool was_fork_server(std::span<char> plugin) {
  const std::string_view name(plugin.data(), plugin.size());
  if (name.size() != mcph::max_plugin_name_bytes || !name.starts_with(mcph::fork_server_name) || !name.ends_with(' '))
    return false;
  mcph::fork_workers(host_socket, plugin);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
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
  belong_to(host);
  leave_terminal();
  std::signal(SIGPIPE, SIG_IGN);
  // What the plugin prints is to be in the log when it prints it, not when a block is full.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  // Once for all workers that are forked.
  mcph::prepare_crash_reports();
  if (was_fork_server({argv[3], std::strlen(argv[3])})) belong_to(host);
  mcph::report_crashes(tell_host);
  try {
    return serve();
  } catch (const std::exception& error) {
    give_up(error);
  }
}
