#include "app/systemd.hpp"

#include <chrono>
#include <cstring>
#include <stdlib.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/file_descriptor.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

// The other end of NOTIFY_SOCKET.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  }
  std::string next() const {
    char text[256];
    const auto size = ::recv(socket_.get(), text, sizeof text, MSG_DONTWAIT);
    return size < 0 ? "nothing" : std::string(text, static_cast<std::size_t>(size));
  }
  // Until it is full. How often that was.
  std::size_t fill(const SystemdNotifier& systemd) const {
    constexpr std::size_t more_than_it_holds = 4096;
    for (std::size_t i = 0; i < more_than_it_holds; ++i)
      systemd.alive();
    std::size_t count = 0;
    while (next() == "WATCHDOG=1")
      ++count;
    for (std::size_t i = 0; i < count; ++i)
      systemd.alive();
    return count;
  }

 private:
  FileDescriptor socket_;
};

TEST(SystemdNotifierTest, SaysHowTheServiceIs) {
  const test::TemporaryFolder folder;
  for (const auto& name : {(folder.path() / "notify").string(), "@mcp-test-" + std::to_string(::getpid())}) {
    const NotifySocket socket(name);
    const SystemdNotifier systemd({.notify_socket = name});
    systemd.ready();
    EXPECT_EQ(socket.next(), "READY=1");
    systemd.stopping(45s);
    EXPECT_EQ(socket.next(), "STOPPING=1\nEXTEND_TIMEOUT_USEC=45000000");
  }
}

TEST(SystemdNotifierTest, WaitsForRoomForWhatItSaysOnce) {
  const auto name = "@mcp-test-full-" + std::to_string(::getpid());
  const NotifySocket socket(name);
  const SystemdNotifier systemd({.notify_socket = name});
  // It does not wait for a reader that is held up for long.
  std::string last;
  for (int attempt = 0; attempt < 10 && last != "READY=1"; ++attempt) {
    const auto count = socket.fill(systemd);
    std::thread reader([&] {
      std::this_thread::sleep_for(50ms);
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(socket.next(), "WATCHDOG=1");
    });
    systemd.ready();
    reader.join();
    last = socket.next();
  }
  EXPECT_EQ(last, "READY=1");
}

TEST(SystemdNotifierTest, WaitsForRoomNoLongerThanASecondOrTwo) {
  const auto name = "@mcp-test-full-" + std::to_string(::getpid());
  const NotifySocket socket(name);
  const SystemdNotifier systemd({.notify_socket = name});
  socket.fill(systemd);
  const auto begin = std::chrono::steady_clock::now();
  systemd.stopping(45s);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  auto last = socket.next();
  while (last == "WATCHDOG=1")
    last = socket.next();
  EXPECT_EQ(last, "nothing");
}

TEST(SystemdNotifierTest, SaysNothingWhereNobodyAsked) {
  const SystemdNotifier systemd({});
  systemd.ready();
  EXPECT_EQ(systemd.watchdog_time(), 0us);
}

TEST(SystemdNotifierTest, KnowsInWhichTimeItMustBeAlive) {
  const auto time = [](const char* microseconds, const std::string& process) {
    return SystemdNotifier({.notify_socket = "@x", .watchdog_microseconds = microseconds, .watchdog_process = process})
        .watchdog_time();
  };
  EXPECT_EQ(time("30000000", std::to_string(::getpid())), 30s);
  EXPECT_EQ(time("30000000", ""), 30s);
  EXPECT_EQ(time("30000000", "1"), 0us);
  EXPECT_EQ(time("soon", ""), 0us);
}

TEST(SystemdEnvironmentTest, IsForThisProcessAlone) {
  ::setenv("NOTIFY_SOCKET", "@x", 1);
  ::setenv("LISTEN_FDS", "1", 1);
  const auto taken = SystemdEnvironment::take();
  EXPECT_EQ(taken.notify_socket, "@x");
  EXPECT_EQ(taken.listen_descriptors, "1");
  EXPECT_EQ(::getenv("NOTIFY_SOCKET"), nullptr);
  EXPECT_EQ(::getenv("LISTEN_FDS"), nullptr);
}

TEST(InheritedSocketsTest, AreNotThoseOfAnotherProcess) {
  EXPECT_TRUE(take_sockets({})->descriptors.empty());
  EXPECT_TRUE(take_sockets({.listen_descriptors = "1", .listen_process = "1"})->descriptors.empty());
}

}  // namespace
}  // namespace mcph
