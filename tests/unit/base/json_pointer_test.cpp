#include "base/json_pointer.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(JsonPointerTest, GivesBackTheKeyThatItWasGiven) {
  for (const std::string key : {"file", "a/b", "~", "~1", "a~/", ""})
    EXPECT_EQ(last_of_pointer(append_to_pointer("/servers", key)), key);
  EXPECT_EQ(last_of_pointer(""), "");
}

TEST(JsonPointerTest, LeadsToWhatThereIs) {
  const auto document = JsonDocument::read(R"({"a/b": {"~": [10, [11]]}, "": 1, "0": 2})");
  const auto text_at = [&](std::string_view pointer) { return value_at(document->root(), pointer).text(); };
  EXPECT_EQ(value_at(document->root(), ""), document->root());
  EXPECT_EQ(text_at("/a~1b/~0/0"), "10");
  EXPECT_EQ(text_at("/a~1b/~0/1/0"), "11");
  EXPECT_EQ(text_at("/"), "1");
  EXPECT_EQ(text_at("/0"), "2");
  for (const auto* const nowhere : {"/a", "/a~1b/~0/2", "/a~1b/~0/01", "/a~1b/~0/-", "/a~1b/~0/", "/a~1b/~0/1a", "/0/0",
                                    "//", "/a~1b/~0/99999999999999999999"})
    EXPECT_FALSE(value_at(document->root(), nowhere)) << nowhere;
}

}  // namespace
}  // namespace mcph
