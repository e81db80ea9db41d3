#include "setup.hpp"

MCP_PLUGIN("outside", "1.0.0", setup)
