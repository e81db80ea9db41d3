#include "plugin/isolated/workers.hpp"

#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "support/test_workers.hpp"

namespace mcph {
namespace {

TEST(Workers, RunOnTheirThreadWhatIsWaitedFor) {
  test::TestWorkers workers;
  const auto thread = workers.workers.run_and_wait([] { return Result<std::thread::id>(std::this_thread::get_id()); });
  ASSERT_TRUE(thread);
  EXPECT_NE(*thread, std::this_thread::get_id());
  EXPECT_EQ(*thread, *workers.workers.run_and_wait([] { return Result<std::thread::id>(std::this_thread::get_id()); }));
}

TEST(Workers, SayWhatIsThrownWhereItIsWaitedFor) {
  test::TestWorkers workers;
  const auto failed = workers.workers.run_and_wait([]() -> Result<int> { throw std::runtime_error("no room"); });
  ASSERT_TRUE(failed.has_error());
  EXPECT_EQ(failed.error().message, "its process cannot be started: no room");
}

TEST(Workers, LetNobodyWaitForAThreadThatHasStopped) {
  test::TestWorkers workers;
  workers.workers.timers().stop();
  EXPECT_TRUE(workers.workers.run_and_wait([] { return Result<int>(1); }).has_error());
}

}  // namespace
}  // namespace mcph
