#include "plugin/plugin_store.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace mcph {
namespace {

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

StoreAnswer invalid(std::string why) {
  return {StoreStatus::invalid, std::move(why)};
}

}  // namespace

std::optional<StoreAnswer> check(const StoreOperation& operation) {
  const auto& [kind, key, value, if_revision] = operation;
  if (key.size() > max_store_key) {
    return invalid("a key has at most " + std::to_string(max_store_key) + " bytes, not " + std::to_string(key.size()));
  }
  if (key.empty() && kind != StoreOperation::Kind::list) return invalid("a key is not empty");
  if (!is_utf8(key) || has_control_characters(key)) return invalid("a key is UTF-8 text without control characters");
  if (value.size() > max_store_value) {
    return invalid("a value has at most " + std::to_string(max_store_value) + " bytes, not " +
                   std::to_string(value.size()) + "; keep larger ones in files of the plugin's data directory");
  }
  return std::nullopt;
}

}  // namespace mcph
