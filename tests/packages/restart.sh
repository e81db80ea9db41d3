#!/bin/sh
# restart.sh SECONDS: exchanges the host for the next one, every five seconds, while 200 clients a second come.
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD_DIR:-build/release}")
sh tests/integration/npm_ci.sh tests/integration
MCP_RESTART_SECONDS=$1 MCP_HOST=$build/bin/mcp-plugin-host MCP_FIXTURES=$build/tests/integration/plugins \
  exec sh tests/integration/node.sh tests/integration --test tests/integration/restart.test.mjs
