#include "knowledge/html_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "shared/text.hpp"

namespace plugins::knowledge {
namespace {

constexpr auto npos = std::string_view::npos;

// What these contain is not read.
constexpr std::array<std::string_view, 4> silent{"script", "style", "template", "svg"};
// These are within words; every other tag is between them.
constexpr auto inline_tags =
    std::to_array<std::string_view>({"a", "abbr", "b", "code", "em", "font", "i", "kbd", "mark", "s", "small", "span",
                                     "strong", "sub", "sup", "u", "wbr"});

constexpr auto entities = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"amp", "&"},    {"lt", "<"},     {"gt", ">"},     {"quot", "\""},  {"apos", "'"},   {"nbsp", " "},
    {"auml", "ä"},   {"ouml", "ö"},   {"uuml", "ü"},   {"Auml", "Ä"},   {"Ouml", "Ö"},   {"Uuml", "Ü"},
    {"szlig", "ß"},  {"eacute", "é"}, {"egrave", "è"}, {"ecirc", "ê"},  {"agrave", "à"}, {"aacute", "á"},
    {"ccedil", "ç"}, {"ntilde", "ñ"}, {"oacute", "ó"}, {"iacute", "í"}, {"uacute", "ú"}, {"copy", "©"},
    {"euro", "€"},   {"ndash", "–"},  {"mdash", "—"},  {"hellip", "…"}, {"lsquo", "‘"},  {"rsquo", "’"},
    {"ldquo", "“"},  {"rdquo", "”"},
});

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\0';
}

// Nothing for what is no character that a text may have.
std::string utf8_of(std::uint32_t code) {
  if (code < 0x20 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return " ";
  std::string text;
  append_utf8(text, code);
  return text;
}

class Reader {
 public:
  explicit Reader(std::string_view html) : rest_(html) {}

  HtmlText read() {
    while (!rest_.empty()) {
      if (rest_.front() == '<' && begins_markup()) {
        take_markup();
      } else if (rest_.front() == '&') {
        take_entity();
      } else {
        add(rest_.front());
        rest_.remove_prefix(1);
      }
    }
    trim(text_);
    trim(title_);
    return {std::move(title_), std::move(text_)};
  }

 private:
  bool begins_markup() const {
    return rest_.size() > 1 && (is_letter(rest_[1]) || rest_[1] == '/' || rest_[1] == '!' || rest_[1] == '?');
  }

  void take_markup() {
    if (rest_.starts_with("<!--")) return skip_behind("-->");
    const bool is_end = rest_[1] == '/';
    std::size_t at = is_end ? 2 : 1;
    const std::size_t begin = at;
    while (at < rest_.size() && (is_letter(rest_[at]) || (rest_[at] >= '0' && rest_[at] <= '9')))
      ++at;
    const std::string name = lower_case(rest_.substr(begin, at - begin));
    const bool ends_itself = skip_tag(at);
    if (std::find(inline_tags.begin(), inline_tags.end(), name) == inline_tags.end()) add(' ');
    if (name == "title") in_title_ = !is_end && !ends_itself && title_.empty();
    if (!is_end && std::find(silent.begin(), silent.end(), name) != silent.end()) skip_element(name, ends_itself);
  }

  // To behind the > that is in no quotes, which are some only where a value begins. True if it is that of "/>".
  bool skip_tag(std::size_t at) {
    enum class In { names, equals, value } in = In::names;
    char quote = '\0';
    for (; at < rest_.size(); ++at) {
      const char c = rest_[at];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '>') {
        break;
      } else if (in == In::equals && (c == '"' || c == '\'')) {
        quote = c;
        in = In::names;
      } else if (is_space(c)) {
        if (in == In::value) in = In::names;
      } else if (in != In::names) {
        in = In::value;
      } else if (c == '=') {
        in = In::equals;
      }
    }
    const bool ends_itself = at < rest_.size() && rest_[at - 1] == '/';
    rest_.remove_prefix(std::min(at + 1, rest_.size()));
    return ends_itself;
  }

  // To its end tag. What "/>" ends in XHTML goes on in HTML: it has ended unless the next tag of its name is an end.
  void skip_element(const std::string& name, bool ends_itself) {
    for (std::size_t at = rest_.find('<'); at != npos; at = rest_.find('<', at + 1)) {
      const bool is_end = rest_.substr(at).starts_with("</");
      if (!is_end && !ends_itself) continue;
      if (lower_case(rest_.substr(at + (is_end ? 2 : 1), name.size())) != name) continue;
      if (is_end) rest_.remove_prefix(at);
      return;
    }
    if (!ends_itself) rest_ = {};
  }

  void skip_behind(std::string_view end) {
    const auto at = rest_.find(end);
    rest_.remove_prefix(at == npos ? rest_.size() : at + end.size());
  }

  void take_entity() {
    constexpr std::size_t longest = 12;
    const auto end = rest_.substr(0, longest).find(';');
    const auto name = end == npos ? std::string_view() : rest_.substr(1, end - 1);
    const auto decoded = entity(name);
    add(decoded.empty() ? "&" : decoded);
    rest_.remove_prefix(decoded.empty() ? 1 : end + 1);
  }

  static std::string entity(std::string_view name) {
    if (name.starts_with('#') && name.size() > 1) {
      const bool is_hex = name[1] == 'x' || name[1] == 'X';
      name.remove_prefix(is_hex ? 2 : 1);
      std::uint32_t code = 0;
      const auto result = std::from_chars(name.data(), name.data() + name.size(), code, is_hex ? 16 : 10);
      return result.ec == std::errc() && result.ptr == name.data() + name.size() ? utf8_of(code) : "";
    }
    for (const auto& [each, text] : entities) {
      if (each == name) return std::string(text);
    }
    return {};
  }

  void add(std::string_view text) {
    for (const char c : text)
      add(c);
  }
  void add(char c) {
    std::string& to = in_title_ ? title_ : text_;
    if (!is_space(c)) {
      to += c;
    } else if (!to.empty() && to.back() != ' ') {
      to += ' ';
    }
  }

  static void trim(std::string& text) {
    if (text.ends_with(' ')) text.pop_back();
  }

  std::string_view rest_;
  std::string title_;
  std::string text_;
  bool in_title_ = false;
};

}  // namespace

HtmlText text_of_html(std::string_view html) {
  return Reader(html).read();
}

}  // namespace plugins::knowledge
