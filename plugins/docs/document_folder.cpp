#include "docs/document_folder.hpp"

#include <cerrno>
#include <utility>

#include "docs/markdown_summary.hpp"
#include "shared/described_bytes.hpp"
#include "shared/text.hpp"

namespace plugins::docs {
namespace {

bool is_markdown(std::string_view name) {
  const std::string lower = lower_case(name);
  return !lower.starts_with('.') && (lower.ends_with(".md") || lower.ends_with(".markdown"));
}

bool is_hidden(const RelativePath& path) {
  for (const std::string& component : path.components()) {
    if (component.starts_with('.')) return true;
  }
  return false;
}

std::int64_t nanoseconds_of(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::string name_without_ending(const std::string& name) {
  return name.substr(0, name.rfind('.'));
}

// What was there before, and may be there still.
void keep_unseen(const FolderScan& before, FolderScan& scan) {
  for (const auto& known : before.documents) {
    if (scan.documents.size() == DocumentFolder::max_documents) break;
    if (!scan.unlisted.contains(known.first)) scan.documents.insert(known);
  }
  for (const auto& known : before.unlisted) {
    if (!scan.documents.contains(known.first)) scan.unlisted.insert(known);
  }
}

}  // namespace

FolderScan DocumentFolder::scan(const FolderScan& before) const {
  FolderScan scan;
  bool has_failed = false;
  std::size_t bytes = 0;
  const auto add = [&](const WalkedEntry& entry) {
    if (!S_ISREG(entry.status.st_mode) || !is_markdown(entry.path.name()) || is_hidden(entry.path)) return true;
    scan.is_complete = scan.documents.size() < max_documents && bytes < max_described_bytes;
    if (!scan.is_complete) return false;
    const auto path = entry.path.text();
    const auto size = static_cast<std::uint64_t>(entry.status.st_size);
    const auto changed = nanoseconds_of(entry.status.st_ctim);
    const auto unlisted = before.unlisted.find(path);
    if (unlisted != before.unlisted.end() && unlisted->second.is_unchanged(size, changed)) {
      scan.unlisted.insert(*unlisted);
      return true;
    }
    try {
      const auto& added = scan.documents.emplace(path, document(entry, before.documents)).first->second;
      bytes += described_bytes(path, added.title.size() + added.description.size());
    } catch (const FileError& error) {
      // What has vanished since the folder was read is no file, and what fails at the moment is tried again.
      if (error.is_of_the_moment()) {
        has_failed = true;
      } else if (!error.is_not_found()) {
        scan.unlisted.emplace(path, UnlistedFile{size, changed, error.what()});
      }
    }
    return true;
  };
  try {
    const WalkGaps gaps = directory_.walk({}, {.max_depth = max_depth}, add);
    scan.is_complete = scan.is_complete && !gaps.reached_limit;
    has_failed = has_failed || gaps.has_failed;
  } catch (const FileError& error) {
    const bool is_gone = error.is_not_found() || error.is_not_a_folder();
    return is_gone ? FolderScan() : FolderScan{before.documents, before.unlisted, true};
  }
  if (has_failed) keep_unseen(before, scan);
  return scan;
}

Document DocumentFolder::document(const WalkedEntry& entry, const Documents& known) const {
  Document document{static_cast<std::uint64_t>(entry.status.st_size), nanoseconds_of(entry.status.st_mtim), {}, {}};
  const auto before = known.find(entry.path.text());
  if (before != known.end() && before->second.is_unchanged(document)) return before->second;
  MarkdownSummary summary = summarize_markdown(text(entry.path));
  document.title = summary.title.empty() ? name_without_ending(entry.path.name()) : std::move(summary.title);
  document.description = std::move(summary.paragraph);
  return document;
}

std::string DocumentFolder::text(const RelativePath& path) const {
  std::string content = directory_.read(path, max_document_size);
  if (!is_text(content)) throw FileError(EILSEQ, "is not UTF-8 text");
  return content;
}

std::optional<std::string> DocumentFolder::read(std::string_view path) const {
  const auto place = RelativePath::parse(path);
  if (!place || place->is_empty() || !is_markdown(place->name()) || is_hidden(*place)) return std::nullopt;
  try {
    return text(*place);
  } catch (const FileError& error) {
    if (error.is_not_found() || error.is_not_a_folder()) return std::nullopt;
    throw;
  }
}

}  // namespace plugins::docs
