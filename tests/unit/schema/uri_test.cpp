#include "schema/uri.hpp"

#include <gtest/gtest.h>

namespace mcph::schema {
namespace {

// RFC 3986 section 5.4.
TEST(SchemaUri, ResolvesReferencesAsTheRfcShows) {
  constexpr auto base = "http://a/b/c/d;p?q";
  const std::pair<const char*, const char*> examples[] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {";x", "http://a/b/c/;x"},
      {"g;x?y#s", "http://a/b/c/g;x?y#s"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
      {"g#s/../x", "http://a/b/c/g#s/../x"},
  };
  for (const auto& [reference, resolved] : examples) {
    EXPECT_EQ(resolve_uri(base, reference), resolved) << reference;
  }
}

TEST(SchemaUri, ResolvesWithoutABaseAndWithAName) {
  EXPECT_EQ(resolve_uri("", "list.json"), "list.json");
  EXPECT_EQ(resolve_uri("", "#a"), "#a");
  EXPECT_EQ(resolve_uri("urn:example:tree", "#a"), "urn:example:tree#a");
  EXPECT_EQ(resolve_uri("http://a", "b"), "http://a/b");
  EXPECT_EQ(resolve_uri("a/b", "../c"), "/c") << "as section 5.2.4 has it";
}

}  // namespace
}  // namespace mcph::schema
