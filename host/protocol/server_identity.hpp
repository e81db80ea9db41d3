// Who a server says it is, to clients and to whoever looks for servers: an Implementation of the protocol. A value.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"

namespace mcph {

struct ServerIcon {
  std::string source = {};              // a URL, https: or data:
  std::string mime_type = {};           // empty: not said
  std::vector<std::string> sizes = {};  // "48x48", "any"; none: any
  std::string theme = {};               // "light" or "dark"; empty: any

  friend bool operator==(const ServerIcon&, const ServerIcon&) = default;
};

struct ServerIdentity {
  std::string name;
  std::string title;
  std::string version;
  std::string description = {};
  std::string website = {};  // a URL
  std::vector<ServerIcon> icons = {};

  // What every revision knows, and what goes with every answer.
  OrderedJson brief() const;
  // All of it (2025-11-25 and 2026-07-28, schema, "Implementation").
  OrderedJson full() const;
};

}  // namespace mcph
