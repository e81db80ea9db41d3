#include "docs/built_in_document.hpp"

namespace plugins::docs {

std::string_view built_in_document() {
  return R"(# Your documents go here

This server can serve a folder of Markdown files as resources, and the folder has none yet.

Put files that end in `.md` or `.markdown` into it. Within a few seconds each is listed as a resource: its URI is
`docs://` and its path in the folder, such as `docs://guide/install.md`, its title the first heading in it. Folders
inside the folder are served too. Changed and removed files are noticed the same way, and clients are told.

Which folder it is, the server's log says when it starts. To serve another one, write a file `docs.json` beside the
plugin:

```json
{"folder": "/absolute/path/of/a/folder"}
```

This page disappears as soon as there is a document.
)";
}

}  // namespace plugins::docs
