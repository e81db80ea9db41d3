// memory: notes that outlive the session, with tags and full-text search.
//
//   remember(text, tags?)            keeps a note
//   recall(query?, tags?, limit?)    finds notes, the best first, or the newest without a query
//   forget(id)                       removes one
//   list_tags()                      says which tags there are
//   memory://notes/{id}              one note, as JSON
//
// There is nothing of it until memory.json beside the plugin says so:
//
//   {"enabled": true, "shared": false, "maxNotes": 10000, "maxBytes": 16777216, "maxStoreBytes": 1073741824}
//
// Everybody has notes of their own, by what they have proven to the host; all who have proven nothing share theirs.
// With "shared" there is one store for all. maxNotes and maxBytes are for the notes of one, maxStoreBytes for the file,
// which lies in the plugin's data directory.
#include <mcp/plugin/typed.hpp>

#include "memory/setup.hpp"

MCP_PLUGIN("memory", "1.0.0", plugins::memory::setup,
           mcp::About{.vendor = "mcp-plugin-host", .description = "Keeps notes that outlive the session."})
