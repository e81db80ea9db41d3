// A real socket, with a client at the other end that keeps to nothing.
#include "admin/control_server.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admin/control_sockets.hpp"
#include "support/eventually.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

class ControlServerTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<ControlServer>> listen() {
    return ControlServer::listen(
        path_, [](std::string_view request, ControlServer::Asker&) { return "heard " + std::string(request); });
  }
  LineSocket connect() const { return LineSocket::connect(path_).value(); }
  // "closed" where the other side has closed.
  static std::string read(LineSocket& socket) {
    const auto line = socket.read_line(1 << 20, test::patience);
    return line.has_error() ? line.error().message : line->value_or("closed");
  }
  std::string ask(const std::string& request) const {
    auto socket = connect();
    EXPECT_TRUE(socket.write_line(request, test::patience).has_value());
    return read(socket);
  }
  // A socket that nobody listens at, as a host leaves it that is killed.
  static void leave_socket(const fs::path& path) {
    const auto socket = listen_at(path);
    ASSERT_TRUE(socket.has_value());
  }

  const test::TemporaryFolder temporary_;
  const fs::path path_ = temporary_.path() / "host.sock";
};

TEST_F(ControlServerTest, AnswersEachLine) {
  const auto server = listen();
  ASSERT_TRUE(server.has_value());
  auto socket = connect();
  for (const auto* request : {"one", "", "two"}) {
    ASSERT_TRUE(socket.write_line(request, test::patience).has_value());
    EXPECT_EQ(read(socket), "heard " + std::string(request));
  }
}

TEST_F(ControlServerTest, OnlyItsUserMayReachIt) {
  const auto server = listen();
  struct ::stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(ControlServerTest, RefusesALineThatIsTooLong) {
  const auto server = listen();
  EXPECT_EQ(ask(std::string(ControlServer::max_request_bytes, 'x')).size(),
            ControlServer::max_request_bytes + std::string_view("heard ").size());
  EXPECT_EQ(ask(std::string(ControlServer::max_request_bytes + 1, 'x')),
            R"({"error":"a line of more than 65536 bytes"})");
}

TEST_F(ControlServerTest, ClosesTheConnectionOfSuchALineAtOnce) {
  const auto server = listen();
  auto socket = connect();
  ASSERT_TRUE(socket.write_line(std::string(ControlServer::max_request_bytes + 1, 'x'), test::patience).has_value());
  EXPECT_EQ(read(socket), R"({"error":"a line of more than 65536 bytes"})");
  EXPECT_EQ(read(socket), "closed");
}

TEST_F(ControlServerTest, AConnectionThatAsksNothingMakesRoomForANewOne) {
  const auto server = listen();
  std::vector<LineSocket> silent;
  for (std::size_t each = 0; each < ControlServer::max_connections; ++each)
    silent.push_back(connect());
  EXPECT_EQ(ask("one more"), "heard one more");
  EXPECT_EQ(read(silent.front()), "closed");
  ASSERT_TRUE(silent.back().write_line("the newest", test::patience).has_value());
  EXPECT_EQ(read(silent.back()), "heard the newest");
}

TEST_F(ControlServerTest, ServesTheOperatorBesideOthersThatHoldTheirConnectionsAndRenewThem) {
  const auto server = listen();
  std::atomic<bool> over{false};
  std::vector<std::thread> holders;
  for (int holder = 0; holder < 8; ++holder) {
    holders.emplace_back([&] {
      std::deque<LineSocket> held;
      while (!over) {
        if (held.size() >= ControlServer::max_connections / 8) {
          read(held.front());  // until it has had to make room
          held.pop_front();
        }
        held.push_back(connect());
      }
    });
  }
  for (int asked = 0; asked < 10; ++asked)
    EXPECT_EQ(ask("status"), "heard status");
  over = true;
  // Those who still wait for room to be made are given something to make it for.
  std::vector<LineSocket> more;
  for (std::size_t each = 0; each < ControlServer::max_connections; ++each)
    more.push_back(connect());
  for (auto& holder : holders)
    holder.join();
}

TEST_F(ControlServerTest, OneThatDoesNotReadItsAnswerMakesRoomToo) {
  const std::string large(std::size_t{8} << 20, 'x');
  const auto server = ControlServer::listen(path_, [&](std::string_view request, ControlServer::Asker&) {
    return request == "large" ? large : "heard " + std::string(request);
  });
  std::vector<LineSocket> deaf;
  for (std::size_t each = 0; each < ControlServer::max_connections; ++each) {
    deaf.push_back(connect());
    ASSERT_TRUE(deaf.back().write_line("large", test::patience).has_value());
  }
  EXPECT_EQ(ask("one more"), "heard one more");
}

TEST_F(ControlServerTest, ANewConnectionWaitsWhereEachIsBeingAnswered) {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t asked = 0;
  bool released = false;
  const auto server = ControlServer::listen(path_, [&](std::string_view request, ControlServer::Asker&) {
    std::unique_lock lock(mutex);
    ++asked;
    changed.notify_all();
    changed.wait(lock, [&] { return released; });
    return "heard " + std::string(request);
  });
  std::vector<LineSocket> slow;
  for (std::size_t each = 0; each < ControlServer::max_connections; ++each) {
    slow.push_back(connect());
    EXPECT_TRUE(slow.back().write_line("slow", test::patience).has_value());
  }
  auto one_more = connect();
  EXPECT_TRUE(one_more.write_line("one more", test::patience).has_value());
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, test::patience, [&] { return asked == ControlServer::max_connections; }));
    released = true;
    changed.notify_all();
  }
  EXPECT_EQ(read(one_more), "heard one more");
  for (auto& each : slow)
    EXPECT_EQ(read(each), "heard slow");
}

TEST_F(ControlServerTest, EndsWhileOthersAreConnectedAndTakesTheSocketAway) {
  auto server = listen();
  auto silent = connect();
  auto half = connect();
  ASSERT_EQ(ask("anybody there"), "heard anybody there");
  server->reset();
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_THAT(read(silent), HasSubstr("the host is stopping"));
}

TEST_F(ControlServerTest, SaysWhatAnAnswerThrew) {
  const auto server = ControlServer::listen(
      path_, [](std::string_view, ControlServer::Asker&) -> std::string { throw std::runtime_error("no memory"); });
  EXPECT_EQ(ask("anything"), R"({"error":"no memory"})");
}

TEST_F(ControlServerTest, TakesThePlaceOfADeadHost) {
  leave_socket(path_);
  ASSERT_TRUE(fs::exists(path_));
  EXPECT_TRUE(is_stale_socket(path_));
  const auto server = listen();
  ASSERT_TRUE(server.has_value());
  EXPECT_EQ(ask("you"), "heard you");
}

TEST_F(ControlServerTest, LeavesAloneWhatIsNotItsOwn) {
  const auto server = listen();
  EXPECT_EQ(listen().error().message, "another host listens at " + path_.string());
  EXPECT_EQ(ask("you"), "heard you");
  const auto file = temporary_.write("file", "mine");
  EXPECT_EQ(ControlServer::listen(file, {}).error().message, file.string() + " is there already, and no socket");
  EXPECT_TRUE(fs::is_regular_file(file));
}

TEST_F(ControlServerTest, LeavesWhatLiesBesideItsSocketAlone) {
  const auto backup = temporary_.write("host.sock~", "mine");
  const auto server = listen();
  ASSERT_TRUE(server.has_value());
  EXPECT_EQ(ask("you"), "heard you");
  EXPECT_TRUE(fs::is_regular_file(backup));
  const auto entries = std::distance(fs::directory_iterator(temporary_.path()), fs::directory_iterator());
  EXPECT_EQ(entries, 2) << "it leaves nothing else behind";
}

TEST_F(ControlServerTest, TakesAwayNoSocketButItsOwn) {
  auto server = listen();
  fs::remove(path_);
  const auto next =
      ControlServer::listen(path_, [](std::string_view, ControlServer::Asker&) { return "the next one"; });
  ASSERT_TRUE(next.has_value());
  server->reset();
  EXPECT_EQ(ask("who is there"), "the next one");
}

TEST_F(ControlServerTest, SaysWhyItCannotListen) {
  const auto absent = temporary_.path() / "absent" / "host.sock";
  EXPECT_EQ(ControlServer::listen(absent, {}).error().message,
            "cannot listen at " + absent.string() + ": No such file or directory");
  EXPECT_THAT(ControlServer::listen(temporary_.path() / std::string(200, 'x'), {}).error().message,
              HasSubstr("is too long for a socket, which may have 107 bytes"));
}

TEST_F(ControlServerTest, HostsAreFoundAndWhatDeadOnesLeftIsRemoved) {
  const auto folder = temporary_.path() / "state" / "hosts";
  const auto own = own_control_socket({folder});
  ASSERT_TRUE(own.has_value());
  EXPECT_THAT(control_sockets({folder}), IsEmpty());
  const auto server = ControlServer::listen(*own, [](std::string_view, ControlServer::Asker&) { return ""; });
  const auto dead = folder / "1.sock";
  leave_socket(dead);
  EXPECT_THAT(control_sockets({temporary_.path() / "absent", folder}), ElementsAre(*own));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(*own));
}

TEST_F(ControlServerTest, AFolderThatOthersMayEnterIsPassedOver) {
  const auto open = temporary_.path() / "open";
  fs::create_directory(open);
  fs::permissions(open, fs::perms::owner_all | fs::perms::group_exec);
  const auto link = temporary_.path() / "link";
  const auto closed = temporary_.path() / "closed";
  fs::create_directory_symlink(closed, link);
  const auto socket = own_control_socket({open, closed});
  ASSERT_TRUE(socket.has_value());
  EXPECT_EQ(socket->parent_path(), closed);
  EXPECT_EQ(own_control_socket({open, link}).error().message,
            "there is no folder for it; " + open.string() + ": it is not this user's alone (mode 0700); " +
                link.string() + ": it is not this user's alone (mode 0700)");
}

}  // namespace
}  // namespace mcph
