#!/usr/bin/env bash
# Builds what it needs and prints the benchmark's table. Needs wrk and node. Arguments go to run.mjs:
#   bench/run.sh [--seconds N] [--rounds N] [--loops N]
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in wrk node; do
  command -v "$tool" >/dev/null || { echo "The benchmark needs $tool; on Debian and Ubuntu it is a package (wrk, nodejs)" >&2; exit 1; }
done
cmake --preset release >/dev/null
cmake --build --preset release --target mcp-plugin-host shipped_plugins bench_baseline bench_echo bench_many \
  bench_replaced_one bench_replaced_two >/dev/null
exec node bench/run.mjs build/release mcp_components "$@"
