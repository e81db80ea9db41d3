#include "auth/plain_uri.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/ascii.hpp"
#include "base/uri.hpp"

namespace mcph {
namespace {

constexpr std::string_view encoded_space = "%20";
constexpr std::string_view before_host = "file://";

// Whether what is percent-encoded in it may be taken for something else: a slash, or a character that URLs lose.
bool hides_something(std::string_view uri) {
  for (auto at = uri.find('%'); at != std::string_view::npos; at = uri.find('%', at + 1)) {
    const auto code = uri.substr(at, 3);
    if (code == "%2F" || code == "%5C" || code == "%7F" || code.starts_with("%0") || code.starts_with("%1"))
      return true;
  }
  return false;
}

// A query is looked at as a path is, because a template may take it for a part of one. `rest` begins after the slashes
// that belong to no part.
bool has_plain_parts(std::string_view rest) {
  const auto path_end = std::min(rest.find_first_of("?#"), rest.size());
  for (std::size_t begin = 0; begin < rest.size();) {
    const auto end = std::min(rest.find_first_of("/?#", begin), rest.size());
    const auto part = rest.substr(begin, end - begin);
    if (part == "." || part == ".." || (part.empty() && begin < path_end)) return false;
    begin = end + 1;
  }
  return true;
}

// Whether it is written as nobody changes it. Where there is none, too.
bool is_plain_host(std::string_view host) {
  const auto is_plain = [](char sign) {
    return (sign >= 'a' && sign <= 'z') || is_digit(sign) || sign == '-' || sign == '_' || sign == '.';
  };
  return std::ranges::all_of(host, is_plain) && !host.ends_with('.');
}

std::string_view host_of_file(std::string_view uri) {
  const auto rest = uri.substr(before_host.size());
  return rest.substr(0, std::min(rest.find_first_of("/?#"), rest.size()));
}

}  // namespace

bool is_plain_uri(std::string_view uri) {
  if (hides_something(uri) || !percent_decode(uri) || !has_canonical_origin(uri)) return false;
  // No scheme has anything encoded: it is a space, of which many leave out those at the beginning.
  const auto scheme_text = uri.substr(0, uri.find(':'));
  if (scheme_text.find('%') != std::string_view::npos) return false;
  const auto scheme = lower_case(std::string(scheme_text));
  // Some take "file:/a" for the same as "file:///a".
  if (scheme == "file" && (!uri.starts_with(before_host) || !is_plain_host(host_of_file(uri)))) return false;
  auto rest = uri.substr(std::min(scheme.size() + 1, uri.size()));
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    if (scheme == "file" && rest.starts_with('/')) rest.remove_prefix(1);
  } else if (rest.starts_with('/')) {
    rest.remove_prefix(1);
  }
  return has_plain_parts(rest);
}

std::string_view without_empty_end(std::string_view uri) {
  uri = uri.substr(0, uri.find_first_of("?#"));
  while (uri.ends_with('/') || uri.ends_with(encoded_space))
    uri.remove_suffix(uri.ends_with('/') ? 1 : encoded_space.size());
  return uri;
}

std::vector<std::string_view> readings_of(std::string_view uri, std::string& storage) {
  std::vector<std::string_view> readings{uri, without_empty_end(uri)};
  if (!uri.starts_with(before_host) || host_of_file(uri).empty()) return readings;
  storage = std::string(before_host) + std::string(uri.substr(before_host.size() + host_of_file(uri).size()));
  readings.insert(readings.end(), {storage, without_empty_end(storage)});
  return readings;
}

}  // namespace mcph
