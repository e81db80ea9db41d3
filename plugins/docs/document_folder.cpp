#include "docs/document_folder.hpp"

#include <cerrno>
#include <utility>

#include "docs/markdown_summary.hpp"
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

std::string name_without_ending(const std::string& name) {
  return name.substr(0, name.rfind('.'));
}

}  // namespace

FolderScan DocumentFolder::scan(const Documents& known) const {
  FolderScan scan;
  const auto add = [&](const WalkedEntry& entry) {
    if (!S_ISREG(entry.status.st_mode) || !is_markdown(entry.path.name()) || is_hidden(entry.path)) return true;
    scan.is_complete = scan.documents.size() < max_documents;
    if (!scan.is_complete) return false;
    // What vanished or became unreadable since the folder was read is left out.
    if (auto found = document(entry, known)) scan.documents.emplace(entry.path.text(), *std::move(found));
    return true;
  };
  try {
    const bool saw_all = directory_.walk({}, {.max_depth = max_depth}, add);
    scan.is_complete = scan.is_complete && saw_all;
  } catch (const FileError& error) {
    const bool is_gone = error.is_not_found() || error.is_not_a_folder();
    return {is_gone ? Documents() : known, true};
  }
  return scan;
}

std::optional<Document> DocumentFolder::document(const WalkedEntry& entry, const Documents& known) const {
  const timespec& modified = entry.status.st_mtim;
  Document document{static_cast<std::uint64_t>(entry.status.st_size),
                    std::int64_t{modified.tv_sec} * 1'000'000'000 + modified.tv_nsec,
                    {},
                    {}};
  const auto before = known.find(entry.path.text());
  if (before != known.end() && before->second.is_unchanged(document)) return before->second;
  try {
    const std::string content = directory_.read(entry.path, max_document_size);
    if (!is_text(content)) return std::nullopt;
    MarkdownSummary summary = summarize_markdown(content);
    document.title = summary.title.empty() ? name_without_ending(entry.path.name()) : std::move(summary.title);
    document.description = std::move(summary.paragraph);
  } catch (const FileError&) {
    return std::nullopt;
  }
  return document;
}

std::optional<std::string> DocumentFolder::read(std::string_view path) const {
  const auto place = RelativePath::parse(path);
  if (!place || place->is_empty() || !is_markdown(place->name()) || is_hidden(*place)) return std::nullopt;
  try {
    std::string content = directory_.read(*place, max_document_size);
    if (!is_text(content)) throw FileError(EILSEQ, "is not UTF-8 text");
    return content;
  } catch (const FileError& error) {
    if (error.is_not_found() || error.is_not_a_folder()) return std::nullopt;
    throw;
  }
}

}  // namespace plugins::docs
