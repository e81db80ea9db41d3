// What a Markdown text is about, for a list: its first heading, and its first paragraph. A pure function.
#pragma once

#include <string>
#include <string_view>

namespace plugins::docs {

struct MarkdownSummary {
  std::string title;      // empty if there is no heading
  std::string paragraph;  // on one line, cut off after some 200 bytes; empty if there is none
};

// Headings inside code blocks and front matter are none. A byte order mark at the beginning is not part of the text.
MarkdownSummary summarize_markdown(std::string_view text);

}  // namespace plugins::docs
