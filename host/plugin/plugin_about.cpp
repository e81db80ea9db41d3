#include "plugin/plugin_about.hpp"

#include <cstddef>
#include <string_view>

#include "base/utf8.hpp"
#include "plugin/names.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_words = 1024;  // bytes

bool is_text(std::string_view text, std::size_t longest) {
  return text.size() <= longest && is_utf8(text);
}

bool is_web_address(std::string_view url) {
  return url.starts_with("https://") || url.starts_with("http://");
}

}  // namespace

Result<> check(const PluginAbout& about) {
  if (!about.id.empty() && !is_component_name(about.id)) {
    return fail("its plugin id \"" + about.id + "\" is not 1 to 128 characters of A-Za-z0-9_.-");
  }
  if (!is_text(about.vendor, max_name_size)) return fail("its plugin vendor is not up to 128 bytes of UTF-8 text");
  if (!is_text(about.description, max_words)) {
    return fail("its plugin description is not up to 1024 bytes of UTF-8 text");
  }
  if (!about.url.empty() && !(is_web_address(about.url) && is_text(about.url, max_words))) {
    return fail("its plugin url is not up to 1024 bytes that begin with https:// or http://");
  }
  return {};
}

}  // namespace mcph
