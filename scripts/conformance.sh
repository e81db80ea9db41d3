#!/bin/sh
# conformance.sh [ARGUMENTS]: runs the official MCP server suite against this host, with a plugin that has what the suite
# asks for.
#
# With arguments, those are the suite's own, such as --scenario NAME, --suite all, --requirements 2026-07-28,
# --spec-version 2025-11-25, --verbose. Without, every scenario under every revision, as a table; then the status is 0
# if all pass.
#
# With `through [URL [legacy]]` it runs against the server at the URL, and against a host that has this server as an
# upstream, with "legacy": true if that is said: the status is 0 if all that passes directly passes through the host.
# Without a URL, the server is another host.
#
# With MCP_CONFORMANCE_AUTHENTICATION=1 the host asks for a token, which a proxy adds to the suite's requests.
#
# BUILD_DIR is the build folder, build/release if it is not set.
set -eu
. "$(dirname "$0")/help.sh"

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$root/build/release}
suite=$root/tests/conformance

if [ -z "${BUILD_DIR:-}" ]; then
  (cd "$root" && cmake --preset release >/dev/null)
elif [ ! -f "$build/CMakeCache.txt" ]; then
  echo "$build is no build folder; configure it first, or unset BUILD_DIR" >&2
  exit 1
fi
cmake --build "$build" --target mcp-plugin-host conformance_plugin

# Of the integration tests: what judges the host's messages.
sh "$root/tests/integration/npm_ci.sh" "$root/tests/integration"
sh "$root/tests/integration/npm_ci.sh" "$suite"

MCP_HOST=$build/bin/mcp-plugin-host
MCP_CONFORMANCE=$build/tests/conformance
export MCP_HOST MCP_CONFORMANCE
if [ $# -eq 0 ]; then
  exec sh "$root/tests/integration/node.sh" "$suite" "$suite/required.mjs"
fi
if [ "$1" = through ]; then
  shift
  exec sh "$root/tests/integration/node.sh" "$suite" "$suite/through_host.mjs" "$@"
fi
exec sh "$root/tests/integration/node.sh" "$suite" "$suite/with_host.mjs" "$@"
