#include "plugin/added_capabilities.hpp"

#include <algorithm>
#include <cstddef>

#include "base/ascii.hpp"
#include "base/json_text.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_capabilities = 16;  // of each of the two
constexpr std::size_t max_capability_name = 128;
constexpr std::size_t max_settings = 4096;

bool is_label(std::string_view label) {
  return !label.empty() && is_letter(label.front()) && is_alphanumeric(label.back()) &&
         std::ranges::all_of(label, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool is_last_part(std::string_view name) {
  return !name.empty() && is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
         std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

Error bad(std::string_view name, std::string_view why) {
  return fail("capabilities.extensions " + dump(Json(name)) + " " + std::string(why));
}

// MCP 2026-07-28, basic, "_meta": the keys of extensions follow its rules, and have a prefix.
Result<> check_extension_name(std::string_view name) {
  const auto slash = name.find('/');
  if (slash == std::string_view::npos || name.size() > max_capability_name)
    return bad(name, "is not PREFIX/NAME of up to 128 characters, such as com.example/search");
  std::size_t labels = 0;
  for (auto rest = name.substr(0, slash);; ++labels) {
    const auto dot = rest.find('.');
    const auto label = rest.substr(0, dot);
    if (!is_label(label)) {
      return bad(name,
                 "has a prefix that is not made of labels with dots between them, each a letter, and letters, "
                 "digits and hyphens");
    }
    if (labels == 1 && (label == "modelcontextprotocol" || label == "mcp"))
      return bad(name, "has a prefix that is reserved for MCP; begin with a domain of yours in reverse");
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (is_last_part(name.substr(slash + 1))) return {};
  return bad(name,
             "does not end with letters, digits, hyphens, underscores and dots, the first and the last of them a "
             "letter or digit");
}

Result<> check_experimental_name(std::string_view name) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  if (!name.empty() && name.size() <= max_capability_name && std::ranges::none_of(name, is_control)) return {};
  return fail("capabilities.experimental has a name that is not 1 to 128 bytes without control characters");
}

Result<std::vector<Capability>> read_some(const OrderedJson& capabilities, const std::string& which,
                                          Result<> (*check_name)(std::string_view name)) {
  std::vector<Capability> read;
  const auto found = capabilities.find(which);
  if (found == capabilities.end()) return read;
  const auto where = "capabilities." + which;
  if (!found->is_object()) return fail(where + " is not an object");
  if (found->size() > max_capabilities)
    return fail(where + " has more than " + std::to_string(max_capabilities) + " members");
  for (const auto& [name, settings] : found->items()) {
    if (auto checked = check_name(name); checked.has_error()) return checked.error();
    if (!settings.is_object()) return fail(where + " " + dump(Json(name)) + " is not an object");
    auto json = dump(settings);
    if (json.size() > max_settings)
      return fail(where + " " + dump(Json(name)) + " has more than " + std::to_string(max_settings) + " bytes");
    read.push_back({name, std::move(json)});
  }
  return read;
}

}  // namespace

Result<AddedCapabilities> read_capabilities(const OrderedJson& capabilities) {
  if (!capabilities.is_object()) return fail("capabilities is not an object");
  for (const auto& [name, members] : capabilities.items()) {
    if (name != "extensions" && name != "experimental")
      return fail("capabilities has " + dump(Json(name)) + ", but its members are extensions and experimental");
  }
  auto extensions = read_some(capabilities, "extensions", check_extension_name);
  if (extensions.has_error()) return extensions.error();
  auto experimental = read_some(capabilities, "experimental", check_experimental_name);
  if (experimental.has_error()) return experimental.error();
  return AddedCapabilities{*std::move(extensions), *std::move(experimental)};
}

Result<AddedCapabilities> read_capabilities(std::string_view json) {
  const auto parsed = parse_ordered_json(json);
  if (parsed.has_error()) return fail("capabilities is not JSON: " + parsed.error().message);
  return read_capabilities(*parsed);
}

}  // namespace mcph
