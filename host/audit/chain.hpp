// The form of an audit log: JSON objects, one a line, each with its number and a hash that covers it and, through the
// hash of the line before, all that came before it.
//
//   {"seq":7,"time":"2026-07-28T12:00:00.123Z","event":"request",...,"hash":"<64 hexadecimal digits>"}
//
// The hash is the SHA-256 (FIPS 180-4), in lower case, of the 64 digits of the hash of the line before, followed by the
// bytes of the line up to, and without, `,"hash":`. Before the first line of all are 64 zeros. A line that may be the
// first one of a file (its event is "start" or "rotated") has the digits of the line before as its member "previous",
// right behind its event. docs/audit.md is what operators read of it. Free functions and values; any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

struct evp_md_ctx_st;

namespace mcph {

// 64 lower-case hexadecimal digits.
using AuditHash = std::array<char, 64>;
inline std::string_view text_of(const AuditHash& hash) {
  return {hash.data(), hash.size()};
}
std::optional<AuditHash> read_audit_hash(std::string_view digits);

// The last line of a chain.
struct AuditHead {
  std::uint64_t seq = 0;  // 0: there is none
  AuditHash hash = [] {
    AuditHash zeros{};
    zeros.fill('0');
    return zeros;
  }();

  friend bool operator==(const AuditHead&, const AuditHead&) = default;
};
// "7:0123…", and the other way round.
std::string to_text(const AuditHead& head);
std::optional<AuditHead> read_audit_head(std::string_view text);

// No line is longer, in bytes.
inline constexpr std::size_t max_audit_line = std::size_t{256} << 10;
// Lines that one checkpoint covers at most.
inline constexpr std::uint64_t max_lines_to_checkpoint = 1000;

namespace audit_event {
inline constexpr std::string_view start = "start";
inline constexpr std::string_view rotated = "rotated";
inline constexpr std::string_view checkpoint = "checkpoint";
inline constexpr std::string_view stop = "stop";
}  // namespace audit_event

// Computes hashes. A value; one thread at a time.
class AuditHasher {
 public:
  AuditHasher();
  // Of a line, `covered` being what its hash covers of it, behind the line of `previous`.
  AuditHash hash(const AuditHash& previous, std::string_view covered);

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

// Appends the line that follows `head`, with its end, and makes it the head. `members` is the inside of a JSON object,
// from "event" on. Throws std::bad_alloc, and has appended nothing.
void append_audit_line(std::string& out, AuditHead& head, AuditHasher& hasher,
                       std::chrono::system_clock::time_point time, std::string_view members);

// A line, as views into it.
struct AuditLine {
  std::uint64_t seq = 0;
  std::string_view time;
  std::string_view event;
  std::string_view more;     // what follows the event, from the comma on
  std::string_view covered;  // by the hash
  AuditHash hash;
};
// `line` is without its end. An error says what is wrong with its form; what is between its event and its hash is not
// looked at.
Result<AuditLine> read_audit_line(std::string_view line);
// The member of this name, where it is the first one behind the event and a text without escapes.
std::optional<std::string_view> first_member(const AuditLine& line, std::string_view name);

// Of a line.
std::optional<std::chrono::system_clock::time_point> read_audit_time(std::string_view text);

// What a checkpoint signs, so that no other signature by the same key is taken for one: of the line before it.
std::string checkpoint_text(const AuditHead& covered);

}  // namespace mcph
