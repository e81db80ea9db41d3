// The commands for audit logs.
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "audit/verify.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"

namespace mcph {
namespace {

constexpr int not_verified = 1;

int make_key(const AuditCommand& command) {
  const auto made = make_audit_key(command.files.front());
  if (made.has_error()) return complain(made.error().message);
  std::cout << *made;
  return 0;
}

void tell_signed_later(const std::vector<AuditLines>& lines) {
  std::uint64_t count = 0;
  std::string numbers;
  for (const auto& [first, last] : lines) {
    count += last - first + 1;
    numbers.append(numbers.empty() ? "" : ", ").append(std::to_string(first)).append(" to ");
    numbers.append(std::to_string(last));
  }
  if (count == 0) return;
  std::cout << count << " lines (" << numbers << ") are signed by a later host alone: theirs was killed or had no key, "
            << "or somebody else wrote them\n";
}

int verify_log(const AuditCommand& command) {
  std::optional<AuditPublicKey> key;
  if (!command.key.empty()) {
    auto read = AuditPublicKey::read(command.key);
    if (read.has_error()) return complain(read.error().message);
    key = *std::move(read);
  }
  std::optional<AuditHead> known;
  if (!command.head.empty()) {
    known = read_audit_head(command.head);
    if (!known) return complain("--head must be SEQ:HASH, but is \"" + command.head + "\"");
  }
  const auto verified = verify_audit_files(command.files, AuditVerifier(key ? &*key : nullptr, known));
  if (verified.has_error()) {
    if (verified.error().may_pass()) return complain(verified.error().message);
    std::cerr << verified.error().message << "\n";
    return not_verified;
  }
  std::cout << "ok: " << verified->lines << " lines, " << verified->first_seq << " to " << verified->head.seq << ", "
            << verified->checkpoints << (key ? " checkpoints with good signatures" : " checkpoints, not checked")
            << "\n"
            << "head: " << to_text(verified->head) << "\n";
  if (key) tell_signed_later(verified->signed_later);
  const bool all_signed = verified->lines_since_checkpoint == 0;
  if (key && !all_signed) std::cout << "the last " << verified->lines_since_checkpoint << " lines are not signed yet\n";
  if (!verified->has_end)
    std::cout << "the log does not end with a stop: the host runs, was killed, or lines at the end are missing\n";
  return command.require_signed && !all_signed ? not_verified : 0;
}

}  // namespace

int run(const AuditCommand& command) {
  return command.what == AuditCommand::What::key ? make_key(command) : verify_log(command);
}

}  // namespace mcph
