#include "plugin/limit_reports.hpp"

#include <gtest/gtest.h>

#include "support/recording_log.hpp"

namespace mcph {
namespace {

TEST(LimitReportsTest, NamesThePluginOnceItHasToldItsName) {
  test::RecordingLog log;
  PluginIdentity plugin{.file = "/tools/clock.so", .name = {}, .version = {}, .digest = {}};
  LimitReports limits(log, plugin);
  limits.reached(Limit::memory, "no memory");
  plugin.name = "clock";
  limits.reached(Limit::cpu_time, "no time");
  const std::vector<std::string> lines{"plugin is at a limit file=/tools/clock.so reason=no memory",
                                       "plugin is at a limit file=/tools/clock.so plugin=clock reason=no time"};
  EXPECT_EQ(log.lines(), lines);
}

}  // namespace
}  // namespace mcph
