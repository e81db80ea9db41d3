// Whether an audit log is what a host has written: each line, that each follows from the one before it, and the
// signatures. Values and free functions; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/chain.hpp"
#include "audit/signing_key.hpp"
#include "base/result.hpp"

namespace mcph {

// Lines that follow each other, by their numbers.
struct AuditLines {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  friend bool operator==(const AuditLines&, const AuditLines&) = default;
};

// What there is in lines that are good.
struct AuditSummary {
  std::uint64_t lines = 0;
  std::uint64_t first_seq = 0;
  AuditHead head;
  std::uint64_t checkpoints = 0;
  std::uint64_t lines_since_checkpoint = 0;  // that no signature covers
  // That were there without a signature when a host started, which has signed them. The host before was killed or had
  // no key, or somebody else wrote them while none ran.
  std::vector<AuditLines> signed_later;
  // The last line but a checkpoint is that the host has stopped; with a key, a checkpoint covers it.
  bool has_end = false;
};

// Looks at one line after the other.
class AuditVerifier {
 public:
  // The key, null: signatures are not checked, outlives it. `known` is a line that must be there.
  explicit AuditVerifier(const AuditPublicKey* key, std::optional<AuditHead> known = std::nullopt)
      : key_(key), known_(known) {}

  // The line that follows, without its end; the first one of a file must be one that may begin one. An error says what
  // is wrong with it.
  Result<> take(std::string_view line, bool begins_file);
  // Whether what must be there has been.
  Result<> finish() const;

  const AuditSummary& summary() const { return summary_; }

 private:
  Result<> check_place(const AuditLine& line, bool begins_file);
  Result<> check_signature(const AuditLine& line) const;

  const AuditPublicKey* const key_;
  const std::optional<AuditHead> known_;
  AuditHasher hasher_;
  AuditHead last_;
  bool has_known_ = false;
  bool is_stopped_ = false;         // by the last line but a checkpoint
  std::uint64_t before_start_ = 0;  // lines since the last checkpoint that the last `start` has found
  AuditSummary summary_;
};

// Of all of them, the oldest file first. An error names the file, the line and what is wrong with it. One that
// may pass says that a file could not be read, and so nothing about the log.
Result<AuditSummary> verify_audit_files(const std::vector<std::filesystem::path>& files, AuditVerifier verifier);

}  // namespace mcph
