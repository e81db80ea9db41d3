#include "plugin/isolated/fork_server.hpp"

#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "plugin/isolated/worker_frame.hpp"
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

  test::TemporaryFolder folder_;
};

TEST_F(ForkServerTest, HasTheNumberThatItIsAnswered) {
  EXPECT_EQ(fork_by("printf '\\001\\002\\000\\000' >&3; sleep 10"), 0x201);
}

TEST_F(ForkServerTest, TakesNothingElseForANumber) {
  EXPECT_EQ(fork_by("printf '\\001\\002\\000\\000 and more' >&3; sleep 10"), std::nullopt);
  EXPECT_EQ(fork_by("printf '\\001' >&3; sleep 10"), std::nullopt);
}

TEST_F(ForkServerTest, HasNoneWhereThereIsNoneOrNobodyAnswers) {
  EXPECT_EQ(fork_by("printf '\\000\\000\\000\\000' >&3; sleep 10"), std::nullopt);
  EXPECT_EQ(fork_by("exit"), std::nullopt);
}

}  // namespace
}  // namespace mcph
