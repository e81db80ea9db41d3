#include "schema/uri.hpp"

#include <algorithm>
#include <optional>

namespace mcph::schema {
namespace {

// RFC 3986, appendix B. What is absent is not the same as what is empty.
struct Components {
  std::optional<std::string_view> scheme;
  std::optional<std::string_view> authority;
  std::string_view path;
  std::optional<std::string_view> query;
  std::optional<std::string_view> fragment;
};

std::optional<std::string_view> cut_tail(std::string_view& text, char mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto tail = text.substr(at + 1);
  text = text.substr(0, at);
  return tail;
}

Components components_of(std::string_view uri) {
  Components parts;
  parts.fragment = cut_tail(uri, '#');
  parts.query = cut_tail(uri, '?');
  const auto colon = uri.find_first_of(":/");
  if (colon != std::string_view::npos && colon > 0 && uri[colon] == ':') {
    parts.scheme = uri.substr(0, colon);
    uri.remove_prefix(colon + 1);
  }
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    const auto end = std::min(uri.find('/'), uri.size());
    parts.authority = uri.substr(0, end);
    uri.remove_prefix(end);
  }
  parts.path = uri;
  return parts;
}

// Section 5.2.4.
std::string remove_dot_segments(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../") || path == "/..") {
      path = path == "/.." ? "/" : path.substr(3);
      const auto last = out.rfind('/');
      out.erase(last == std::string::npos ? 0 : last);
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      const auto end = std::min(path.find('/', 1), path.size());
      out += path.substr(0, end);
      path.remove_prefix(end);
    }
  }
  return out;
}

// Section 5.2.3.
std::string merge_paths(const Components& base, std::string_view path) {
  if (base.authority && base.path.empty()) return "/" + std::string(path);
  const auto slash = base.path.rfind('/');
  if (slash == std::string_view::npos) return std::string(path);
  return std::string(base.path.substr(0, slash + 1)) + std::string(path);
}

std::string compose(const Components& parts, std::string_view path) {
  std::string uri;
  if (parts.scheme) uri.append(*parts.scheme).append(":");
  if (parts.authority) uri.append("//").append(*parts.authority);
  uri += path;
  if (parts.query) uri.append("?").append(*parts.query);
  if (parts.fragment) uri.append("#").append(*parts.fragment);
  return uri;
}

}  // namespace

SplitUri split_fragment(std::string_view uri) {
  const auto fragment = cut_tail(uri, '#');
  return {uri, fragment.value_or(std::string_view())};
}

std::string resolve_uri(std::string_view base, std::string_view reference) {
  const auto from = components_of(base);
  auto to = components_of(reference);
  if (to.scheme) return compose(to, remove_dot_segments(to.path));
  to.scheme = from.scheme;
  if (to.authority) return compose(to, remove_dot_segments(to.path));
  to.authority = from.authority;
  if (to.path.empty()) {
    if (!to.query) to.query = from.query;
    return compose(to, from.path);
  }
  if (to.path.starts_with('/')) return compose(to, remove_dot_segments(to.path));
  return compose(to, remove_dot_segments(merge_paths(from, to.path)));
}

}  // namespace mcph::schema
