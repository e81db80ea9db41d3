#include "docs/document_library.hpp"

#include <utility>

#include <mcp/plugin/typed.hpp>

#include "docs/built_in_document.hpp"
#include "docs/markdown_summary.hpp"
#include "shared/text.hpp"

namespace plugins::docs {
namespace {

constexpr int max_warnings = 50;

std::string uri_of(std::string_view path) {
  return "docs://" + percent_encoded_path(path);
}

bool has_unchanged(const Documents& documents, const std::string& path, const Document& document) {
  const auto found = documents.find(path);
  return found != documents.end() && found->second.is_unchanged(document);
}

}  // namespace

DocumentLibrary::DocumentLibrary(mcp::Plugin& plugin, DocumentFolder folder)
    : plugin_(plugin), folder_(std::move(folder)) {}

void DocumentLibrary::refresh() {
  auto scan = folder_.scan(seen_);
  if (!scan.is_complete && !std::exchange(has_warned_, true)) warn_of_more();
  for (const auto& [path, file] : scan.unlisted) {
    if (!seen_.unlisted.contains(path)) warn_of_unlisted(path, file.reason);
  }
  const auto& now = scan.documents;
  bool is_changed = now.empty() != has_built_in_;
  std::vector<std::string> gone_or_rewritten;
  for (const auto& [path, document] : seen_.documents) {
    if (has_unchanged(now, path, document)) continue;
    is_changed = true;
    withdraw(path);
    gone_or_rewritten.push_back(path);
  }
  // Between the two, because a document may have the name of the built-in one.
  set_built_in(now.empty());
  for (const auto& [path, document] : now) {
    if (has_unchanged(seen_.documents, path, document)) continue;
    is_changed = true;
    publish(path, document);
  }
  seen_ = std::move(scan);
  if (!is_changed) return;
  std::vector<std::string> paths;
  for (const auto& [path, document] : seen_.documents)
    paths.push_back(path);
  {
    const MutexLock lock(mutex_);
    paths_.swap(paths);
  }
  plugin_.components_changed();
  for (const std::string& path : gone_or_rewritten)
    plugin_.resource_updated(uri_of(path));
}

std::optional<std::string> DocumentLibrary::read(std::string_view path) const {
  try {
    auto content = folder_.read(path);
    if (!content && has_built_in_ && path == built_in_name) return std::string(built_in_document());
    return content;
  } catch (const FileError& error) {
    throw mcp::ProtocolError(mcp::invalid_params, '"' + std::string(path) + "\" " + error.what());
  }
}

std::vector<std::string> DocumentLibrary::paths() const {
  const MutexLock lock(mutex_);
  return paths_;
}

void DocumentLibrary::warn_of_more() {
  plugin_.warn("the folder " + folder_.path() + " has more than " + std::to_string(DocumentFolder::max_documents) +
               " documents, or documents with very long paths, or too many files to look at: some are not listed, and "
               "can be read by their path only. " +
               "Give a part of them to another instance of this plugin");
}

void DocumentLibrary::warn_of_unlisted(const std::string& path, const std::string& reason) {
  if (warnings_ == max_warnings) return;
  ++warnings_;
  plugin_.warn(path + " in " + folder_.path() + " is not listed, because it " + reason + ". Make it UTF-8 of at most " +
               std::to_string(DocumentFolder::max_document_size) + " bytes that this server may read" +
               (warnings_ == max_warnings ? "; no more of this kind is said" : ""));
}

void DocumentLibrary::withdraw(const std::string& path) {
  plugin_.remove_resource(uri_of(path));
}

void DocumentLibrary::publish(const std::string& path, const Document& document) {
  const auto modified = static_cast<std::time_t>(document.modified_nanoseconds / 1'000'000'000);
  plugin_.resource(uri_of(path), path, document.description, [this, path] { return read(path); })
      .title(document.title)
      .mime_type("text/markdown")
      .size(document.size)
      .annotations({.last_modified = utc_text(modified)});
}

void DocumentLibrary::set_built_in(bool is_wanted) {
  if (is_wanted == has_built_in_) return;
  has_built_in_ = is_wanted;
  if (!is_wanted) return withdraw(std::string(built_in_name));
  const MarkdownSummary summary = summarize_markdown(built_in_document());
  plugin_.resource(uri_of(built_in_name), built_in_name, summary.paragraph, [] { return built_in_document(); })
      .title(summary.title)
      .mime_type("text/markdown")
      .size(built_in_document().size());
}

}  // namespace plugins::docs
