// files: reads, writes and lists files below the folders that its configuration names, and reaches nothing else.
//
// Tools read_file, write_file, append_file and list_files, and the resource template file:///{+path}. A path is
// absolute
// ("/srv/docs/guide.md") or begins with the name of a root ("docs/guide.md"). files.json beside the plugin:
//
//   {
//     "roots": [
//       {"name": "docs", "path": "/srv/docs"},
//       {"name": "notes", "path": "/srv/notes", "writable": true}
//     ],
//     "maxFileBytes": 10485760
//   }
//
// Without roots every tool says how to configure them. ".." and symbolic links cannot lead out of a root; links that
// stay below it work, on kernels before Linux 5.6 not even those. A written file replaces the old one in one step.
#include <mcp/plugin/typed.hpp>

#include "files/setup.hpp"

MCP_PLUGIN("files", "1.0.0", plugins::files::setup)
