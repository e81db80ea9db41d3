#include "base/json_pointer.hpp"

#include <charconv>
#include <system_error>

namespace mcph {
namespace {

std::string key_of_step(std::string_view step) {
  std::string key;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool is_escaped = step[i] == '~' && i + 1 < step.size();
    key += !is_escaped ? step[i] : step[++i] == '1' ? '/' : '~';
  }
  return key;
}

// Digits without leading zeros (RFC 6901, section 4).
JsonValue element_at(JsonValue array, std::string_view step) {
  std::size_t index = 0;
  const auto* const end = step.data() + step.size();
  const auto [read, error] = std::from_chars(step.data(), end, index);
  if (error != std::errc() || read != end || (step.front() == '0' && step.size() > 1)) return {};
  for (const auto element : array.elements()) {
    if (index-- == 0) return element;
  }
  return {};
}

}  // namespace

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
  return slash == std::string_view::npos ? std::string() : key_of_step(pointer.substr(slash + 1));
}

JsonValue value_at(JsonValue value, std::string_view pointer) {
  while (value && pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const auto step = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(step.size());
    value = value.is_array() ? element_at(value, step) : value.find(key_of_step(step));
  }
  return value;
}

}  // namespace mcph
