#include "audit/chain.hpp"

#include <gtest/gtest.h>

#include "base/sha256.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

const std::chrono::system_clock::time_point moment(1'785'240'000'123ms);

std::string hex_of(const std::string& text) {
  Sha256 hash;
  hash.add(text.data(), text.size());
  return hash.hex();
}

TEST(AuditChainTest, ALineHasItsNumberItsTimeAndTheHashOfItAndTheLineBefore) {
  AuditHasher hasher;
  AuditHead head;
  std::string text;
  append_audit_line(text, head, hasher, moment, R"("event":"start","previous":"0")");
  const std::string covered = R"({"seq":1,"time":"2026-07-28T12:00:00.123Z","event":"start","previous":"0")";
  const auto first = hex_of(std::string(64, '0') + covered);
  EXPECT_EQ(text, covered + R"(,"hash":")" + first + "\"}\n");

  text.clear();
  append_audit_line(text, head, hasher, moment + 7ms, R"("event":"stop")");
  const std::string next = R"({"seq":2,"time":"2026-07-28T12:00:00.130Z","event":"stop")";
  EXPECT_EQ(text, next + R"(,"hash":")" + hex_of(first + next) + "\"}\n");
  EXPECT_EQ(head.seq, 2U);
}

TEST(AuditChainTest, ALineIsReadAsItHasBeenWritten) {
  AuditHasher hasher;
  AuditHead head;
  std::string text;
  append_audit_line(text, head, hasher, moment, R"("event":"start","previous":"abc","n":1)");
  text.pop_back();
  const auto line = read_audit_line(text);
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->seq, 1U);
  EXPECT_EQ(line->time, "2026-07-28T12:00:00.123Z");
  EXPECT_EQ(line->event, "start");
  EXPECT_EQ(first_member(*line, "previous"), "abc");
  EXPECT_EQ(first_member(*line, "n"), std::nullopt);
  EXPECT_EQ(line->hash, head.hash);
  EXPECT_EQ(read_audit_time(line->time), std::chrono::floor<std::chrono::seconds>(moment));
}

TEST(AuditChainTest, WhatIsNoLineIsRefused) {
  const std::string end = R"(,"hash":")" + std::string(64, 'a') + "\"}";
  const std::string time = R"(,"time":"2026-07-28T12:00:00.123Z")";
  EXPECT_TRUE(read_audit_line(R"({"seq":1)" + time + R"(,"event":"a")" + end).has_value());
  for (const auto& text :
       {std::string(), std::string("{}"), R"({"seq":0)" + time + R"(,"event":"a")" + end,
        R"({"seq":01)" + time + R"(,"event":"a")" + end, R"({"seq":-1)" + time + R"(,"event":"a")" + end,
        R"({"seq":1,"event":"a")" + end, R"({"seq":1)" + time + end, R"({"seq":1)" + time + R"(,"event":"a)" + end,
        R"({"seq":1)" + time + R"(,"event":"a")" + end + " "}) {
    EXPECT_TRUE(read_audit_line(text).has_error()) << text;
  }
}

TEST(AuditChainTest, AHeadIsReadAsItIsTold) {
  const AuditHead head{12, *read_audit_hash(std::string(64, 'f'))};
  EXPECT_EQ(to_text(head), "12:" + std::string(64, 'f'));
  EXPECT_EQ(read_audit_head(to_text(head)), head);
  for (const auto* text : {"", "12", "12:", "12:ff", ":ff", "x:ff"})
    EXPECT_EQ(read_audit_head(text), std::nullopt) << text;
}

}  // namespace
}  // namespace mcph
