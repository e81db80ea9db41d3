// calculator: evaluates arithmetic, so that a model need not guess.
//
//   calculate {"expression": "2 * (3 + 4) ^ 2", "precision": 12}  ->  {"result": 98, "formatted": "98"}
//   calculate {"expression": "2 * (3 + 4) ^ 2", "decimal_places": 2}  ->  "Result: 98.00", and the same as above
//
// Operators, from what binds least to what binds most: + and -, then * / and % (the remainder, with the sign of the
// dividend), then signs, then ^ (from right to left: 2^3^2 is 2^9, and -2^2 is -4), then n!. Constants: pi, e, tau.
// functions.cpp lists the functions. Angles are in radians; rad and deg convert. Every error says where it is:
//
//   Expected a number at position 5
//   1 + * 2
//       ^
//
// It has no configuration.
#include <mcp/plugin/typed.hpp>

#include "calculator/setup.hpp"

MCP_PLUGIN("calculator", "1.0.0", plugins::calculator::setup,
           mcp::About{.vendor = "mcp-plugin-host",
                      .description = "Evaluates arithmetic, so that a model need not guess."})
