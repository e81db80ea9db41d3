// SecretMask: hides secrets in what is told of a request. An immutable value; any number of threads may use one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plugins::http {

class SecretMask {
 public:
  explicit SecretMask(const std::vector<std::string>& secrets);

  static constexpr std::string_view instead = "[secret]";

  bool is_empty() const { return forms_.empty(); }
  // `text` with `instead` in place of each secret, also where one is written as in a URL or in JSON, with escapes of
  // whatever characters.
  std::string hide(std::string text) const;
  // How many bytes a secret takes at most that is sent with up to eight for each of its own: "\\u0061" is an "a". 0:
  // there is none.
  std::size_t max_size() const { return forms_.empty() ? 0 : 8 * forms_.front().size(); }
  // Whether the text is a secret, and nothing else.
  bool is_secret(const std::string& text) const { return hide(text) == instead; }
  // Whether there is something to hide in what may be no text.
  bool finds_in(std::string_view bytes) const;

 private:
  std::vector<std::string> forms_;  // the longest first, because one secret may begin another
};

}  // namespace plugins::http
