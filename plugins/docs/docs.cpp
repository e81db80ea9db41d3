// docs: a folder of Markdown as resources. Each document is listed with its first heading as title, and docs://* reads
// any of them by its path in the folder: docs://guide/install.md.
//
// The folder is this plugin's data directory, which the log names, or the one in docs.json beside the plugin:
//
//   {"folder": "/srv/handbook", "rescanMilliseconds": 2000}
//
// What changes in the folder is noticed at once where the system tells of it, and within that time where it does not.
// While it holds no document, docs://README.md says what to do. Symbolic links inside it are not listed, and none leads
// out of it.
#include <mcp/plugin/typed.hpp>

#include "docs/setup.hpp"

MCP_PLUGIN("docs", "1.0.0", plugins::docs::setup,
           mcp::About{.vendor = "mcp-plugin-host", .description = "Serves a folder of Markdown documents."})
