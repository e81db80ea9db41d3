// files: reads, writes and lists files below the folders that its configuration names, and reaches nothing else.
//
// Tools read_file, write_file, append_file and list_files, and the resource template file:///{+path}. A path is
// absolute ("/srv/docs/guide.md") or begins with the name of a root ("docs/guide.md"). files.json beside the plugin:
//
//   {
//     "roots": [
//       {"name": "docs", "path": "/srv/docs"},
//       {"name": "notes", "path": "/srv/notes", "writable": true}
//     ],
//     "maxFileBytes": 10485760,
//     "watch": true
//   }
//
// Who subscribed to a file is told when it changes, whoever changes it: the folders of the roots are watched, up to a
// bound, unless "watch" is false. Where they cannot be, only what this plugin writes itself is told, and the log says
// so.
//
// Without roots there is nothing of all that, and the log says how to configure them; without a writable one, there are
// no tools that write. Neither ".." nor a symbolic link leads out of a root. Relative links that stay below it work,
// except on Linux before 5.6, where none does. Where roots lie in one another, the innermost says whether a path may be
// written; a link from an outer root into an inner one is followed as the outer root allows. A written file replaces
// the old one in one step.
#include <mcp/plugin/typed.hpp>

#include "files/setup.hpp"

MCP_PLUGIN("files", "1.0.0", plugins::files::setup,
           mcp::About{.vendor = "mcp-plugin-host",
                      .description = "Reads, writes and lists files below configured folders."})
