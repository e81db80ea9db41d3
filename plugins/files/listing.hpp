// What list_files answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mcp/plugin/typed.hpp>

#include "files/roots.hpp"

namespace plugins::files {

inline constexpr int max_list_depth = 32;
inline constexpr int max_list_entries = 10000;

enum class EntryType { file, folder, link, other, missing };

constexpr auto mcp_enum(EntryType) {
  return mcp::enum_names<EntryType>({{EntryType::file, "file"},
                                     {EntryType::folder, "folder"},
                                     {EntryType::link, "link"},
                                     {EntryType::other, "other"},
                                     {EntryType::missing, "missing"}});
}

struct Entry {
  std::string path;
  EntryType type = EntryType::other;
  std::optional<std::int64_t> size = {};
  std::optional<std::string> modified = {};
  static constexpr auto fields() {
    return std::tuple{mcp::field("path", &Entry::path, "Absolute"),
                      mcp::field("type", &Entry::type, "Only a root can be missing"),
                      mcp::field("size", &Entry::size, "Of a file, in bytes"),
                      mcp::field("modified", &Entry::modified, "ISO 8601, UTC")};
  }
};

struct Listing {
  std::vector<Entry> entries;
  bool complete = true;
  static constexpr auto fields() {
    return std::tuple{
        mcp::field("entries", &Listing::entries, "By name, each folder before what is in it"),
        mcp::field("complete", &Listing::complete, "False if a limit cut the list short, or a part could not be read")};
  }
};

struct ListQuery {
  std::optional<std::string> path;
  int depth = 1;
  std::optional<std::string> pattern;
  int limit = 1000;
  bool show_hidden = true;
  bool recursive = false;
  static constexpr auto fields() {
    return std::tuple{
        mcp::field("path", &ListQuery::path, "The folder, absolute or from the name of a root. Left out: the roots"),
        mcp::field("depth", &ListQuery::depth, "How many levels of folders; 1 is the folder alone")
            .min(1)
            .max(max_list_depth)
            .default_value(1),
        mcp::field("pattern", &ListQuery::pattern,
                   "Only entries whose name matches, such as \"*.md\"; with a \"/\" in it, whose path below the folder "
                   "matches. * is any text, ? one character")
            .max_length(256),
        mcp::field("limit", &ListQuery::limit, "At most this many entries")
            .min(1)
            .max(max_list_entries)
            .default_value(1000),
        mcp::field("show_hidden", &ListQuery::show_hidden, "Also what begins with \".\", and what is in it")
            .default_value(true),
        mcp::field("recursive", &ListQuery::recursive, "All levels of folders, whatever the depth")
            .default_value(false)};
  }
};

Listing list_roots(const Roots& roots);

// Throws PathError; std::runtime_error if the call is cancelled.
Listing list_folder(const Location& folder, const ListQuery& query, const mcp::Context& context);

}  // namespace plugins::files
