// What a page of HTML says, for an index: its text without markup, scripts and styles. A pure function that takes any
// text, in time that grows with its length.
#pragma once

#include <string>
#include <string_view>

namespace plugins::knowledge {

struct HtmlText {
  std::string title;  // empty if it has none
  std::string text;   // with single spaces
};

HtmlText text_of_html(std::string_view html);

}  // namespace plugins::knowledge
