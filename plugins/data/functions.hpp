// SQLite's functions `instr`, `replace` and `trim` with its sisters in a form whose time grows with the length of the
// text alone, and not with the product of two lengths: a query that is over its time can be ended between two calls of
// a function only. LIKE and GLOB take that product, so they refuse what would be too long, and ask whether the time is
// over. A free function; the thread of the connection.
#pragma once

#include <functional>

struct sqlite3;

namespace plugins::data {

// `is_over` outlives the connection.
void replace_slow_functions(sqlite3* connection, const std::function<bool()>& is_over);

}  // namespace plugins::data
