// What of an upstream is served, and under which names: a prefix, single names, and patterns of what is wanted. A
// value; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/component_pattern.hpp"
#include "base/result.hpp"

namespace mcph {

// A pattern in the operator's words.
struct WrittenPattern {
  static Result<WrittenPattern> read(const std::string& text);

  std::string text;
  ComponentPattern pattern;
};

struct UpstreamNames {
  std::string prefix = {};  // of tools and prompts that have no name of their own here
  std::map<std::string, std::string, std::less<>> rename = {};  // of tools and prompts, from the upstream's names
  std::vector<WrittenPattern> include = {};                     // by the upstream's names; empty: everything
  std::vector<WrittenPattern> exclude = {};                     // and of that, not these

  bool serves(ComponentPattern::Kind kind, std::string_view name) const;
  // By "exclude", whether it is listed or not.
  bool excludes(ComponentPattern::Kind kind, std::string_view name) const;
  // What clients call a tool or a prompt. Of a tool whose name has characters that it should not have (server/tools,
  // "Tool Names"), with "_" in place of each.
  std::string name_here(ComponentPattern::Kind kind, std::string_view name) const;
};

}  // namespace mcph
