#include "audit/verify.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "base/base64.hpp"
#include "base/regular_file.hpp"

namespace mcph {
namespace {

constexpr std::size_t read_at_once = std::size_t{1} << 20;

// Takes the lines of one file.
class FileLines {
 public:
  FileLines(std::string name, AuditVerifier& verifier) : name_(std::move(name)), verifier_(verifier) {}

  Result<> take(std::string_view bytes) {
    for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
      ++lines_;
      const auto part = bytes.substr(0, end);
      const auto whole = begun_.empty() ? part : std::string_view(begun_.append(part));
      if (const auto taken = verifier_.take(whole, lines_ == 1); taken.has_error())
        return at_line(taken.error().message);
      begun_.clear();
      bytes.remove_prefix(end + 1);
    }
    begun_.append(bytes);
    if (begun_.size() <= max_audit_line) return {};
    ++lines_;
    return at_line("it is longer than any line of an audit log");
  }

  Result<> finish() {
    if (begun_.empty() && lines_ > 0) return {};
    ++lines_;
    return at_line(begun_.empty() ? "the file is empty"
                                  : "it is cut off: the host was killed while it wrote it, or is writing it just now, "
                                    "or somebody has cut the file");
  }

 private:
  Error at_line(const std::string& what) const { return fail(name_ + ":" + std::to_string(lines_) + ": " + what); }

  const std::string name_;
  AuditVerifier& verifier_;
  std::uint64_t lines_ = 0;
  std::string begun_;  // a line whose end has not been read
};

Result<> verify_file(const std::filesystem::path& path, AuditVerifier& verifier) {
  const auto file = open_to_read(path);
  if (!file) return fail_for_now(path.string() + ": cannot be read: " + last_error());
  if (const auto regular = identity_of_regular_file(file); regular.has_error())
    return fail_for_now(path.string() + ": " + regular.error().message);
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  FileLines lines(path.string(), verifier);
  std::string block(read_at_once, '\0');
  for (;;) {
    const auto got = uninterrupted([&] { return ::read(file.get(), block.data(), block.size()); });
    if (got < 0) return fail_for_now(path.string() + ": cannot be read: " + last_error());
    if (got == 0) return lines.finish();
    if (auto taken = lines.take({block.data(), static_cast<std::size_t>(got)}); taken.has_error()) return taken;
  }
}

}  // namespace

Result<> AuditVerifier::take(std::string_view text, bool begins_file) {
  const auto line = read_audit_line(text);
  if (line.has_error()) return line.error();
  if (auto checked = check_place(*line, begins_file); checked.has_error()) return checked;
  if (hasher_.hash(last_.hash, line->covered) != line->hash)
    return fail("its hash does not follow from it and the line before it");
  if (line->event == audit_event::checkpoint) {
    if (auto checked = check_signature(*line); checked.has_error()) return checked;
    ++summary_.checkpoints;
    const auto first = last_.seq - summary_.lines_since_checkpoint + 1;
    if (before_start_ > 0) summary_.signed_later.push_back({first, first + std::exchange(before_start_, 0) - 1});
    summary_.lines_since_checkpoint = 0;
    summary_.has_end = is_stopped_;
  } else {
    const bool is_start = line->event == audit_event::start;
    if (is_start) before_start_ = summary_.lines_since_checkpoint;
    ++summary_.lines_since_checkpoint;
    is_stopped_ = line->event == audit_event::stop;
    summary_.has_end = is_stopped_ && key_ == nullptr;
    // A host that finds as many lines as there may be adds its `start` before it signs them.
    if (key_ != nullptr && !is_start && summary_.lines_since_checkpoint > max_lines_to_checkpoint)
      return fail("no checkpoint covers the " + std::to_string(max_lines_to_checkpoint) + " lines before it");
  }
  last_ = {line->seq, line->hash};
  if (known_ && known_->seq == last_.seq) {
    if (known_->hash != last_.hash) return fail("its hash is another one than the one that is known of it");
    has_known_ = true;
  }
  if (summary_.lines++ == 0) summary_.first_seq = last_.seq;
  summary_.head = last_;
  return {};
}

// The first line of all says itself which one is before it; that of a later file must say the last one of the file
// before.
Result<> AuditVerifier::check_place(const AuditLine& line, bool begins_file) {
  const bool may_begin = line.event == audit_event::start || line.event == audit_event::rotated;
  std::optional<AuditHash> previous;
  if (may_begin) {
    const auto digits = first_member(line, "previous");
    if (digits) previous = read_audit_hash(*digits);
    if (!previous) return fail("it does not say which line is before it");
  }
  if (begins_file && !may_begin) return fail("it is not the first line of a file: what was before it is gone");
  if (summary_.lines == 0) {
    if (line.seq == 1 && *previous != AuditHead{}.hash)
      return fail("it is the first line, and says that one is before");
    last_ = {line.seq - 1, *previous};
    return {};
  }
  if (line.seq != last_.seq + 1) {
    return fail("it is number " + std::to_string(line.seq) + ", and the line before it number " +
                std::to_string(last_.seq));
  }
  if (previous && *previous != last_.hash) return fail("it follows another line than the one before it");
  return {};
}

Result<> AuditVerifier::check_signature(const AuditLine& line) const {
  const auto text = first_member(line, "signature");
  const auto signature = text ? base64_decode(*text) : std::nullopt;
  if (!signature) return fail("it is a checkpoint without a signature");
  if (key_ == nullptr || key_->has_signed(checkpoint_text(last_), *signature)) return {};
  return fail("its signature is not by this key, or not of the line before it");
}

Result<> AuditVerifier::finish() const {
  if (known_ && !has_known_) {
    return fail("the line " + std::to_string(known_->seq) + " that is known is not there: the log has the lines " +
                std::to_string(summary_.first_seq) + " to " + std::to_string(summary_.head.seq));
  }
  if (key_ != nullptr && summary_.checkpoints == 0) return fail("there is no checkpoint, and so nothing is signed");
  return {};
}

Result<AuditSummary> verify_audit_files(const std::vector<std::filesystem::path>& files, AuditVerifier verifier) {
  for (const auto& file : files) {
    if (const auto verified = verify_file(file, verifier); verified.has_error()) return verified.error();
  }
  if (const auto finished = verifier.finish(); finished.has_error()) return finished.error();
  return verifier.summary();
}

}  // namespace mcph
