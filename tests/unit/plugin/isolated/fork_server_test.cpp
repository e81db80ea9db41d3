#include "plugin/isolated/fork_server.hpp"

#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "plugin/isolated/worker_frame.hpp"
#include "support/eventually.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

// A program in place of the worker's, with what it does as a script. Its socket to the host is descriptor 3.
class ForkServerTest : public ::testing::Test {
 protected:
  std::optional<int> fork_by(const std::string& script) {
    const auto program = folder_.write("worker", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    auto sockets = make_frame_sockets();
    FileDescriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    ForkServer server(program);
    return server.fork("plugin.so", {std::move(sockets->second), std::move(nowhere)});
  }
  // Whether the script has run. No process is had of it, however often it is tried.
  bool gives_none(const std::string& script) {
    const auto trace = folder_.path() / "ran";
    std::filesystem::remove(trace);
    return test::eventually([&] {
      EXPECT_EQ(fork_by(": > '" + trace.string() + "'; " + script), std::nullopt);
      return std::filesystem::exists(trace);
    });
  }

  test::TemporaryFolder folder_;
};

TEST_F(ForkServerTest, HasTheNumberThatItIsAnswered) {
  // A busy machine may take longer than a fork may, but not always.
  EXPECT_TRUE(test::eventually([&] { return fork_by("printf '\\001\\002\\000\\000' >&3; sleep 10") == 0x201; }));
}

TEST_F(ForkServerTest, TakesNothingElseForANumber) {
  EXPECT_TRUE(gives_none("printf '\\001\\002\\000\\000 and more' >&3; sleep 10"));
  EXPECT_TRUE(gives_none("printf '\\001' >&3; sleep 10"));
}

TEST_F(ForkServerTest, HasNoneWhereThereIsNoneOrNobodyAnswers) {
  EXPECT_TRUE(gives_none("printf '\\000\\000\\000\\000' >&3; sleep 10"));
  EXPECT_TRUE(gives_none("exit"));
}

}  // namespace
}  // namespace mcph
