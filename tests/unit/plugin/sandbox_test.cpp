#include "plugin/sandbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/isolated/worker_setup.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SandboxTest, IsLeftOutInPartUnlessAllOfItIsRequired) {
  const std::vector<std::string> lacks{"no filter", "no network"};
  EXPECT_TRUE(accept_lacks({.profile = SandboxProfile::strict}, lacks));
  EXPECT_TRUE(accept_lacks({.profile = SandboxProfile::strict, .required = true}, {}));
  const auto refused = accept_lacks({.profile = SandboxProfile::strict, .required = true}, lacks);
  ASSERT_TRUE(refused.has_error());
  EXPECT_EQ(refused.error().message,
            R"(its sandbox is incomplete: no filter; no network; its configuration says that it is "required")");
}

TEST(SandboxTest, LacksWhatAnOlderKernelsLandlockDoesNotRestrict) {
  const std::string no_files = "the kernel has no Landlock, so it can reach every file that the host can";
  const std::string no_truncation = "the kernel's Landlock does not keep it from truncating files; Linux 6.2 does";
  const std::string no_signals =
      "the kernel's Landlock does not keep it from signalling other processes; Linux 6.12 does";
  EXPECT_THAT(landlock_lacks(0, false), ElementsAre(no_files, "and signal every process that the host can"));
  EXPECT_THAT(landlock_lacks(2, false), ElementsAre(no_truncation, no_signals));
  EXPECT_THAT(landlock_lacks(3, false), ElementsAre(no_signals));
  EXPECT_THAT(landlock_lacks(6, false), IsEmpty());
}

TEST(SandboxTest, LacksNothingThatTheStrictFilterRefuses) {
  EXPECT_THAT(landlock_lacks(0, true),
              ElementsAre("the kernel has no Landlock, so it can reach every file that the host can"));
  EXPECT_THAT(landlock_lacks(1, true), IsEmpty());
}

TEST(SandboxTest, ReachesTheWorkerAsItIs) {
  const Sandbox sandbox{.profile = SandboxProfile::permissive,
                        .required = true,
                        .read = {"/a"},
                        .write = {"/b", "/c"},
                        .network = SandboxNetwork::loopback};
  WorkerSetup setup;
  setup.sandbox = sandbox;
  const auto read = WorkerSetup::read(setup.json());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->sandbox.profile, SandboxProfile::permissive);
  EXPECT_TRUE(read->sandbox.required);
  EXPECT_THAT(read->sandbox.read, ElementsAre("/a"));
  EXPECT_THAT(read->sandbox.write, ElementsAre("/b", "/c"));
  EXPECT_EQ(read->sandbox.network_access(), SandboxNetwork::loopback);
}

TEST(SandboxTest, LacksThatAWorkerTellsAreFewAndShort) {
  EXPECT_THAT(WorkerIdentity::read(WorkerIdentity{"a", "1", {}, {"no filter"}}.json())->sandbox_lacks,
              ElementsAre("no filter"));
  const std::vector<std::string> many(17, "no filter");
  EXPECT_THAT(WorkerIdentity::read(WorkerIdentity{"a", "1", {}, many}.json()).error().message, HasSubstr("too long"));
  EXPECT_TRUE(WorkerIdentity::read(WorkerIdentity{"a", "1", {}, {std::string(513, 'x')}}.json()).has_error());
}

}  // namespace
}  // namespace mcph
