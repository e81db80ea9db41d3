#include "protocol/legacy/legacy_content.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

// The result as a client of the revision gets it; "the same" if nothing had to change.
std::string fitted(const char* json, std::string_view revision) {
  const auto before = Json::parse(json);
  auto result = before;
  fit_to_revision(result, revision);
  const bool changed = result != before;
  EXPECT_EQ(fits_revision(JsonDocument::of(before).root(), revision), !changed) << result;
  return changed ? result.dump() : "the same";
}

constexpr auto audio = R"({"content":[{"type":"audio","data":"AA==","mimeType":"audio/wav"}]})";
constexpr auto link = R"({"content":[{"type":"resource_link","uri":"a://b","name":"B"}]})";

TEST(LegacyContent, IsLeftAsItIsWhereItFits) {
  EXPECT_EQ(fitted(R"({"content":[{"type":"text","text":"a"},{"type":"image","data":"","mimeType":"image/png"}]})",
                   "2024-11-05"),
            "the same");
  EXPECT_EQ(fitted(R"({"content":[],"structuredContent":{"a":1},"_meta":{"m":1}})", "2025-11-25"), "the same");
}

TEST(LegacyContent, HasAudioFrom20250326On) {
  EXPECT_EQ(
      fitted(audio, "2024-11-05"),
      R"({"content":[{"text":"[audio, audio/wav: this client's protocol revision has no audio]","type":"text"}]})");
  EXPECT_EQ(fitted(audio, "2025-03-26"), "the same");
}

TEST(LegacyContent, HasResourceLinksFrom20250618On) {
  const auto* text = R"({"content":[{"text":"B: a://b","type":"text"}]})";
  EXPECT_EQ(fitted(link, "2024-11-05"), text);
  EXPECT_EQ(fitted(link, "2025-03-26"), text);
  EXPECT_EQ(fitted(link, "2025-06-18"), "the same");
}

TEST(LegacyContent, OfAPromptIsFittedToo) {
  EXPECT_EQ(fitted(R"({"messages":[{"role":"user","content":{"type":"resource_link","uri":"a://b","name":"B"}}]})",
                   "2025-03-26"),
            R"({"messages":[{"content":{"text":"B: a://b","type":"text"},"role":"user"}]})");
}

TEST(LegacyContent, IsFittedWhereItsTextsAreNone) {
  EXPECT_EQ(fitted(R"({"content":[{"type":"resource_link","uri":5,"name":{}}]})", "2024-11-05"),
            R"({"content":[{"text":": ","type":"text"}]})");
}

TEST(LegacyContent, OfAnotherShapeIsLeftAsItIs) {
  for (const auto* json : {R"({"content":7})", R"({"content":[7,{"type":7},{}]})", R"({"messages":{}})",
                           R"({"messages":[7,{},{"content":"words"}]})"}) {
    EXPECT_EQ(fitted(json, "2024-11-05"), "the same") << json;
  }
}

TEST(LegacyContent, HasNoMembersOfTheModernEra) {
  EXPECT_EQ(fitted(R"({"contents":[],"resultType":"complete","ttlMs":5,"cacheScope":"public"})", "2025-11-25"),
            R"({"contents":[]})");
}

constexpr auto with_text = R"({"content":[{"text":"One","type":"text"}]})";

TEST(LegacyContent, HasStructuredContentOnlyAsAnObject) {
  EXPECT_EQ(fitted(R"({"content":[{"text":"One","type":"text"}],"structuredContent":[1]})", "2025-11-25"), with_text);
  EXPECT_EQ(fitted(R"({"content":[{"text":"One","type":"text"}],"structuredContent":7})", "2025-06-18"), with_text);
}

}  // namespace
}  // namespace mcph
