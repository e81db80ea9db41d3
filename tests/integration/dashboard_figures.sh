#!/bin/sh
# dashboard_figures.sh BUILD_DIR: the tests of dashboard_figures.test.mjs with the counts that the documentation speaks of.
set -eu

build=$(cd "$1" && pwd)
cd "$(dirname "$0")"
cmake --build "$build" --target integration_fixtures >&2
MCP_HOST=$build/bin/mcp-plugin-host MCP_FIXTURES=$build/tests/integration/plugins MCP_DASHBOARD_FIGURES=full \
  exec sh node.sh . --test --test-reporter=tap --test-timeout=600000 dashboard_figures.test.mjs
