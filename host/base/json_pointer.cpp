#include "base/json_pointer.hpp"

namespace mcph {

std::string append_to_pointer(std::string pointer, std::string_view key) {
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

std::string last_of_pointer(std::string_view pointer) {
  const auto slash = pointer.rfind('/');
  const auto step = slash == std::string_view::npos ? std::string_view() : pointer.substr(slash + 1);
  std::string key;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool is_escaped = step[i] == '~' && i + 1 < step.size();
    key += !is_escaped ? step[i] : step[++i] == '1' ? '/' : '~';
  }
  return key;
}

}  // namespace mcph
