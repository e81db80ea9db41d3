#include "audit/chain.hpp"

#include <algorithm>
#include <charconv>
#include <new>
#include <openssl/evp.h>

#include "base/hexadecimal.hpp"
#include "base/time_text.hpp"

namespace mcph {
namespace {

constexpr std::string_view before_seq = R"({"seq":)";
constexpr std::string_view before_time = R"(,"time":")";
constexpr std::string_view before_event = R"(","event":")";
constexpr std::string_view before_hash = R"(,"hash":")";
constexpr std::string_view after_hash = R"("})";
constexpr std::size_t end_of_line = before_hash.size() + std::tuple_size_v<AuditHash> + after_hash.size();
constexpr std::size_t time_length = std::string_view("2026-07-28T12:00:00.123Z").size();

// OpenSSL fails here for want of memory only.
void expect_digest(int outcome) {
  if (outcome != 1) throw std::bad_alloc();
}

bool is_hex_digit(char c) {
  return ('0' <= c && c <= '9') || ('a' <= c && c <= 'f');
}

bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number == 0 || text.front() == '0') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::optional<AuditHash> read_audit_hash(std::string_view digits) {
  AuditHash hash{};
  if (digits.size() != hash.size() || !std::ranges::all_of(digits, is_hex_digit)) return std::nullopt;
  std::ranges::copy(digits, hash.begin());
  return hash;
}

std::string to_text(const AuditHead& head) {
  return std::to_string(head.seq) + ":" + std::string(text_of(head.hash));
}

std::optional<AuditHead> read_audit_head(std::string_view text) {
  const auto seq = take_number(text);
  if (!seq || !take(text, ":")) return std::nullopt;
  const auto hash = read_audit_hash(text);
  if (!hash) return std::nullopt;
  return AuditHead{*seq, *hash};
}

AuditHasher::AuditHasher() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  expect_digest(context_ == nullptr ? 0 : EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

AuditHash AuditHasher::hash(const AuditHash& previous, std::string_view covered) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  // Without a digest the context keeps its own, which is not looked for again.
  expect_digest(EVP_DigestInit_ex(context_.get(), nullptr, nullptr));
  expect_digest(EVP_DigestUpdate(context_.get(), previous.data(), previous.size()));
  expect_digest(EVP_DigestUpdate(context_.get(), covered.data(), covered.size()));
  expect_digest(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr));
  AuditHash hash;
  for (std::size_t i = 0; i < hash.size(); i += 2) {
    hash[i] = hexadecimal_digits[digest[i / 2] >> 4U];
    hash[i + 1] = hexadecimal_digits[digest[i / 2] & 0xFU];
  }
  return hash;
}

void append_audit_line(std::string& out, AuditHead& head, AuditHasher& hasher,
                       std::chrono::system_clock::time_point time, std::string_view members) {
  const auto begin = out.size();
  auto next = head;
  try {
    out.append(before_seq).append(std::to_string(++next.seq)).append(before_time);
    append_precise_time(out, time);
    out.append("\",").append(members);
    next.hash = hasher.hash(head.hash, std::string_view(out).substr(begin));
    out.append(before_hash).append(text_of(next.hash)).append(after_hash).append("\n");
  } catch (const std::bad_alloc&) {
    out.resize(begin);
    throw;
  }
  head = next;
}

Result<AuditLine> read_audit_line(std::string_view line) {
  AuditLine read{};
  if (line.size() < end_of_line) return fail("it is no line of an audit log, or a part of one");
  read.covered = line.substr(0, line.size() - end_of_line);
  auto end = line.substr(read.covered.size());
  if (!take(end, before_hash) || !end.ends_with(after_hash)) return fail("it does not end with a hash");
  // What is not one is not the hash of anything.
  std::ranges::copy(end.substr(0, read.hash.size()), read.hash.begin());
  auto text = read.covered;
  const auto seq = take(text, before_seq) ? take_number(text) : std::nullopt;
  if (!seq) return fail("it does not begin with a number");
  read.seq = *seq;
  if (!take(text, before_time) || text.size() < time_length) return fail("it has no time behind its number");
  read.time = text.substr(0, time_length);
  text.remove_prefix(time_length);
  const auto quote = take(text, before_event) ? text.find('"') : std::string_view::npos;
  if (quote == std::string_view::npos) return fail("it has no event behind its time");
  read.event = text.substr(0, quote);
  read.more = text.substr(quote + 1);
  return read;
}

std::optional<std::string_view> first_member(const AuditLine& line, std::string_view name) {
  auto text = line.more;
  if (!take(text, ",\"") || !take(text, name) || !take(text, "\":\"")) return std::nullopt;
  const auto quote = text.find('"');
  if (quote == std::string_view::npos) return std::nullopt;
  return text.substr(0, quote);
}

std::optional<std::chrono::system_clock::time_point> read_audit_time(std::string_view text) {
  constexpr std::size_t whole_seconds = std::string_view("2026-07-28T12:00:00").size();
  if (text.size() != time_length) return std::nullopt;
  return read_time(std::string(text.substr(0, whole_seconds)) + "Z");
}

std::string checkpoint_text(const AuditHead& covered) {
  return "mcp-plugin-host audit checkpoint\n" + std::to_string(covered.seq) + "\n" +
         std::string(text_of(covered.hash)) + "\n";
}

}  // namespace mcph
