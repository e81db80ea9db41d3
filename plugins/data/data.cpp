// data: tables of CSV files, to be described and asked in SQL, and a few things for JSON.
//
//   load_csv(file_path, delimiter?, preview_rows?)   makes a table of a file
//   describe(table?)                                 says what is in its columns, or which tables there are
//   query(sql, max_rows?)                            one SELECT over the tables
//   analyze_data(table, column)                      one column in words, in figures and as a chart
//   drop_table(table)                                forgets a table, not its file
//   format_json(json_string, indent, sort_keys)      JSON that people can read
//
// There is nothing of it until data.json beside the plugin names a folder, outside of which no file can be reached:
//
//   {"folder": "/srv/tables", "maxFileBytes": 4294967296, "maxTables": 100, "maxStoreBytes": 17179869184,
//    "maxTemporaryBytes": 1073741824, "maxMemoryBytes": 268435456, "querySeconds": 10, "maxResultRows": 1000,
//    "maxResultBytes": 1048576}
//
// A file is read twice from its beginning to its end, and never as a whole: first it is checked and described, then its
// rows go to a file of SQLite in the plugin's data directory. So memory does not grow with the file. The tables are
// there for all callers alike, and as long as the data directory.
#include <mcp/plugin/typed.hpp>

#include "data/setup.hpp"

MCP_PLUGIN("data", "1.0.0", plugins::data::setup,
           mcp::About{.vendor = "mcp-plugin-host", .description = "Describes and queries CSV files."})
