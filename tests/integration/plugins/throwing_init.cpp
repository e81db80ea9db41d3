// A plugin with a global object that cannot be made.
#include <stdexcept>

#include <mcp/plugin.hpp>

namespace {

struct Licence {
  Licence() { throw std::runtime_error("static init threw"); }
};

const Licence licence;  // NOLINT(cert-err58-cpp): what is tested

void setup(mcp::Plugin&) {}

}  // namespace

MCP_PLUGIN("throwing_init", "1.0.0", setup)
