// knowledge: full-text search over a folder of documents: Markdown, text, HTML and PDF.
//
//   search_knowledge(query, limit)   the best documents for some words, with what they say about them
//   knowledge://{+id}                one document; its id is its path in the folder
//
// There is nothing of it until knowledge.json beside the plugin names a folder:
//
//   {"folder": "/srv/handbook", "maxFileBytes": 20971520, "maxFiles": 200000, "pdfSeconds": 20,
//    "rescanMilliseconds": 1000}
//
// The index lies in the plugin's data directory and is made anew when it is lost. What changes in the folder is noticed
// at once where the system tells of it. Where it does not, as in a strict sandbox, the folder is looked through: after
// rescanMilliseconds, or ten times what the last look took, but at most a minute. Symbolic links in it are not
// followed.
//
// A PDF is read by the program pdftotext of poppler, in a process of its own with limits, because no parser of PDF is
// to be trusted with files from anywhere: one that hangs or crashes it costs itself only. While the program cannot be
// started, as in a strict sandbox, PDFs that are new or have changed are left out, and the log says so.
#include <mcp/plugin/typed.hpp>

#include "knowledge/setup.hpp"

MCP_PLUGIN("knowledge", "1.0.0", plugins::knowledge::setup,
           mcp::About{.vendor = "mcp-plugin-host", .description = "Searches a folder of documents."})
