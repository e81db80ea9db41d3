#include "base/json_pointer.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(JsonPointerTest, GivesBackTheKeyThatItWasGiven) {
  for (const std::string key : {"file", "a/b", "~", "~1", "a~/", ""})
    EXPECT_EQ(last_of_pointer(append_to_pointer("/servers", key)), key);
  EXPECT_EQ(last_of_pointer(""), "");
}

}  // namespace
}  // namespace mcph
