// What a service says to systemd, and gets from it: sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3). The
// protocols are an environment variable and a datagram each, for which no library is needed.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "http/options.hpp"
#include "runtime/event_loops.hpp"
#include "runtime/loop_check.hpp"
#include "runtime/timers.hpp"

namespace mcph {

// The variables, as they were when the process began. Empty: there is none.
struct SystemdEnvironment {
  std::string notify_socket = {};
  std::string watchdog_microseconds = {};
  std::string watchdog_process = {};
  std::string listen_descriptors = {};
  std::string listen_process = {};

  // Takes them away, because they are for this process alone. While it has one thread.
  static SystemdEnvironment take();
};

// Says to systemd how the service is; to nobody where nobody asked. Any thread.
class SystemdNotifier {
 public:
  explicit SystemdNotifier(const SystemdEnvironment& environment);

  // These two are said once, and so they wait a second at most where systemd has not yet read what others have said.
  void ready() const { send("READY=1", std::chrono::seconds(1)); }
  // With the time that it may take at most, in which it is not ended.
  void stopping(std::chrono::seconds most) const;
  // One line for people. Waits for nothing: nobody needs it at once. False: it could not be sent now.
  bool status(std::string_view text) const { return send("STATUS=" + std::string(text), std::chrono::seconds(0)); }
  // Waits for nothing: it is said again soon.
  void alive() const { send("WATCHDOG=1", std::chrono::seconds(0)); }
  // In which `alive` must be said, or the service is ended; 0: it need not.
  std::chrono::microseconds watchdog_time() const { return watchdog_time_; }
  bool is_heard() const { return !socket_.empty(); }

 private:
  // Returns whether it was sent.
  bool send(std::string_view state, std::chrono::seconds patience) const;

  std::string socket_;
  std::chrono::microseconds watchdog_time_{0};
};

// Says that the service is alive for as long as its event loops answer within half the time that systemd gives. Owned
// by who owns the loops, which with the notifier outlive it.
class SystemdWatchdog {
 public:
  SystemdWatchdog(EventLoops& loops, const SystemdNotifier& notifier);

 private:
  void look();

  const SystemdNotifier& notifier_;
  LoopCheck check_;
  std::unique_ptr<Timers> timers_;  // null: nobody wants to know. Last, because its thread uses the others
};

// Says how the service is, in a line for `systemctl status`, a second after that has changed. Owned by who serves; the
// notifier outlives it. `text` is called on a thread of its own.
class SystemdStatus {
 public:
  SystemdStatus(const SystemdNotifier& notifier, std::function<std::string()> text);

 private:
  void look();

  const SystemdNotifier& notifier_;
  std::function<std::string()> text_;
  std::string said_;
  std::unique_ptr<Timers> timers_;  // null: nobody listens. Last, because its thread uses the others
};

// Sockets at which systemd listens in this service's stead.
struct InheritedSockets {
  std::vector<int> descriptors = {};
  std::vector<HttpAddress> addresses = {};  // of those of TCP
  std::filesystem::path unix_socket = {};   // of the last one that has a path, or, after "@", an abstract name
};
// They are not passed on to other programs. Fails where a descriptor is no such socket.
Result<InheritedSockets> take_sockets(const SystemdEnvironment& environment);

}  // namespace mcph
