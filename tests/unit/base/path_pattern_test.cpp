#include "base/path_pattern.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(PathPatternTest, HasOneSegmentThatMayBeAnything) {
  EXPECT_TRUE(fits_path("/mcp", "/mcp"));
  EXPECT_FALSE(fits_path("/mcp", "/mcp/"));
  EXPECT_TRUE(fits_path("/upstream/*/mcp", "/upstream/wiki/mcp"));
  EXPECT_TRUE(fits_path("https://a.example/upstream/*/mcp", "https://a.example/upstream/w/mcp"));
  for (const auto* path : {"/upstream/mcp", "/upstream//mcp", "/upstream/a/b/mcp", "/upstream/wiki/mcp2",
                           "/upstream/wiki", "/upstream/", "", "/x/upstream/wiki/mcp"})
    EXPECT_FALSE(fits_path("/upstream/*/mcp", path)) << path;
  EXPECT_FALSE(fits_path("*", "anything"));
}

}  // namespace
}  // namespace mcph
