// SQLite's functions `instr`, `replace` and `trim` with its sisters in a form whose time grows with the length of the
// text alone, and not with the product of two lengths: a query that is over its time can be ended between two calls of
// a function only. A free function; the thread of the connection.
#pragma once

struct sqlite3;

namespace plugins::data {

void replace_slow_functions(sqlite3* connection);

}  // namespace plugins::data
