#!/usr/bin/env bash
# Measures what README and docs promise, and says of each promise whether it holds or falls short; of one, that only --full
# judges it. The status is 0 if none falls short. Needs what test.sh installs, for what TLS costs wrk and nginx, and for
# peers cargo.
#
#     scripts/promises.sh [TOPIC...] [--full]
#
# Counts are small unless --full is given, with which it takes an hour. Nothing else should run meanwhile.
set -euo pipefail
. "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."
ulimit -n "$(ulimit -Hn)"  # for 10,000 connections
cmake --preset release >/dev/null
cmake --build --preset release --target all bench_programs >/dev/null
sh tests/integration/npm_ci.sh tests/integration
exec sh tests/integration/node.sh tests/integration "$PWD/scripts/promises.mjs" "$PWD/build/release" "$@"
