#!/usr/bin/env bash
# Installs what is missing, builds everything but the benchmarks, runs all tests. Arguments go to ctest:
# ./scripts/test.sh -R integration
#
# MCP_TEST_SANITIZERS=1 also builds and runs the unit and integration tests with AddressSanitizer and UBSan, then with
# ThreadSanitizer, which takes long.
set -euo pipefail
. "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh --tests
echo "Building build/release"
cmake --preset release >/dev/null
cmake --build --preset release

if [[ "${MCP_TEST_SANITIZERS:-0}" == 1 ]]; then
  for preset in asan tsan; do
    echo "Building and testing build/$preset"
    cmake --preset "$preset" >/dev/null
    cmake --build --preset "$preset"
    ctest --preset "$preset" -R '^(unit|plugins|integration)' --parallel "$(nproc)" "$@"
  done
fi

# Four for each processor, because most of them wait most of the time.
echo "Testing build/release"
exec ctest --preset release --parallel "$(($(nproc) * 4))" "$@"
