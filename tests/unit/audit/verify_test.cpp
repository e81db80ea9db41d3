#include "audit/verify.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/audit_folder.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AuditVerifierTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto audit = folder_.opened(folder_.options());
    for (int i = 0; i < 40; ++i)
      audit->add(AuditEvent("request").add("method", "tools/call").add("number", i));
    audit.reset();
    lines_ = folder_.lines();
    head_ = folder_.summary().head;
    const auto read = AuditPublicKey::read(folder_.file.parent_path() / "public.pem");
    key_ = std::make_unique<AuditPublicKey>(*read);
  }

  // "ok", or what is wrong, and where.
  std::string verify(const std::string& text, bool knows_head = false, bool with_key = false) const {
    AuditVerifier verifier(with_key ? key_.get() : nullptr, knows_head ? std::optional(head_) : std::nullopt);
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const auto end = text.find('\n', begin);
      if (end == std::string::npos) return std::to_string(number + 1) + ": cut off";
      const auto taken = verifier.take(std::string_view(text).substr(begin, end - begin), ++number == 1);
      if (taken.has_error()) return std::to_string(number) + ": " + taken.error().message;
      begin = end + 1;
    }
    if (number == 0) return "empty";
    const auto finished = verifier.finish();
    return finished.has_error() ? finished.error().message : "ok";
  }
  static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines)
      text.append(line).append("\n");
    return text;
  }

  // Without key and head, as whoever has but the file.
  std::string one_of(std::vector<std::string> lines, unsigned what, std::mt19937& random) const {
    const auto any = [&](std::size_t count) {
      return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    const auto last = lines.size() - 1;
    const auto at = static_cast<std::ptrdiff_t>(any(last));  // what is behind it shows that it has gone
    switch (what) {
      case 0:
        lines.erase(lines.begin() + at);
        return joined(lines);
      case 1: {
        const auto other = any(lines.size());
        std::swap(lines[static_cast<std::size_t>(at)], lines[other == static_cast<std::size_t>(at) ? last : other]);
        return joined(lines);
      }
      case 2:
        lines.insert(lines.begin() + at, lines[any(lines.size())]);
        return joined(lines);
      case 3: {  // a few lines, of which some are left behind them
        const auto count = static_cast<std::ptrdiff_t>(1 + any(last - static_cast<std::size_t>(at)));
        lines.erase(lines.begin() + at, lines.begin() + at + count);
        return joined(lines);
      }
      default: {
        auto text = joined(lines);
        text[any(text.size())] ^= static_cast<char>(1U << any(8));
        return text;
      }
    }
  }

  test::AuditFolder folder_;
  std::vector<std::string> lines_;
  AuditHead head_;
  std::unique_ptr<AuditPublicKey> key_;
};

TEST_F(AuditVerifierTest, TakesWhatTheHostHasWritten) {
  EXPECT_EQ(verify(joined(lines_)), "ok");
  EXPECT_EQ(verify(joined(lines_), true, true), "ok");
}

TEST_F(AuditVerifierTest, FindsEachChangeOfALineAndEachLineThatIsMissingOrTooMuch) {
  std::mt19937 random(20260728);
  const auto original = joined(lines_);
  int found = 0;
  for (unsigned i = 0; i < 10'000; ++i) {
    const auto text = one_of(lines_, i % 5, random);
    ASSERT_NE(text, original);
    if (verify(text) != "ok") {
      ++found;
    } else {
      ADD_FAILURE() << "not found: kind " << i % 5 << "\n" << text;
    }
  }
  EXPECT_EQ(found, 10'000);
}

TEST_F(AuditVerifierTest, FindsEachEndThatIsMissingIfALaterLineIsKnown) {
  const auto original = joined(lines_);
  std::size_t at_a_line = 0;
  for (std::size_t size = 0; size < original.size(); ++size) {
    const auto cut = original.substr(0, size);
    EXPECT_NE(verify(cut, true), "ok") << size;
    // Of whole lines nothing but such a line shows that others followed.
    if (verify(cut) == "ok") ++at_a_line;
  }
  EXPECT_EQ(at_a_line, lines_.size() - 1);
}

TEST_F(AuditVerifierTest, FindsAChainThatSomebodyElseHasMadeAnewByTheSignatures) {
  AuditHasher hasher;
  AuditHead head;
  std::string forged;
  for (const auto& line : lines_) {
    const auto read = *read_audit_line(line);
    auto members = std::string(read.covered.substr(read.covered.find("\"event\"")));
    if (const auto at = members.find("\"number\":7"); at != std::string::npos) members.replace(at, 10, "\"number\":8");
    append_audit_line(forged, head, hasher, std::chrono::system_clock::now(), members);
  }
  EXPECT_EQ(verify(forged), "ok");
  EXPECT_THAT(verify(forged, false, true), HasSubstr("its signature is not by this key"));
  EXPECT_THAT(verify(forged, true), HasSubstr("its hash is another one than the one that is known of it"));
}

TEST_F(AuditVerifierTest, MissesNoSignatures) {
  AuditHasher hasher;
  AuditHead head;
  std::string text;
  append_audit_line(text, head, hasher, {}, R"("event":"start","previous":")" + std::string(64, '0') + "\"");
  EXPECT_THAT(verify(text, false, true), HasSubstr("there is no checkpoint"));
  for (std::uint64_t i = 0; i < max_lines_to_checkpoint; ++i)
    append_audit_line(text, head, hasher, {}, R"("event":"request")");
  EXPECT_EQ(verify(text), "ok");
  EXPECT_THAT(verify(text, false, true), HasSubstr("1001: no checkpoint covers"));
  append_audit_line(text, head, hasher, {}, R"("event":"checkpoint")");
  EXPECT_THAT(verify(text), HasSubstr("a checkpoint without a signature"));
}

TEST_F(AuditVerifierTest, SeesTheEndOnlyWhereACheckpointCoversIt) {
  const auto has_end = [&](bool with_key) {
    AuditVerifier verifier(with_key ? key_.get() : nullptr, std::nullopt);
    for (std::size_t i = 0; i < lines_.size(); ++i)
      EXPECT_TRUE(verifier.take(lines_[i], i == 0));
    return verifier.summary().has_end;
  };
  EXPECT_TRUE(has_end(true));
  lines_.pop_back();  // the checkpoint
  EXPECT_TRUE(has_end(false));
  EXPECT_FALSE(has_end(true)) << "whoever may write the file could have written it";
}

TEST_F(AuditVerifierTest, TellsWhichLinesOnlyALaterHostHasSigned) {
  folder_.opened(folder_.options()).reset();
  EXPECT_THAT(folder_.summary().signed_later, IsEmpty()) << "each host has signed its own";
  auto text = folder_.text();
  auto head = folder_.summary().head;
  const auto last = head.seq;
  // What somebody writes while no host runs, with an end as a host leaves it.
  AuditHasher hasher;
  append_audit_line(text, head, hasher, {}, R"("event":"request","number":41)");
  append_audit_line(text, head, hasher, {}, R"("event":"stop")");
  std::ofstream(folder_.file) << text;
  folder_.opened(folder_.options()).reset();
  EXPECT_EQ(folder_.verify(), "ok");
  EXPECT_THAT(folder_.summary().signed_later, ElementsAre(AuditLines{last + 1, last + 2}));
}

TEST_F(AuditVerifierTest, NamesTheFileAndTheLine) {
  auto text = joined(lines_);
  text[text.find("\"number\":7") + 9] = '8';
  std::ofstream(folder_.file) << text;
  EXPECT_EQ(folder_.verify(), folder_.file.string() + ":9: its hash does not follow from it and the line before it");
  std::ofstream(folder_.file) << "";
  EXPECT_EQ(folder_.verify(), folder_.file.string() + ":1: the file is empty");
  EXPECT_THAT(folder_.verify({folder_.file.parent_path() / "nowhere"}), HasSubstr("nowhere: cannot be read"));
  std::ofstream(folder_.file) << std::string(2 * max_audit_line, 'x');
  EXPECT_THAT(folder_.verify(), HasSubstr(":1: it is longer than any line of an audit log"));
}

}  // namespace
}  // namespace mcph
