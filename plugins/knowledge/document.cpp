#include "knowledge/document.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "knowledge/html_text.hpp"
#include "shared/text.hpp"

namespace plugins::knowledge {
namespace {

constexpr auto endings = std::to_array<std::pair<std::string_view, Kind>>({{".md", Kind::markdown},
                                                                           {".markdown", Kind::markdown},
                                                                           {".txt", Kind::text},
                                                                           {".text", Kind::text},
                                                                           {".rst", Kind::text},
                                                                           {".adoc", Kind::text},
                                                                           {".org", Kind::text},
                                                                           {".html", Kind::html},
                                                                           {".htm", Kind::html},
                                                                           {".xhtml", Kind::html},
                                                                           {".pdf", Kind::pdf}});
constexpr std::size_t max_title_bytes = 200;

// At most so many bytes, without half a character at the end.
std::string_view cut(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80)
    --bytes;
  return text.substr(0, bytes);
}

// Without blanks at its end.
std::string_view take_line(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);  // npos + 1 is 0
}

// Which is from "---" to "---" at the very beginning.
std::string_view without_front_matter(std::string_view text) {
  auto rest = text;
  if (take_line(rest) != "---") return text;
  while (!rest.empty()) {
    if (take_line(rest) == "---") return rest;
  }
  return text;
}

// The sign of the fence that the line is, or NUL.
char fence_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  // With another one behind it, it is a span of code in a line.
  const bool is_span = line.find('`', line.find_first_not_of('`')) != std::string_view::npos;
  return (line.starts_with("```") && !is_span) || line.starts_with("~~~") ? line.front() : '\0';
}

// Where there are fences of code, "#" begins comments.
std::string_view first_heading(std::string_view text) {
  char open_fence = '\0';
  for (text = without_front_matter(text); !text.empty();) {
    const auto line = take_line(text);
    const char fence = fence_of(line);
    if (fence != '\0' && (open_fence == '\0' || open_fence == fence)) {
      open_fence = open_fence == '\0' ? fence : '\0';
      continue;
    }
    const auto begin = line.find_first_not_of('#');
    if (open_fence != '\0' || begin == 0 || begin == std::string_view::npos || line[begin] != ' ') continue;
    const auto first = line.find_first_not_of(' ', begin);
    return line.substr(first, line.find_last_not_of(" #") - first + 1);
  }
  return {};
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

DocumentText read_text(Kind kind, std::string_view content) {
  if (!is_text(content)) throw std::runtime_error("is not UTF-8 text");
  content = without_mark(content);
  if (kind == Kind::html) {
    auto html = text_of_html(content);
    return {std::move(html.title), std::move(html.text)};
  }
  return {std::string(kind == Kind::markdown ? first_heading(content) : std::string_view()), std::string(content)};
}

// What the program says may end in half a character, and has control characters.
std::string cleaned(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n'; }, ' ');
  if (!is_text(text)) text = cut(text, text.size() - std::min<std::size_t>(text.size(), 4));
  return text;
}

}  // namespace

std::optional<Kind> kind_of(const RelativePath& path) {
  for (const auto& component : path.components()) {
    if (component.starts_with('.')) return std::nullopt;
  }
  if (path.is_empty()) return std::nullopt;
  const auto name = lower_case(path.name());
  for (const auto& [ending, kind] : endings) {
    if (name.ends_with(ending)) return kind;
  }
  return std::nullopt;
}

std::string_view mime_type_of(Kind kind) {
  switch (kind) {
    case Kind::markdown:
      return "text/markdown";
    case Kind::html:
      return "text/html";
    default:
      return "text/plain";
  }
}

std::string uri_of(std::string_view path) {
  return "knowledge://" + percent_encoded_path(path);
}

DocumentText read_document(const RelativePath& path, Kind kind, const std::string& content,
                           std::chrono::milliseconds pdf_time, const std::atomic<bool>& is_stopped) {
  auto document = kind == Kind::pdf
                      ? DocumentText{{}, cleaned(text_of_pdf(content, {pdf_time, max_text_bytes}, is_stopped))}
                      : read_text(kind, content);
  if (document.title.empty()) document.title = path.name().substr(0, path.name().rfind('.'));
  document.title = cut(document.title, max_title_bytes);
  document.text = cut(document.text, max_text_bytes);
  return document;
}

}  // namespace plugins::knowledge
