#include "http/secret_mask.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "http/url_template.hpp"
#include "mcp/plugin.hpp"
#include "shared/text.hpp"

namespace plugins::http {
namespace {

// As in JSON.
std::string quoted(const std::string& text) {
  const auto json = mcp::dump_json(text);
  return json.substr(1, json.size() - 2);
}

// As PHP writes it in JSON.
std::string with_escaped_slashes(const std::string& text) {
  std::string escaped;
  for (const char c : text)
    escaped.append(c == '/' ? 1 : 0, '\\').push_back(c);
  return escaped;
}

// As it is written again where it has been read as a number, of which only the first digits may be kept.
std::string reread_number(const std::string& text) {
  const auto json = mcp::Json::parse(text, nullptr, false);
  return json.is_number() ? json.dump() : text;
}

std::string lower_case_percent(std::string encoded) {
  for (std::size_t at = encoded.find('%'); at != std::string::npos; at = encoded.find('%', at + 1))
    for (const auto digit : {at + 1, at + 2})
      if (encoded[digit] >= 'A') encoded[digit] = static_cast<char>(encoded[digit] - 'A' + 'a');
  return encoded;
}

// A text in which each \uXXXX stands as its character, and where each byte of it comes from.
struct Unescaped {
  std::string text;
  std::vector<std::size_t> origins;  // of its bytes, and of its end

  void add(std::string_view bytes, std::size_t origin) {
    text += bytes;
    origins.insert(origins.end(), bytes.size(), origin);
  }
};

// The unit of an escape that begins there, behind one backslash or more: of JSON in JSON.
struct Escape {
  unsigned unit;
  std::size_t size;
};

std::optional<Escape> escape_at(std::string_view text) {
  const auto letter = std::min(text.find_first_not_of('\\'), text.size());
  if (letter == 0 || text.size() < letter + 5 || text[letter] != 'u') return std::nullopt;
  Escape escape{0, letter + 5};
  const auto* const end = text.data() + escape.size;
  const auto [read, error] = std::from_chars(text.data() + letter + 1, end, escape.unit, 16);
  if (error != std::errc() || read != end) return std::nullopt;
  return escape;
}

Unescaped unescaped(std::string_view text) {
  Unescaped result;
  for (std::size_t at = 0; at < text.size();) {
    auto escape = escape_at(text.substr(at));
    if (!escape) {
      // Of backslashes all that stand together, because none of them begins an escape either.
      const auto end = text[at] == '\\' ? std::min(text.find_first_not_of('\\', at), text.size()) : at + 1;
      for (; at < end; ++at)
        result.add(text.substr(at, 1), at);
      continue;
    }
    const bool is_high = escape->unit >= 0xD800 && escape->unit < 0xDC00;
    const auto low = is_high ? escape_at(text.substr(at + escape->size)) : std::nullopt;
    if (low && low->unit >= 0xDC00 && low->unit < 0xE000) {
      escape->unit = 0x10000 + ((escape->unit - 0xD800) << 10U) + (low->unit - 0xDC00);
      escape->size += low->size;
    }
    std::string character;
    append_utf8(character, escape->unit);
    result.add(character, at);
    at += escape->size;
  }
  result.origins.push_back(text.size());
  return result;
}

void replace_all(std::string& text, const std::string& form) {
  auto at = text.find(form);
  if (at == std::string::npos) return;
  std::string clean;
  std::size_t begin = 0;
  for (; at != std::string::npos; at = text.find(form, begin)) {
    clean.append(text, begin, at - begin).append(SecretMask::instead);
    begin = at + form.size();
  }
  text = clean.append(text, begin);
}

void replace_all_escaped(std::string& text, const std::vector<std::string>& forms) {
  auto plain = unescaped(text);
  for (const auto& form : forms) {
    std::string clean;
    std::size_t copied = 0;  // of the text
    for (auto at = plain.text.find(form); at != std::string::npos; at = plain.text.find(form, at + form.size())) {
      clean.append(text, copied, plain.origins[at] - copied).append(SecretMask::instead);
      copied = plain.origins[at + form.size()];
    }
    if (copied == 0) continue;
    text = clean.append(text, copied);
    plain = unescaped(text);
  }
}

}  // namespace

SecretMask::SecretMask(const std::vector<std::string>& secrets) {
  for (const auto& secret : secrets) {
    const auto in_url = percent_encoded(secret);
    // Twice quoted: of a server that says as a text in JSON which JSON it was sent.
    for (const auto& form : {quoted(quoted(secret)), with_escaped_slashes(quoted(secret)), quoted(secret), secret,
                             in_url, lower_case_percent(in_url), reread_number(secret)})
      if (std::ranges::find(forms_, form) == forms_.end()) forms_.push_back(form);
  }
  std::ranges::stable_sort(forms_, [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

std::string SecretMask::hide(std::string text) const {
  if (forms_.empty() || text.size() < forms_.back().size()) return text;
  for (const auto& form : forms_)
    replace_all(text, form);
  if (text.find("\\u") != std::string::npos) replace_all_escaped(text, forms_);
  return text;
}

bool SecretMask::finds_in(std::string_view bytes) const {
  const auto is_there = [bytes](const std::string& form) { return bytes.find(form) != std::string_view::npos; };
  if (std::ranges::any_of(forms_, is_there)) return true;
  // In what is no text, such as a picture, these are no escapes; reading them as such takes many times its memory.
  return bytes.find("\\u") != std::string_view::npos && is_text(bytes) && hide(std::string(bytes)) != bytes;
}

}  // namespace plugins::http
