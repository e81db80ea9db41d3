#include "plugin/library/linker_refusal.hpp"

#include <cstddef>
#include <optional>

#include <boost/core/demangle.hpp>

#if __has_include(<gnu/libc-version.h>)
#include <gnu/libc-version.h>
#endif

namespace mcph {
namespace {

// The dynamic linker's own words, out of "... (dlerror system message: WORDS): Bad file descriptor ...".
std::string_view words_of(std::string_view what) {
  constexpr std::string_view before = "dlerror system message: ";
  const auto begin = what.find(before);
  if (begin == std::string_view::npos) return what;
  what.remove_prefix(begin + before.size());
  return what.substr(0, what.rfind("): "));
}

// Most messages begin with the library that they are about, which the reader knows by another name. Where another one
// is told that this one needs it, it stands further behind.
std::string without_path(std::string words, const std::string& private_path) {
  if (words.starts_with(private_path)) words.erase(0, words.find_first_not_of(": ", private_path.size()));
  for (auto at = words.find(private_path); at != std::string::npos; at = words.find(private_path, at)) {
    words.replace(at, private_path.size(), "it");
  }
  return words;
}

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string version_of_libc() {
#ifdef __GLIBC__
  return std::string(" (it has ") + ::gnu_get_libc_version() + ")";
#else
  return {};
#endif
}

// "LIBRARY: version `VERSION' not found (required by USER)"
std::optional<Error> missing_version(std::string_view words) {
  constexpr std::string_view before_version = ": version `";
  constexpr std::string_view before_user = "' not found (required by ";
  const auto version_at = words.find(before_version);
  const auto user_at = words.find(before_user);
  if (version_at == words.npos || user_at == words.npos || user_at < version_at) return std::nullopt;
  const auto library = file_name(words.substr(0, version_at));
  const auto begin = version_at + before_version.size();
  const auto version = words.substr(begin, user_at - begin);
  auto user = words.substr(user_at + before_user.size());
  if (user.ends_with(')')) user.remove_suffix(1);

  std::string text = user == "it" ? "it needs " : "the library " + file_name(user) + ", which it uses, needs ";
  text.append(version).append(" of ").append(library).append(", which this system does not have");
  // The C library is one with the system.
  text += version.starts_with("GLIBC_") ? version_of_libc() + ": " : ": install a newer " + library + ", or ";
  return fail_for_now(text + "build it on this or an older system");
}

// Also "typeinfo for mcp::ToolError". A form of JSON is what the plugin's author defines in that namespace.
bool is_of_plugin_api(std::string_view symbol) {
  return (symbol.starts_with("mcp::") && !symbol.starts_with("mcp::JsonForm<")) ||
         symbol.find(" for mcp::") != symbol.npos;
}

// "undefined symbol: SYMBOL", or "..., version VERSION": a C++ symbol as its source has it.
std::string with_symbol_as_written(std::string words) {
  constexpr std::string_view before = "undefined symbol: ";
  const auto found = words.find(before);
  if (found == words.npos) return words;
  const auto begin = found + before.size();
  const auto symbol = words.substr(begin, words.find_first_of(", \t", begin) - begin);
  // A name of C may look like a mangled type: "i" is int.
  const auto written = symbol.starts_with("_Z") ? boost::core::demangle(symbol.c_str()) : symbol;
  words.replace(begin, symbol.size(), written);
  if (is_of_plugin_api(written)) return words + "; use add_mcp_plugin() or link libmcp_plugin.a";
  return words + "; link what defines it";
}

}  // namespace

Error linker_refusal(std::string_view what, const std::string& private_path) {
  const auto words = without_path(std::string(words_of(what)), private_path);
  if (auto error = missing_version(words)) return *std::move(error);
  constexpr std::string_view missing = ": cannot open shared object file";
  if (const auto at = words.find(missing); at != std::string::npos) {
    return fail_for_now(
        "it needs the library " + words.substr(0, at) +
        ", which the system does not find; install it, or put it beside the plugin into a bundle, the " +
        "folder NAME.plugin (add_mcp_plugin(... LIBRARIES ...))");
  }
  return fail("the dynamic linker refused it: " + with_symbol_as_written(words));
}

}  // namespace mcph
