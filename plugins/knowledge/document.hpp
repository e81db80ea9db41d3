// Which files are documents, and what they say. Pure functions but for reading PDFs.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "knowledge/pdf_text.hpp"
#include "shared/relative_path.hpp"

namespace plugins::knowledge {

enum class Kind { markdown, text, html, pdf };

// The longest text that is indexed of one document; the rest of a longer one is not found.
constexpr std::size_t max_text_bytes = 4'194'304;

// By the end of its name. Nothing if it is none, or it or a folder above it begins with a dot.
std::optional<Kind> kind_of(const RelativePath& path);
std::string_view mime_type_of(Kind kind);

std::string uri_of(std::string_view path);

struct DocumentText {
  std::string title;
  std::string text;
};

// Throws as text_of_pdf does, and std::runtime_error for what is no text.
DocumentText read_document(const RelativePath& path, Kind kind, const std::string& content,
                           std::chrono::milliseconds pdf_time, const std::atomic<bool>& is_stopped);

}  // namespace plugins::knowledge
