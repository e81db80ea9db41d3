#!/usr/bin/env bash
# Builds what it needs and prints the benchmark's table. Needs node. Arguments go to run.mjs:
#   bench/run.sh [--seconds N] [--rounds N] [--loops N] [--only TEXT]
set -euo pipefail
cd "$(dirname "$0")/.."
command -v node >/dev/null || { echo "The benchmark needs node; on Debian and Ubuntu it is a package (nodejs)" >&2; exit 1; }
# As serve.sh does: without the tests, whose needs may not be installed.
[[ -f build/release/build.ninja ]] || cmake --preset release -DMCP_BUILD_TESTS=OFF >/dev/null
cmake --build --preset release --target mcp-plugin-host shipped_plugins bench_http_load bench_baseline bench_echo bench_many \
  bench_replaced_one bench_replaced_two >/dev/null
exec node bench/run.mjs build/release mcp_components "$@"
