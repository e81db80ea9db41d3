#include "docs/markdown_summary.hpp"

#include <cstddef>
#include <utility>

namespace plugins::docs {
namespace {

// Of a title, and of a paragraph.
constexpr std::size_t max_bytes = 200;
constexpr std::string_view blanks = " \t\r";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return trimmed(line);
}

// "---" to "---" at the very beginning.
void skip_front_matter(std::string_view& text) {
  std::string_view rest = text;
  if (take_line(rest) != "---") return;
  while (!rest.empty()) {
    if (take_line(rest) == "---") {
      text = rest;
      return;
    }
  }
}

bool is_fence(std::string_view line) {
  return line.starts_with("```") || line.starts_with("~~~");
}

// "=====" or "-----": the text above it is a heading.
bool is_underline(std::string_view line) {
  return (line.starts_with('=') || line.starts_with('-')) &&
         line.find_first_not_of(line.front()) == std::string_view::npos;
}

// Empty if the line is no heading: "## Title ##".
std::string_view heading(std::string_view line) {
  const std::size_t level = line.find_first_not_of('#');
  if (level == 0 || level > 6 || level == std::string_view::npos || line[level] != ' ') return {};
  const std::string_view title = trimmed(line.substr(level));
  const std::size_t end = title.find_last_not_of('#');
  const bool is_closed = end != std::string_view::npos && end + 1 < title.size() && title[end] == ' ';
  return is_closed ? trimmed(title.substr(0, end)) : title;
}

// Text, rather than a picture, a badge, HTML, a quotation, a table or a rule.
bool begins_paragraph(std::string_view line) {
  constexpr std::string_view others = "#!<>|-=*+`~[";
  return others.find(line.front()) == std::string_view::npos || line.starts_with("**");
}

std::string cut_off(std::string text) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.substr(0, end) + "...";
}

class Summary {
 public:
  void add(std::string_view line) {
    if (is_fence(line)) is_in_fence_ = !is_in_fence_;
    if (is_in_fence_ || is_fence(line) || line.empty()) {
      end_paragraph();
    } else if (const std::string_view title = heading(line); !title.empty()) {
      end_paragraph();
      if (summary_.title.empty()) summary_.title = cut_off(std::string(title));
    } else if (is_underline(line) && !paragraph_.empty()) {
      if (summary_.title.empty()) summary_.title = cut_off(paragraph_);
      paragraph_.clear();
    } else if (!paragraph_.empty() || begins_paragraph(line)) {
      if (!paragraph_.empty()) paragraph_ += ' ';
      paragraph_ += line;
    }
  }

  bool is_complete() const { return !summary_.title.empty() && !summary_.paragraph.empty(); }

  MarkdownSummary finish() {
    end_paragraph();
    return std::move(summary_);
  }

 private:
  void end_paragraph() {
    if (summary_.paragraph.empty()) summary_.paragraph = cut_off(std::move(paragraph_));
    paragraph_.clear();
  }

  MarkdownSummary summary_;
  std::string paragraph_;
  bool is_in_fence_ = false;
};

}  // namespace

MarkdownSummary summarize_markdown(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  skip_front_matter(text);
  Summary summary;
  while (!text.empty() && !summary.is_complete())
    summary.add(take_line(text));
  return summary.finish();
}

}  // namespace plugins::docs
