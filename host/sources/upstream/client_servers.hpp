// The servers that clients keep in files of their own, as upstreams of this host. Values and a free function; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace mcph {

// A text of which a part, ${input:token} or ${TOKEN}, is known to the client alone: it is taken from this variable of
// the host's environment instead.
struct ImportedVariable {
  std::string name;
  std::string text;
};

struct ImportedUpstream {
  std::string name;
  OrderedJson settings;                           // what NAME.mcp.json is to say
  std::vector<std::string> dropped = {};          // members that mean nothing here
  std::vector<std::string> dropped_headers = {};  // that the host writes by itself
  bool is_disabled = false;                       // by its client's user
  std::vector<ImportedVariable> variables = {};   // that somebody must set
  std::vector<std::string> unknown = {};          // members that have such a part, where no variable can stand
};

// From {"mcpServers": {NAME: {...}}} or {"servers": {...}}.
Result<std::vector<ImportedUpstream>> read_client_servers(std::string_view text);

}  // namespace mcph
